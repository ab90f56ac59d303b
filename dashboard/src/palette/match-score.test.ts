import { expect, test } from "bun:test";
import { matchScore } from "./match-score.ts";

const texts = [
  "Keyboard shortcuts",
  "Create link",
  "Add domain",
  "Switch to Kestrel Events",
  "Switch to Kestrel Roastery",
];

/** TABLE of searches and the entries that they find, best first. */
const cases: Record<string, string[]> = {
  roast: ["Switch to Kestrel Roastery"],
  cl: ["Create link"],
  " Create ": ["Create link"],
  "link create": ["Create link"],
  "to kestrel e": ["Switch to Kestrel Events", "Switch to Kestrel Roastery"],
  omain: ["Add domain"],
  s: ["Switch to Kestrel Events", "Switch to Kestrel Roastery", "Keyboard shortcuts"],
  xyz: [],
};

test.each(Object.entries(cases))("the search %p finds %p", (search, expected) => {
  const scored = texts.map((text) => ({ text, score: matchScore("entry-1", search, [text]) }));

  const found = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);

  expect(found.map(({ text }) => text)).toEqual(expected);
});

test("a found link stays, whatever its texts are", () => {
  expect(matchScore("harbour Link_1", "Harbour ")).toBe(1);
});

test("Chinese is matched by parts of a text", () => {
  expect(matchScore("page settings", "密钥", ["API 密钥管理"])).toBeGreaterThan(0);
});
