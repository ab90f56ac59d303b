/** TABLE of zones that some browsers list by names they had before, with those that people look for today (IANA's). */
const namesToday: Readonly<Record<string, string>> = {
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

/** A time zone's name of today. */
export function zoneToday(zone: string): string {
  return namesToday[zone] ?? zone;
}

/** UTC, and the time zones the browser knows, each once and by its name of today. */
export function timeZones(): string[] {
  return [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone").map(zoneToday).sort()])];
}
