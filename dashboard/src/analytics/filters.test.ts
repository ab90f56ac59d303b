import { describe, expect, test } from "bun:test";
import { canFilter, chosen, type FilterName, leftOut, readFilters, ticked, turned } from "./filters.ts";

test("filters are read in the order of the menu, kept or left out", () => {
  const read = readFilters({ os: "-iOS, Windows", country: "DE,AT" });

  expect(read).toEqual([
    { name: "country", values: ["DE", "AT"], isExcluded: false },
    { name: "os", values: ["iOS", "Windows"], isExcluded: true },
  ]);
});

test("a comma within an address separates nothing", () => {
  const [filter] = readFilters({ url: "https://example.com/a,b,https://example.com/c" });

  expect(filter?.values).toEqual(["https://example.com/a,b", "https://example.com/c"]);
});

describe("a value can be filtered by", () => {
  test.each([
    ["city", "Berlin", true],
    ["city", "Washington, D.C.", false],
    ["utm_term", "-5", false],
    ["url", "https://example.com/a,b", true],
    ["utm_source", "", false],
    ["city", " Berlin", false],
  ] satisfies [FilterName, string, boolean][])("%s %p: %p", (name, value, isPossible) => {
    expect(canFilter(name, value)).toBe(isPossible);
  });
});

test("choosing a row keeps it alone, and choosing it again keeps all", () => {
  expect(chosen("country", undefined, "DE")).toBe("DE");
  expect(chosen("country", "AT", "DE")).toBe("DE");
  expect(chosen("country", "-DE", "DE")).toBe("DE");
  expect(chosen("country", "DE", "DE")).toBeUndefined();
  expect(chosen("country", "DE,AT", "DE")).toBe("AT");
});

test("leaving out adds to what is left out, and replaces what was kept", () => {
  expect(leftOut("country", undefined, "DE")).toBe("-DE");
  expect(leftOut("country", "-AT", "DE")).toBe("-AT,DE");
  expect(leftOut("country", "-AT,DE", "DE")).toBe("-AT,DE");
  expect(leftOut("country", "AT", "DE")).toBe("-DE");
});

test("ticking adds and takes away, and never names more values than the API takes", () => {
  const full = Array.from({ length: 100 }, (_, index) => `c${index}`).join(",");

  expect(ticked("city", undefined, "Berlin")).toBe("Berlin");
  expect(ticked("city", "-Berlin", "Köln")).toBe("-Berlin,Köln");
  expect(ticked("city", "-Berlin", "Berlin")).toBeUndefined();
  expect(ticked("city", full, "Berlin")).toBe(full);
});

test("a filter turned twice is as it was", () => {
  expect(turned("DE,AT")).toBe("-DE,AT");
  expect(turned(turned("DE,AT"))).toBe("DE,AT");
});
