/** TABLE of zones that some browsers list by names they had before, with those that people look for today (IANA's). */
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

/** A time zone's name of today; the one it had, in a browser that is older than its new one. */
export function currentZoneName(zone: string): string {
  const today = currentNames[zone];
  return today !== undefined && isKnown(today) ? today : zone;
}

/** The names a zone had before that of today. */
function formerNames(zone: string): string[] {
  return Object.keys(currentNames).filter((name) => currentNames[name] === zone);
}

/** Whether each word of a search is a part of the zone's name, or of one that it had: "calcutta" finds Asia/Kolkata. */
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
    // What the browser has no clock for it refuses to write times in, too.
    return false;
  }
}

/** UTC, and the time zones the browser knows, each once and by its name of today. */
export function timeZones(): string[] {
  return [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone").map(currentZoneName).sort()])];
}
