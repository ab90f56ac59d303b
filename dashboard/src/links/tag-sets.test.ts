import { describe, expect, test } from "bun:test";
import type { Tag } from "./links-api.ts";
import { tagSets, tagShare } from "./tag-sets.ts";

const tag = (id: string): Tag => ({ id, name: id, color: "blue" });
const links = [
  { id: "one", tags: [tag("a")] },
  { id: "two", tags: [tag("b"), tag("a")] },
  { id: "three", tags: [] },
];

describe("the tags of several links", () => {
  test("are shared by all, some or none of them", () => {
    expect([tagShare(links, "a"), tagShare(links.slice(0, 2), "a"), tagShare(links, "c")]).toEqual([
      "some",
      "all",
      "none",
    ]);
  });

  test("are changed in groups with equal results, and unchanged links are left out", () => {
    const changes = new Map([
      ["a", true],
      ["b", false],
    ]);

    expect(tagSets(links, changes)).toEqual([{ tagIds: ["a"], linkIds: ["two", "three"] }]);
  });

  test("stay when they are not changed", () => {
    expect(tagSets(links, new Map([["c", true]]))).toEqual([
      { tagIds: ["a", "c"], linkIds: ["one"] },
      { tagIds: ["b", "a", "c"], linkIds: ["two"] },
      { tagIds: ["c"], linkIds: ["three"] },
    ]);
  });
});
