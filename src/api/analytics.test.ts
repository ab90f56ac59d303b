import { describe, expect, test } from "bun:test";
import { filterNames } from "../analytics/filters.ts";
import { analyticsEndpoints } from "./analytics.ts";

const month = ["24h", "7d", "30d", "90d"];

/** TABLE of operations: their defaults besides the interval and bots, and the intervals that they accept. */
const operations: Record<string, { defaults: object; intervals: string[] }> = {
  "/analytics/clicks": { defaults: { groupBy: "count" }, intervals: [...month, "ytd", "all"] },
  "/analytics/timeseries": { defaults: {}, intervals: month },
  "/analytics": {
    defaults: { event: "clicks", groupBy: "count", limit: 5_000 },
    intervals: [...month, "1y", "mtd", "qtd", "ytd", "all"],
  },
};

describe.each(analyticsEndpoints.map((endpoint) => [endpoint.path, endpoint] as const))("%s", (path, endpoint) => {
  const isRead = (query: Record<string, unknown>) => endpoint.querySchema.safeParse(query).success;

  test("its example matches its schema", () => {
    expect(endpoint.responseSchema.safeParse(endpoint.responseExample).success).toBe(true);
  });

  test("without parameters, it reports the human clicks of 30 days", () => {
    const defaults = { interval: "30d", bots: "exclude", metric: "clicks", ...operations[path]?.defaults };

    expect(endpoint.querySchema.parse({})).toEqual(defaults);
  });

  test("it accepts its intervals and no others", () => {
    const accepted = ["1h", ...month, "1y", "mtd", "qtd", "ytd", "all", "custom", "", "30D"].filter((interval) =>
      isRead({ interval }),
    );

    expect(accepted).toEqual(operations[path]?.intervals ?? []);
  });

  test("a parameter given twice is refused, and so is an empty name", () => {
    const names = [
      "linkId",
      "externalId",
      "domain",
      "key",
      "interval",
      "start",
      "end",
      "timezone",
      "bots",
      "qr",
      "root",
      "folderId",
      "tagId",
      "tagIds",
      "tenantId",
      "metric",
      "compare",
    ];
    const known = [...names, ...filterNames, ...(path === "/analytics/timeseries" ? [] : ["groupBy"])];

    expect(known.filter((name) => isRead({ [name]: ["a", "b"] }))).toEqual([]);
    expect(names.slice(0, 4).filter((name) => isRead({ [name]: "" }))).toEqual([]);
  });

  test("its schema leaves unknown parameters to the check of unused names", () => {
    expect(isRead({ saleType: "new", anything: ["a", "b"] })).toBe(true);
  });
});

test("clicks can be grouped by the six dimensions and by no others", () => {
  const schema = analyticsEndpoints.find(({ path }) => path === "/analytics/clicks")?.querySchema;

  const accepted = ["count", "browser", "os", "referer", "country", "device", "countries", "city", ""].filter(
    (groupBy) => schema?.safeParse({ groupBy }).success,
  );

  expect(accepted).toEqual(["count", "browser", "os", "referer", "country", "device"]);
});
