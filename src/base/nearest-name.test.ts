import { expect, test } from "bun:test";
import { nearestName } from "./nearest-name.ts";

const names = ["expiresAt", "startsAt", "country", "countries", "Europe/Berlin"];

test.each([
  ["expiresat", "expiresAt"],
  ["expireAt", "expiresAt"],
  ["contry", "country"],
  ["Europe/Berlni", "Europe/Berlin"],
  ["weather", undefined],
  ["", undefined],
  ["x".repeat(10_000), undefined],
])("the name nearest to %j is %j", (text, nearest) => {
  expect(nearestName(text, names)).toBe(nearest);
});
