/** The codes of languages that fields suggest (ISO 639-1): those most spoken by people on the Web, in alphabetical order. */
export const languageCodes: readonly string[] = `
  ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nb nl pl pt ro ru sk sl sr sv ta th tr uk ur
  vi zh
`
  .trim()
  .split(/\s+/);
