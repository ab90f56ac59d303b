import { invalid } from "../base/problem.ts";
import { continentOf } from "../clicks/continents.ts";
import { normalizeDestination } from "./destination-url.ts";

/** Destinations by ISO 3166-1 country code. */
type Geo = Record<string, string>;

/** Characters of all destinations of a link together, as JSON. */
const geoCharactersMax = 64 * 1024;

/** JSON with upper-case countries in alphabetical order; null for no country. Throws "unprocessable_entity". */
export function readGeo(geo: Geo, appSchemes: readonly string[]): string | null {
  const entries = Object.entries(geo).map(([country, url]): [string, string] => {
    const code = country.toUpperCase();
    if (continentOf(code) === "") throw invalid(`geo.${country}`, "must be an ISO 3166-1 country code such as DE.");
    return [code, normalizeDestination(url, `geo.${country}`, appSchemes)];
  });
  entries.sort(([one], [other]) => (one < other ? -1 : 1));
  const json = JSON.stringify(Object.fromEntries(entries));
  if (json.length > geoCharactersMax)
    throw invalid("geo", `must have at most ${geoCharactersMax} characters in total.`);
  return entries.length === 0 ? null : json;
}
