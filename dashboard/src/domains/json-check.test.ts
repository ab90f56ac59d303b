import { expect, test } from "bun:test";
import { formatJson, jsonErrorIn } from "./json-check.ts";

test("an empty text, a list where one is wanted, and an object where one is wanted have no flaw", () => {
  expect([jsonErrorIn(" ", "list"), jsonErrorIn("[]", "list"), jsonErrorIn('{"applinks": {}}', "object")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("another shape is told", () => {
  expect(jsonErrorIn("{}", "list")).toEqual({ kind: "shape", shape: "list" });
  expect(jsonErrorIn("[]", "object")).toEqual({ kind: "shape", shape: "object" });
  expect(jsonErrorIn("null", "object")).toEqual({ kind: "shape", shape: "object" });
});

test("what is no JSON is told without the reader's own preface", () => {
  const jsonError = jsonErrorIn("[1,\n 2", "list");

  expect(jsonError?.kind).toBe("syntax");
  expect(jsonError?.kind === "syntax" && jsonError.message).not.toMatch(/^JSON/);
});

test("JSON is tidied, anything else left alone", () => {
  expect(formatJson('[{"a":1}]')).toBe('[\n  {\n    "a": 1\n  }\n]');
  expect(formatJson("[1,")).toBe("[1,");
});
