import { describe, expect, test } from "bun:test";
import { addCounts, compareCounters, type StoredCounter } from "./compare-counters.ts";

const at = (from: number, to = from) => ({ from, to });

/** TABLE: what a link says, its clicks and last click, and what is right; "-" where it is right already. */
const cases: [string, [number, number | null], [number, number, number] | undefined, [number, number | null] | "-"][] =
  [
    ["never clicked", [0, null], undefined, "-"],
    ["as clicked", [3, 50], [3, 50, 50], "-"],
    ["too few", [2, 50], [3, 50, 50], [3, 50]],
    ["too many", [4, 50], [3, 50, 50], [3, 50]],
    ["of no click", [4, 50], undefined, [0, null]],
    ["with a last click of nobody", [0, 50], undefined, [0, null]],
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
  test.each(cases)("a link %s", (_, says, count, right) => {
    const differences = compareCounters([counterOf(says)], countsOf(count), { isComplete: true });

    const expected = right === "-" ? [] : [{ found: counterOf(says), right: counterOf(right) }];
    expect(differences).toEqual(expected);
  });

  test("with missing clicks, a counter may be higher and later, but not lower or earlier", () => {
    const differences = (says: [number, number | null], count: [number, number, number] | undefined) =>
      compareCounters([counterOf(says)], countsOf(count), { isComplete: false }).map(({ right }) => right);

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
