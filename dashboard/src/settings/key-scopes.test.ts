import { expect, test } from "bun:test";
import { accessOf, firstLevels, readingScopes, scopesOf } from "./key-scopes.ts";

test("write access includes read access, and nothing else", () => {
  expect(scopesOf({ ...firstLevels, links: "write", tags: "read" })).toEqual([
    "links.read",
    "links.write",
    "tags.read",
  ]);
});

test("scopes are summarized as all, read or some", () => {
  expect([accessOf(null), accessOf(readingScopes), accessOf(["links.read"]), accessOf(["links.write"])]).toEqual([
    "all",
    "read",
    "some",
    "some",
  ]);
});
