import { expect, test } from "bun:test";
import { newId, timeOfId } from "./ids.ts";

test("returns the time of an identifier, and undefined for another form", () => {
  // Later than the clocks of other tests, because identifiers of one process never go back in time.
  const time = Date.UTC(2099, 4, 6, 7, 8, 9, 10);

  expect(timeOfId(newId("link", time))).toBe(time);
  for (const other of ["", "link_", "link_abc", "link_01KAFXV8E3M2Q7N4T9W5Y6Z0A!", "01KAFXV8E3M2Q7N4T9W5Y6Z0AB"]) {
    expect([other, timeOfId(other)]).toEqual([other, undefined]);
  }
});
