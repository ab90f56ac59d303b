import { nearestName } from "../base/nearest-name.ts";
import { countryCodes } from "../clicks/continents.ts";

/** TABLE of names for countries that are similar neither to the code nor to the English name. */
const commonNames: ReadonlyMap<string, string> = new Map([
  ["UK", "GB"],
  ["ENGLAND", "GB"],
  ["USA", "US"],
  ["HOLLAND", "NL"],
]);

/** True for an upper-case ISO 3166-1 code, or XK. */
export function isCountry(code: string): boolean {
  return countryCodes.has(code);
}

let codesByName: ReadonlyMap<string, string> | undefined;

/** The code of the country with the most similar English name; undefined when no name is similar. */
export function nearestCountry(text: string): string | undefined {
  const usual = commonNames.get(text.toUpperCase());
  if (usual !== undefined) return usual;
  codesByName ??= namedCountries();
  const name = nearestName(text, codesByName.keys());
  return name === undefined ? undefined : codesByName.get(name);
}

function namedCountries(): Map<string, string> {
  const names = new Intl.DisplayNames(["en"], { type: "region" });
  return new Map([...countryCodes].map((code) => [names.of(code) ?? code, code]));
}
