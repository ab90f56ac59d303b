import { describe, expect, test } from "bun:test";
import {
  changed,
  filterOf,
  filtersCountOf,
  noDialog,
  readLinksSearch,
  searchOfView,
  viewQueryOf,
} from "./links-search.ts";

describe("the URL of the links page", () => {
  test("is parsed field by field, and invalid values are left out", () => {
    const query = { search: 2026, tags: "tag_a,tag_b", order: "up", from: "2026-13-01", to: "2026-11-20", create: "1" };

    expect(readLinksSearch({ ...query, folder: {}, archived: "no", domain: "" })).toEqual({
      search: "2026",
      tags: "tag_a,tag_b",
      to: "2026-11-20",
      create: true,
    });
  });

  test("filters by whole days of the browser's time zone, including the last one", () => {
    const filter = filterOf({ from: "2026-11-20", to: "2026-11-20" });

    expect(filter).toEqual({
      root: false,
      createdAfter: new Date(2026, 10, 20).toISOString(),
      createdBefore: new Date(2026, 10, 21).toISOString(),
    });
  });

  test("filters by any of the tags, unless it requires all", () => {
    expect(filterOf({ tags: "a,b" })).toEqual({ root: false, tagIds: ["a", "b"], tagMatch: "any" });
    expect(filterOf({ tags: "a,,b", tagMatch: "all" })).toEqual({ root: false, tagIds: ["a", "b"], tagMatch: "all" });
  });

  test("is kept by a saved view without the open dialog, in one order, and opens again without invalid parts", () => {
    const query = viewQueryOf({ order: "oldest", tags: "a,b", search: "50% & more", edit: "link_1", archived: true });

    expect(query).toBe("search=50%25+%26+more&tags=a%2Cb&archived=true&order=oldest");
    expect(searchOfView(query)).toEqual({ search: "50% & more", tags: "a,b", archived: true, order: "oldest" });
    expect(searchOfView("order=sideways&later=1&from=2026-11-20")).toEqual({ from: "2026-11-20" });
  });

  test("loses a field that is removed, and keeps its filters when a dialog is closed", () => {
    expect(changed({ domain: "go.example.com", order: "oldest" }, { domain: undefined })).toEqual({ order: "oldest" });
    expect(changed({ domain: "go.example.com", edit: "link_1" }, noDialog)).toEqual({ domain: "go.example.com" });
    expect(filtersCountOf({ search: "a", tags: "t", tagMatch: "all", archived: true })).toBe(2);
  });
});
