import { expect, test } from "bun:test";
import { countryCodes as known } from "../../../src/clicks/continents.ts";
import { countryCodes } from "./country-codes.ts";

test("the dashboard offers exactly the countries that Waypost knows", () => {
  expect(countryCodes).toEqual([...known].sort());
});
