import { expect, test } from "bun:test";
import { matchesTag, matchesVersion, objectTag, readTags, versionOf } from "./entity-tag.ts";

/**
 * TABLE of If-Match headers for the version "e" of the tag "e.b", and whether they match; undefined for malformed ones.
 */
const headers: [string, boolean | undefined][] = [
  ["*", true],
  [" * ", true],
  ['"e.b"', true],
  ['"e.other"', true],
  ['"e.b-gzip"', true],
  ['"e.b-br"', true],
  ['"x", "e.b"', true],
  ['"x","e.b",', true],
  ['"x"', false],
  ['""', false],
  ['W/"e.b"', false],
  ['W/"x", "e.b"', true],
  ["", undefined],
  [",", undefined],
  ["e.b", undefined],
  ['"e.b', undefined],
  ['w/"e.b"', undefined],
  ['"e.b" "x"', undefined],
  ['*, "e.b"', undefined],
  [Array(101).fill('"x"').join(","), undefined],
];

test.each(headers)("If-Match: %s", (header, matches) => {
  if (matches === undefined) expect(() => readTags("If-Match", header)).toThrow("If-Match: must be *");
  else expect(matchesVersion(readTags("If-Match", header), "e")).toBe(matches);
});

test("If-None-Match compares the whole tag, weakly", () => {
  const known = ['"e.b"', 'W/"e.b"', '"e.b-br"', "*"].map((header) =>
    matchesTag(readTags("If-None-Match", header), "e.b"),
  );
  const unknown = ['"e.c"', '"e"'].map((header) => matchesTag(readTags("If-None-Match", header), "e.b"));

  expect([known, unknown]).toEqual([Array(4).fill(true), Array(2).fill(false)]);
});

test("clicks change the tag but not the version; changes by users change the version", async () => {
  const link = { id: "a", url: "https://example.com/", clicks: 1, lastClicked: null };
  const visited = { ...link, clicks: 2, lastClicked: "2026-11-20T00:00:00.000Z" };
  const edited = { ...link, url: "https://example.com/other" };
  const tag = async (value: object) => await objectTag(value, Buffer.from(JSON.stringify(value)));

  expect([versionOf(visited), versionOf(edited) === versionOf(link)]).toEqual([versionOf(link), false]);
  expect(new Set(await Promise.all([link, visited, edited].map(tag))).size).toBe(3);
});

test("a long malformed header is refused in linear time", () => {
  const header = `"${'a",'.repeat(5_000)}`;

  expect(() => readTags("If-Match", header)).toThrow("must be *");
});
