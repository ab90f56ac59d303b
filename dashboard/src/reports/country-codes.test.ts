import { expect, test } from "bun:test";
import world from "world-atlas/countries-110m.json";
import { countryCode } from "./country-codes.ts";

const english = new Intl.DisplayNames("en", { type: "region" });
/**
 * Countries whose name on the map shares no word of four letters with their name in the language data, and territories
 * without a code.
 */
const differentlyNamed = [
  "Fr. S. Antarctic Lands: French Southern Territories",
  "eSwatini: Eswatini",
  "Palestine: Palestinian Territories",
  "Turkey: Türkiye",
  "N. Cyprus: nothing",
  "Somaliland: nothing",
];

test("every country of the map has its own code", () => {
  const others = world.objects.countries.geometries.flatMap(({ id, properties: { name } }: Country) => {
    const code = countryCode(id, name);
    const called = code === undefined ? "nothing" : (english.of(code) ?? code);
    const words = name.split(/[^\p{L}]+/u).filter((word) => word.length >= 4);
    return words.some((word) => called.includes(word)) ? [] : [`${name}: ${called}`];
  });

  expect(others).toEqual(differentlyNamed);
});

type Country = { id?: string; properties: { name: string } };
