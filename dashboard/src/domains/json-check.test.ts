import { expect, test } from "bun:test";
import { formatJson, jsonErrorIn } from "./json-check.ts";

test("an empty text, an expected list and an expected object are valid", () => {
  expect([jsonErrorIn(" ", "list"), jsonErrorIn("[]", "list"), jsonErrorIn('{"applinks": {}}', "object")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("an unexpected outermost value is an error", () => {
  expect(jsonErrorIn("{}", "list")).toEqual({ kind: "shape", shape: "list" });
  expect(jsonErrorIn("[]", "object")).toEqual({ kind: "shape", shape: "object" });
  expect(jsonErrorIn("null", "object")).toEqual({ kind: "shape", shape: "object" });
});

test("a syntax error is reported without the parser's prefix", () => {
  const jsonError = jsonErrorIn("[1,\n 2", "list");

  expect(jsonError?.kind).toBe("syntax");
  expect(jsonError?.kind === "syntax" && jsonError.message).not.toMatch(/^JSON/);
});

test("JSON is formatted, and other text stays unchanged", () => {
  expect(formatJson('[{"a":1}]')).toBe('[\n  {\n    "a": 1\n  }\n]');
  expect(formatJson("[1,")).toBe("[1,");
});
