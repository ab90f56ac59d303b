import { expect, test } from "bun:test";
import { accessOf, firstLevels, readingScopes, scopesOf } from "./key-scopes.ts";

test("who changes things reads them too, and nothing else", () => {
  expect(scopesOf({ ...firstLevels, links: "write", tags: "read" })).toEqual([
    "links.read",
    "links.write",
    "tags.read",
  ]);
});

test("what a key may do is told in a word where there is one", () => {
  expect([accessOf(null), accessOf(readingScopes), accessOf(["links.read"]), accessOf(["links.write"])]).toEqual([
    "all",
    "read",
    "some",
    "some",
  ]);
});
