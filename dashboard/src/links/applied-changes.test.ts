import { describe, expect, test } from "bun:test";
import { appliedChanges } from "./applied-changes.ts";

const early = "2026-11-20T09:00:00.000Z";
const late = "2026-11-20T09:30:00.000Z";
const now = "2026-11-20T10:00:00.000Z";

/** TABLE of links before a call and after it, and the links that the call changed. */
const cases: [string, Record<string, string>, Record<string, string>, string[]][] = [
  ["every link that got a new time", { a: early, b: late }, { a: now, b: now }, ["a", "b"]],
  ["no link that already was as requested", { a: early, b: late }, { a: now, b: late }, ["a"]],
  ["no link that someone else changed before", { a: early, b: early }, { a: now, b: late }, ["a"]],
  ["none when nothing changed", { a: early, b: late }, { a: early, b: late }, []],
  ["none of no links", {}, {}, []],
];

describe("the changes of a call are", () => {
  test.each(cases)("%s", (_, before, after, changed) => {
    const links = (times: Record<string, string>) =>
      Object.entries(times).map(([id, updatedAt]) => ({ id, updatedAt }));

    expect(appliedChanges(links(before), links(after)).map(({ id }) => id)).toEqual(changed);
  });
});
