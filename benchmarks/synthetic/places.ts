import type { Place as ClickPlace } from "../../src/clicks/click.ts";
import { continentOf } from "../../src/clicks/continents.ts";

/** A place of visitors. `hoursAhead` of UTC is standard time. */
type Place = ClickPlace & {
  weight: number;
  hoursAhead: number;
  /** The language of most people there, and that of the others. */
  language: string;
  otherLanguage: string;
};

type Row = readonly [
  country: string,
  region: string,
  city: string,
  weight: number,
  hoursAhead: number,
  languages: string,
];

/**
 * TABLE of places by ISO 3166: the largest cities, with roughly the shares of countries among the visitors of an
 * English-speaking service. The last two are places that a database of addresses knows less about.
 */
const rows: readonly Row[] = [
  ["US", "US-NY", "New York", 55, -5, "en es"],
  ["US", "US-CA", "Los Angeles", 38, -8, "en es"],
  ["US", "US-CA", "San Francisco", 24, -8, "en zh"],
  ["US", "US-IL", "Chicago", 25, -6, "en es"],
  ["US", "US-TX", "Houston", 20, -6, "en es"],
  ["US", "US-TX", "Dallas", 22, -6, "en es"],
  ["US", "US-VA", "Ashburn", 18, -5, "en es"],
  ["US", "US-GA", "Atlanta", 18, -5, "en es"],
  ["US", "US-FL", "Miami", 17, -5, "en es"],
  ["US", "US-WA", "Seattle", 17, -8, "en zh"],
  ["US", "US-MA", "Boston", 13, -5, "en es"],
  ["US", "US-CO", "Denver", 10, -7, "en es"],
  ["GB", "GB-ENG", "London", 48, 0, "en pl"],
  ["GB", "GB-ENG", "Manchester", 14, 0, "en ur"],
  ["GB", "GB-SCT", "Edinburgh", 7, 0, "en pl"],
  ["IN", "IN-MH", "Mumbai", 34, 5.5, "en hi"],
  ["IN", "IN-KA", "Bengaluru", 31, 5.5, "en hi"],
  ["IN", "IN-DL", "Delhi", 30, 5.5, "en hi"],
  ["DE", "DE-BE", "Berlin", 22, 1, "de en"],
  ["DE", "DE-HE", "Frankfurt am Main", 16, 1, "de en"],
  ["DE", "DE-BY", "Munich", 15, 1, "de en"],
  ["DE", "DE-HH", "Hamburg", 11, 1, "de en"],
  ["BR", "BR-SP", "São Paulo", 30, -3, "pt en"],
  ["BR", "BR-RJ", "Rio de Janeiro", 13, -3, "pt en"],
  ["CA", "CA-ON", "Toronto", 24, -5, "en fr"],
  ["CA", "CA-QC", "Montreal", 10, -5, "fr en"],
  ["CA", "CA-BC", "Vancouver", 9, -8, "en zh"],
  ["FR", "FR-IDF", "Paris", 34, 1, "fr en"],
  ["FR", "FR-ARA", "Lyon", 8, 1, "fr en"],
  ["AU", "AU-NSW", "Sydney", 17, 10, "en zh"],
  ["AU", "AU-VIC", "Melbourne", 14, 10, "en zh"],
  ["JP", "JP-13", "Tokyo", 26, 9, "ja en"],
  ["JP", "JP-27", "Osaka", 10, 9, "ja en"],
  ["ES", "ES-MD", "Madrid", 15, 1, "es en"],
  ["ES", "ES-CT", "Barcelona", 11, 1, "ca es"],
  ["IT", "IT-25", "Milan", 15, 1, "it en"],
  ["IT", "IT-62", "Rome", 11, 1, "it en"],
  ["NL", "NL-NH", "Amsterdam", 20, 1, "nl en"],
  ["MX", "MX-CMX", "Mexico City", 20, -6, "es en"],
  ["ID", "ID-JK", "Jakarta", 22, 7, "id en"],
  ["PH", "PH-00", "Manila", 19, 8, "en tl"],
  ["PL", "PL-14", "Warsaw", 14, 1, "pl en"],
  ["TR", "TR-34", "Istanbul", 16, 3, "tr en"],
  ["SE", "SE-AB", "Stockholm", 10, 1, "sv en"],
  ["CH", "CH-ZH", "Zurich", 9, 1, "de en"],
  ["AT", "AT-9", "Vienna", 8, 1, "de en"],
  ["BE", "BE-BRU", "Brussels", 8, 1, "fr nl"],
  ["IE", "IE-L", "Dublin", 9, 0, "en pl"],
  ["PT", "PT-11", "Lisbon", 7, 0, "pt en"],
  ["SG", "SG-01", "Singapore", 14, 8, "en zh"],
  ["KR", "KR-11", "Seoul", 13, 9, "ko en"],
  ["VN", "VN-SG", "Ho Chi Minh City", 12, 7, "vi en"],
  ["TH", "TH-10", "Bangkok", 9, 7, "th en"],
  ["NG", "NG-LA", "Lagos", 13, 1, "en fr"],
  ["ZA", "ZA-GP", "Johannesburg", 10, 2, "en af"],
  ["EG", "EG-C", "Cairo", 8, 2, "ar en"],
  ["KE", "KE-30", "Nairobi", 6, 3, "en sw"],
  ["AE", "AE-DU", "Dubai", 9, 4, "en ar"],
  ["AR", "AR-C", "Buenos Aires", 9, -3, "es en"],
  ["CO", "CO-DC", "Bogotá", 8, -5, "es en"],
  ["CN", "CN-SH", "Shanghai", 8, 8, "zh en"],
  ["NZ", "NZ-AUK", "Auckland", 5, 12, "en zh"],
  ["US", "", "", 9, -6, "en es"],
  ["", "", "", 6, 0, "en fr"],
];

/** The places of visitors. */
export const places: readonly Place[] = rows.map(([country, region, city, weight, hoursAhead, languages]) => {
  const [language = "", otherLanguage = language] = languages.split(" ");
  return { country, region, city, continent: continentOf(country), weight, hoursAhead, language, otherLanguage };
});

/** TABLE of the places of bots, by city, in percent. */
const machineCities: Readonly<Record<string, number>> = {
  Ashburn: 46,
  "San Francisco": 14,
  Dublin: 10,
  "Frankfurt am Main": 9,
  Singapore: 7,
  Amsterdam: 6,
  Paris: 4,
  Shanghai: 3,
  Tokyo: 1,
};

/** The weight of each place for bots. */
export const machineWeights: readonly number[] = places.map(({ city }) => machineCities[city] ?? 0);
