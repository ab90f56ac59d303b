import { nearestName } from "../base/nearest-name.ts";
import { countryCodes } from "../clicks/continents.ts";

/** TABLE of names that people write for a country and that neither its code nor its English name is near to. */
const commonNames: ReadonlyMap<string, string> = new Map([
  ["UK", "GB"],
  ["ENGLAND", "GB"],
  ["USA", "US"],
  ["HOLLAND", "NL"],
]);

/** Whether a text is the upper-case ISO 3166-1 code of a country, or XK. */
export function isCountry(code: string): boolean {
  return countryCodes.has(code);
}

let codesByName: ReadonlyMap<string, string> | undefined;

/** The code of the country that a text most likely means, by its English name; undefined when none is near. */
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
