/** TABLE of zones that some browsers list by former names, with the current IANA names that people search for. */
const currentNames: Readonly<Record<string, string>> = {
  "America/Godthab": "America/Nuuk",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

/** The current name of a time zone; the former one in browsers that do not know the current one. */
export function currentZoneName(zone: string): string {
  const today = currentNames[zone];
  return today !== undefined && isKnown(today) ? today : zone;
}

/** The IANA name of this device's time zone. */
export function browserTimeZone(): string {
  return currentZoneName(new Intl.DateTimeFormat().resolvedOptions().timeZone);
}

/** The former names of a zone. */
function formerNames(zone: string): string[] {
  return Object.keys(currentNames).filter((name) => currentNames[name] === zone);
}

/** True when each word of a search is part of the zone's current or former name: "calcutta" finds Asia/Kolkata. */
export function isZoneMatch(zone: string, search: string): boolean {
  const names = [zone, ...formerNames(zone)].map(inWords).join(" ");
  return inWords(search)
    .split(" ")
    .every((word) => names.includes(word));
}

function inWords(name: string): string {
  return name.toLowerCase().replace(/[\s_/]+/g, " ");
}

function isKnown(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    // The browser could not format times in this zone either.
    return false;
  }
}

/** UTC and the time zones that the browser knows, each once, by its current name. */
export function timeZones(): string[] {
  return [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone").map(currentZoneName).sort()])];
}

/** The current offset of a zone, such as "UTC+05:30". */
export function offsetText(zone: string): string {
  const parts = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts();
  const text = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  // Some engines write "GMT" for zero, others "GMT+00:00".
  return text.replace("GMT", "UTC").replace("+00:00", "");
}
