import { expect, test } from "bun:test";
import { flawIn, tidied } from "./json-check.ts";

test("an empty text, a list where one is wanted, and an object where one is wanted have no flaw", () => {
  expect([flawIn(" ", "list"), flawIn("[]", "list"), flawIn('{"applinks": {}}', "object")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("another shape is told", () => {
  expect(flawIn("{}", "list")).toEqual({ kind: "shape", shape: "list" });
  expect(flawIn("[]", "object")).toEqual({ kind: "shape", shape: "object" });
  expect(flawIn("null", "object")).toEqual({ kind: "shape", shape: "object" });
});

test("what is no JSON is told without the reader's own preface", () => {
  const flaw = flawIn("[1,\n 2", "list");

  expect(flaw?.kind).toBe("syntax");
  expect(flaw?.kind === "syntax" && flaw.said).not.toMatch(/^JSON/);
});

test("JSON is tidied, anything else left alone", () => {
  expect(tidied('[{"a":1}]')).toBe('[\n  {\n    "a": 1\n  }\n]');
  expect(tidied("[1,")).toBe("[1,");
});
