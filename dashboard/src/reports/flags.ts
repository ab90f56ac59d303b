/** The URL of a flag without its country. The build replaces it; see dashboard/build.ts. */
declare const flagUrlParts: { before: string; after: string };

/** The URL of a country's flag, a round SVG. Countries are ISO 3166-1 codes, and XK. */
export function flagUrl(country: string): string {
  const { before, after } = flagUrlParts;
  return `${before}${country.toLowerCase()}${after}`;
}

/** True for a text that can be the code of a country. */
export function isCountryCode(text: string): boolean {
  return /^[A-Z]{2}$/.test(text);
}
