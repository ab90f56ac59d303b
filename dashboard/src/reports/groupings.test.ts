import { describe, expect, test } from "bun:test";
import { canChoose, cards, groupingFor, isGrouping, rowKey } from "./groupings.ts";

const noClicks = { clicks: 0, leads: 0, sales: 0, saleAmount: 0 };

test("every tab of a card is a grouping, and no two cards share one", () => {
  const names: string[] = Object.values(cards).flat();

  expect(names.filter((name) => !isGrouping(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test("a filter's values are the rows of its grouping", () => {
  expect([groupingFor("linkId"), groupingFor("baseUrl"), groupingFor("utm_term")]).toEqual([
    "top_links",
    "top_base_urls",
    "utm_terms",
  ]);
});

describe("a row can be chosen", () => {
  test.each([
    ["for an existing link", { id: "link_1" }, true],
    ["for a deleted link", { id: "link_1", deleted: true as const }, true],
    ["not for a shared link, which has no id", { shortLink: "https://go.example.com/a" }, false],
  ])("%s", (_, row, isPossible) => {
    expect(canChoose("top_links", { ...row, ...noClicks })).toBe(isPossible);
  });
});

test("cities with the same name and links without ids have different keys", () => {
  const keys = [
    rowKey("cities", { country: "US", city: "Paris", ...noClicks }),
    rowKey("cities", { country: "FR", city: "Paris", ...noClicks }),
    rowKey("top_links", { shortLink: "https://go.example.com/a", ...noClicks }),
    rowKey("top_links", { shortLink: "https://go.example.com/b", ...noClicks }),
  ];

  expect(new Set(keys).size).toBe(keys.length);
});
