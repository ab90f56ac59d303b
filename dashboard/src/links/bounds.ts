/** The API's limits on the length of fields. */
export const keyCharactersMax = 190;
export const titleCharactersMax = 120;
export const descriptionCharactersMax = 240;
export const ownIdCharactersMax = 255;
export const utmCharactersMax = 255;
export const passwordCharactersMax = 1_000;
export const countryCharacters = 2;

/** The share of a test variant, in percent. */
export const shareMin = 10;
export const shareMax = 90;
