import { expect, test } from "bun:test";
import { bytesNotCounted, bytesNotStored, compareReadings } from "./other-counters.ts";

const positions = new Map([["other", 500]]);
const counter = (linkId: string, clicks: number, lastClicked: number | null = clicks) => ({
  linkId,
  clicks,
  lastClicked,
});
const readings = (...counters: ReturnType<typeof counter>[]) => new Map(counters.map((one) => [one.linkId, one]));
const stored = (linkId: string, clicks: number) =>
  new Map([[linkId, { clicks, lastClicked: { from: clicks, to: clicks } }]]);
const none = { exact: [], approximate: [], clicked: 0 };
const complete = { isComplete: true };

test("a counter that is equal in both readings is compared exactly", () => {
  const earlier = { counters: readings(counter("a", 5)), positions };

  expect(compareReadings(earlier, [counter("a", 5)], stored("a", 5), complete)).toEqual(none);
  expect(compareReadings(earlier, [counter("a", 5)], stored("a", 6), complete)).toEqual({
    ...none,
    exact: [{ found: counter("a", 5), right: counter("a", 6) }],
  });
});

test.each([
  [4, [8]],
  [5, []],
  [7, []],
  [9, []],
  [10, [10]],
])(
  "a counter that goes from 5 to 9 differs from a store with %d clicks only outside of that range",
  (clicks, right) => {
    const earlier = { counters: readings(counter("a", 5)), positions };

    const { exact, approximate, clicked } = compareReadings(earlier, [counter("a", 9)], stored("a", clicks), complete);

    expect([exact, clicked]).toEqual([[], 1]);
    expect(approximate.map((difference) => difference.right.clicks)).toEqual(right);
  },
);

test("a store that lacks clicks lowers no counter, and a link that is new in the second reading had no clicks", () => {
  const earlier = { counters: readings(counter("a", 5)), positions };
  const lacking = { isComplete: false };

  expect(compareReadings(earlier, [counter("a", 9)], stored("a", 1), lacking)).toEqual({ ...none, clicked: 1 });
  expect(compareReadings(earlier, [counter("new", 2)], stored("new", 2), complete)).toEqual({ ...none, clicked: 1 });
});

test("without other nodes, every counter is compared exactly", () => {
  const alone = { counters: new Map(), positions: new Map() };

  expect(compareReadings(alone, [counter("a", 9)], stored("a", 9), complete)).toEqual(none);
});

test("only the spools of other nodes count as behind", () => {
  const earlier = { counters: new Map(), positions };

  expect([bytesNotStored(earlier, { other: 450, own: 0 }), bytesNotStored(earlier, { other: 501 })]).toEqual([50, 0]);
  expect(bytesNotStored(earlier, {})).toBe(500);
  expect(bytesNotCounted(earlier, { other: 450, own: 9 }, () => 400)).toBe(50);
  expect(bytesNotCounted(earlier, { other: 450 }, () => 460)).toBe(0);
});
