import { expect, test } from "bun:test";
import {
  changed,
  customPeriodOf,
  isTable,
  readSearch,
  selectedTab,
  selectTab,
  toggleTable,
  toPeriod,
  toZoom,
  withoutFilters,
} from "./search.ts";

test("invalid values in the URL are ignored", () => {
  const raw = {
    interval: "2d",
    start: "2026-11-02T00:00",
    end: "yesterday",
    timezone: "Mars/Olympus",
    metric: "sales",
    bots: true,
    compare: 1,
    live: "yes",
    country: { a: 1 },
    unknown: "x",
  };

  expect(readSearch(raw)).toEqual({});
});

test("defaults are left out of the URL", () => {
  expect(readSearch({ interval: "30d", metric: "clicks", bots: "exclude", live: false })).toEqual({});
});

test("other values are kept, and a number in a filter becomes text", () => {
  const search = {
    interval: "7d",
    bots: "only",
    timezone: "Europe/Berlin",
    country: "-DE",
    utm_term: 2026,
    live: true,
  };

  expect(readSearch(search)).toEqual({
    interval: "7d",
    bots: "only",
    timezone: "Europe/Berlin",
    country: "-DE",
    utm_term: "2026",
    live: true,
  });
});

test("a custom period needs a start and an end, in order", () => {
  const [start, end] = ["2026-11-02T00:00", "2026-11-02T09:30"];

  expect(readSearch({ start, end })).toEqual({ start, end });
  expect(readSearch({ start: end, end: start })).toEqual({});
  expect(readSearch({ start })).toEqual({});
  expect(readSearch({ start: "2026-02-33T00:00", end })).toEqual({});
  expect(readSearch({ start: "2026-10-01", end: "2026-10-31" })).toEqual({ start: "2026-10-01", end: "2026-10-31" });
});

test("a comparison with a custom period needs that period", () => {
  const period = { compareStart: "2025-11-01", compareEnd: "2025-11-30" };

  expect(readSearch({ compare: "custom", ...period })).toEqual({ compare: "custom", ...period });
  expect(readSearch({ compare: "custom", compareStart: "2025-11-01" })).toEqual({});
  expect(readSearch({ compare: "year", ...period })).toEqual({ compare: "year" });
});

test("a zoom keeps the period to return to, and another period ends it", () => {
  const zoomed = changed({ interval: "7d", unit: "hour" }, toZoom({ start: "2026-11-02", end: "2026-11-03" }));

  expect(readSearch(zoomed)).toEqual({ interval: "7d", zoom: "2026-11-02..2026-11-03" });
  expect(customPeriodOf(zoomed)).toEqual({ start: "2026-11-02", end: "2026-11-03" });
  expect(changed(zoomed, toZoom(undefined))).toEqual({ interval: "7d" });
  expect(changed(zoomed, toPeriod({ interval: "last_month" }))).toEqual({ interval: "last_month" });
});

test("a change removes undefined fields, and can remove all filters", () => {
  const search = readSearch({ interval: "7d", country: "DE", os: "iOS" });

  expect(changed(search, { country: undefined, metric: "visitors" })).toEqual({
    interval: "7d",
    os: "iOS",
    metric: "visitors",
  });
  expect(changed(search, withoutFilters())).toEqual({ interval: "7d" });
});

test("each card has its own open tab, and the URL leaves out the first one", () => {
  const places = ["countries", "regions", "cities"];
  const agents = ["browsers", "os"];
  const first = changed({}, selectTab({}, places, "cities"));
  const both = changed(first, selectTab(first, agents, "os"));

  expect(both).toEqual({ tabs: "cities,os" });
  expect([selectedTab(both, places), selectedTab(both, agents), selectedTab({}, agents)]).toEqual([
    "cities",
    "os",
    "browsers",
  ]);
  expect(changed(both, selectTab(both, places, "countries"))).toEqual({ tabs: "os" });
});

test("each chart can be shown as a table, and back", () => {
  const one = changed({}, toggleTable({}, "series"));
  const two = changed(one, toggleTable(one, "week"));

  expect(two).toEqual({ tables: "series,week" });
  expect([isTable(two, "week"), isTable(two, "map")]).toEqual([true, false]);
  expect(changed(one, toggleTable(one, "series"))).toEqual({});
});
