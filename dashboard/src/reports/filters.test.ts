import { describe, expect, test } from "bun:test";
import { canFilter, excluded, type FilterName, inverted, readFilters, selected, toggled } from "./filters.ts";

test("filters are parsed in the order of the menu, kept or excluded", () => {
  const read = readFilters({ os: "-iOS, Windows", country: "DE,AT" });

  expect(read).toEqual([
    { name: "country", values: ["DE", "AT"], isExcluded: false },
    { name: "os", values: ["iOS", "Windows"], isExcluded: true },
  ]);
});

test("a comma inside a URL does not separate values", () => {
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

test("selecting a row keeps only it, and selecting it again keeps all", () => {
  expect(selected("country", undefined, "DE")).toBe("DE");
  expect(selected("country", "AT", "DE")).toBe("DE");
  expect(selected("country", "-DE", "DE")).toBe("DE");
  expect(selected("country", "DE", "DE")).toBeUndefined();
  expect(selected("country", "DE,AT", "DE")).toBe("AT");
});

test("excluding a value adds to excluded ones and replaces kept ones", () => {
  expect(excluded("country", undefined, "DE")).toBe("-DE");
  expect(excluded("country", "-AT", "DE")).toBe("-AT,DE");
  expect(excluded("country", "-AT,DE", "DE")).toBe("-AT,DE");
  expect(excluded("country", "AT", "DE")).toBe("-DE");
});

test("toggling adds and removes a value, up to the API's limit", () => {
  const full = Array.from({ length: 100 }, (_, index) => `c${index}`).join(",");

  expect(toggled("city", undefined, "Berlin")).toBe("Berlin");
  expect(toggled("city", "-Berlin", "Köln")).toBe("-Berlin,Köln");
  expect(toggled("city", "-Berlin", "Berlin")).toBeUndefined();
  expect(toggled("city", full, "Berlin")).toBe(full);
});

test("a filter inverted twice is unchanged", () => {
  expect(inverted("DE,AT")).toBe("-DE,AT");
  expect(inverted(inverted("DE,AT"))).toBe("DE,AT");
});
