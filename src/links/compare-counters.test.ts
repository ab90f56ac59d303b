import { describe, expect, test } from "bun:test";
import { addCounts, compareCounters, type StoredCounter } from "./compare-counters.ts";

const at = (from: number, to = from) => ({ from, to });

/** TABLE of stored counters, the counted clicks with the range of the last one, and the corrections; "-" for none. */
const cases: [string, [number, number | null], [number, number, number] | undefined, [number, number | null] | "-"][] =
  [
    ["never clicked", [0, null], undefined, "-"],
    ["with its clicks", [3, 50], [3, 50, 50], "-"],
    ["with too few clicks", [2, 50], [3, 50, 50], [3, 50]],
    ["with too many clicks", [4, 50], [3, 50, 50], [3, 50]],
    ["without any click", [4, 50], undefined, [0, null]],
    ["with a last click but no clicks", [0, 50], undefined, [0, null]],
    ["without its last click", [3, null], [3, 50, 50], [3, 50]],
    ["with a last click too early", [3, 40], [3, 50, 50], [3, 50]],
    ["with a last click too late", [3, 60], [3, 50, 50], [3, 50]],
    ["within the time of its last click", [3, 55], [3, 50, 59], "-"],
    ["beyond the time of its last click", [3, 60], [3, 50, 59], [3, 50]],
  ];

function counterOf([clicks, lastClicked]: [number, number | null]): StoredCounter {
  return { linkId: "link", clicks, lastClicked };
}

function countsOf(count: [number, number, number] | undefined) {
  if (count === undefined) return new Map();
  const [clicks, from, to] = count;
  return new Map([["link", { clicks, lastClicked: at(from, to) }]]);
}

describe("compareCounters", () => {
  test.each(cases)("a link %s", (_, stored, count, right) => {
    const differences = compareCounters([counterOf(stored)], countsOf(count), { isComplete: true });

    const expected = right === "-" ? [] : [{ found: counterOf(stored), right: counterOf(right) }];
    expect(differences).toEqual(expected);
  });

  test("with missing clicks, a counter may be higher and later, but not lower or earlier", () => {
    const differences = (stored: [number, number | null], count: [number, number, number] | undefined) =>
      compareCounters([counterOf(stored)], countsOf(count), { isComplete: false }).map(({ right }) => right);

    expect(differences([9, 90], [3, 50, 50])).toEqual([]);
    expect(differences([9, 90], undefined)).toEqual([]);
    expect(differences([2, 90], [3, 50, 50])).toEqual([counterOf([3, 90])]);
    expect(differences([9, 40], [3, 50, 50])).toEqual([counterOf([9, 50])]);
    expect(differences([9, null], [3, 50, 50])).toEqual([counterOf([9, 50])]);
  });

  test("clicks of deleted links are no difference", () => {
    expect(compareCounters([], countsOf([3, 50, 50]), { isComplete: true })).toEqual([]);
  });
});

test("addCounts adds the clicks and keeps the later last click", () => {
  const counts = countsOf([3, 50, 59]);

  addCounts(counts, [
    { linkId: "link", clicks: 2, lastClicked: at(55) },
    { linkId: "other", clicks: 1, lastClicked: at(7) },
  ]);

  expect([...counts]).toEqual([
    ["link", { clicks: 5, lastClicked: at(55, 59) }],
    ["other", { clicks: 1, lastClicked: at(7) }],
  ]);
});
