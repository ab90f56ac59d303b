import { expect, test } from "bun:test";
import { forwardingKeys, withoutTrailingPunctuation } from "./visited-key.ts";

const text = (path: string) =>
  forwardingKeys(path, { isCaseSensitive: false })
    .map(({ key, rest }) => `${key} ${rest}`)
    .join(", ");

test.each([
  ["docs", "_root /docs"],
  ["docs/a", "docs /a, _root /docs/a"],
  ["Docs/A/b", "docs/a /b, docs /A/b, _root /Docs/A/b"],
  ["d%6Fcs/%2e.x/", "docs/..x /, docs /%2e.x/, _root /d%6Fcs/%2e.x/"],
  ["docs%2Fa/b", "docs/a /b, _root /docs%2Fa/b"],
  ["docs//a", "docs /a, docs //a, _root /docs//a"],
  ["docs/../a", ""],
  ["docs/%2e%2E/a", ""],
  ["docs/.%2e", ""],
  ["docs/./a", ""],
  ["docs\\..\\a", ""],
  ["%ff/a", "_root /%ff/a"],
  ["_root/a", "_root /_root/a"],
])("the path %j can be forwarded by %j", (path, keys) => {
  expect(text(path)).toBe(keys);
});

test("at most ten segments of a path belong to a key", () => {
  const keys = forwardingKeys("a/".repeat(5_000), { isCaseSensitive: false });

  expect(keys.map(({ key }) => key.split("/").length)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1]);
});

test.each([
  ["key.", "key"],
  ["key)", "key"],
  ["key,", "key"],
  ["a.b).", "a.b"],
  ["docs/a.", "docs/a"],
  ["key", undefined],
  ["a.b", undefined],
  ["...", undefined],
  ["docs/.", undefined],
  ["_root.", undefined],
  [".,)x", undefined],
])("the key %j without trailing punctuation is %j", (key, expected) => {
  expect(withoutTrailingPunctuation(key)).toBe(expected);
});
