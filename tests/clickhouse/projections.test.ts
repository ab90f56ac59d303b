/** Counts that ClickHouse keeps beside the rows of clicks (src/clicks/stores/clickhouse/projections.ts). */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ClickHouseClient, createClient } from "@clickhouse/client";
import { dayMs, hourMs } from "../../src/base/time.ts";
import type { Click } from "../../src/clicks/click.ts";
import type { ClickQuery, Dimension, Grouping } from "../../src/clicks/query.ts";
import { compileQuery } from "../../src/clicks/stores/clickhouse/compile-query.ts";
import type { Expiry } from "../../src/clicks/stores/clickhouse/expiries.ts";
import { projectionNames } from "../../src/clicks/stores/clickhouse/projections.ts";
import { createTables } from "../../src/clicks/stores/clickhouse/schema.ts";
import { expectedClickRows, pick, randomClicks, seededRandom } from "../support/clicks.ts";
import { everything, neverAborted } from "../support/store-conformance/tested-store.ts";
import { openClickHouse, startClickHouse, type TestClickHouse } from "./clickhouse.ts";
import { openTestedStore, type TestedClickHouseStore } from "./tested-clickhouse.ts";

let clickHouse: TestClickHouse;
beforeAll(async () => {
  clickHouse = await openClickHouse();
});
afterAll(() => clickHouse.stop());

const noExpiry: Expiry = { version: 0, generation: 0, planned: undefined, hidden: [] };
/** The time of the random clicks: a part of a month, two whole ones, and a part of a fourth. */
const time = { from: Date.UTC(2026, 7, 20, 5, 30), to: Date.UTC(2026, 10, 3, 14, 10) };
const clicks = randomClicks(seededRandom(23), 3_000, time);

/** A store with the clicks in batches, and a client of its database. */
async function withStore(use: (tested: TestedClickHouseStore, client: ClickHouseClient) => Promise<void>) {
  const tested = await openTestedStore(clickHouse);
  const client = createClient({ url: tested.url, use_multipart_params_auto: true });
  try {
    await use(tested, client);
  } finally {
    await client.close();
    await tested.remove();
  }
}

async function insertAll({ store }: TestedClickHouseStore, rows: readonly Click[]): Promise<void> {
  const half = Math.floor(rows.length / 2);
  await store.insert({ spoolId: "spool_a", from: 0, to: half }, rows.slice(0, half));
  await store.insert({ spoolId: "spool_a", from: half, to: rows.length }, rows.slice(half));
}

/** Merges parts, which adds the projections that all of them lack. */
const merge = (client: ClickHouseClient) => client.command({ query: "OPTIMIZE TABLE clicks FINAL" });

/** Inserts enough clicks of another workspace that the parts of a month deserve projections. */
async function insertMany(client: ClickHouseClient): Promise<void> {
  const query = `INSERT INTO clicks (workspaceId, time, linkId)
SELECT 9, toDateTime64('2026-09-01 00:00:00', 3, 'UTC') + number, 'link_z' FROM numbers(100000)`;
  await client.command({ query });
}

async function rowsOf(client: ClickHouseClient, query: string): Promise<Record<string, unknown>[]> {
  return await (await client.query({ query, format: "JSONEachRow" })).json<Record<string, unknown>>();
}

/** The different sets of projections that the parts of September have. */
async function projectionsOfSeptember(client: ClickHouseClient): Promise<unknown[]> {
  const query = `SELECT DISTINCT arraySort(projections) AS names FROM system.parts
WHERE database = currentDatabase() AND table = 'clicks' AND active AND partition_id = '202609' ORDER BY names`;
  return (await rowsOf(client, query)).map(({ names }) => names);
}

const allNames = [...projectionNames].sort();

/** The projections that a query reads, in their order. */
async function readBy(client: ClickHouseClient, query: ClickQuery): Promise<string[]> {
  const { sql, parameters } = compileQuery(query, noExpiry);
  const settings = { prefer_column_name_to_alias: 1 } as const;
  const result = await client.query({
    ...{ query: `EXPLAIN ${sql}`, query_params: parameters, format: "JSONEachRow", clickhouse_settings: settings },
  });
  const plan = JSON.stringify(await result.json());
  return [...plan.matchAll(/ReadFromMergeTree \(([a-z]+)\)/g)].map(([, name]) => name ?? "");
}

function topOf(dimension: Dimension, within: readonly Dimension[] = []): Grouping {
  return { kind: "dimension", dimension, rowsMax: 1_000, ...(within.length === 0 ? {} : { within }) };
}

const labels: Grouping = {
  ...{ kind: "labels", dimension: "linkId", rowsMax: 100 },
  labels: [
    { value: "link_a", label: "one" },
    { value: "link_a", label: "two" },
    { value: "link_b", label: "two" },
  ],
};

/** TABLE of groupings, and the projection that answers each. */
const answering: readonly [Grouping, string][] = [
  [{ kind: "count" }, "hours"],
  [{ kind: "intervals", intervalMs: dayMs }, "hours"],
  [{ kind: "buckets", starts: [time.from, Date.UTC(2026, 8, 1, 22), Date.UTC(2026, 9, 1, 22)] }, "hours"],
  [
    {
      kind: "weekHours",
      offsets: [2, 1].map((hours, index) => ({ from: index * Date.UTC(2026, 9, 25, 1), offsetMs: hours * hourMs })),
    },
    "hours",
  ],
  [topOf("bot"), "hours"],
  [topOf("continent"), "places"],
  [topOf("city", ["region", "country"]), "places"],
  [topOf("browser"), "agents"],
  [topOf("language"), "agents"],
  [topOf("trigger"), "agents"],
  [topOf("referer"), "referrers"],
  [topOf("refererUrl"), "referrers"],
  [topOf("channel"), "referrers"],
  [topOf("linkId"), "links"],
  [topOf("domainId", ["domain"]), "links"],
  [labels, "links"],
  [topOf("url"), "urls"],
  [topOf("baseUrl"), "urls"],
  [topOf("utm_campaign"), "urls"],
];

describe("after a merge", () => {
  let tested: TestedClickHouseStore;
  let client: ClickHouseClient;
  beforeAll(async () => {
    tested = await openTestedStore(clickHouse);
    client = createClient({ url: tested.url, use_multipart_params_auto: true });
    await insertAll(tested, clicks);
    await merge(client);
  });
  afterAll(async () => {
    await client.close();
    await tested.remove();
  });

  test.each(answering)("a projection answers whole units of %j: %s", async (grouping, name) => {
    const query: ClickQuery = { ...everything, ...time, workspaceId: 1, bots: "exclude", grouping };

    expect(await readBy(client, query)).toEqual([name]);
    expect(await tested.store.query(query)).toEqual(expectedClickRows(clicks, query));
  });

  test("no projection answers for visitors, for one link, or for dimensions of two projections", async () => {
    const query: ClickQuery = { ...everything, ...time, workspaceId: 1, grouping: topOf("country") };
    const filters = [{ dimension: "browser", values: ["x"], isExcluded: true }] as const;
    const link = [{ dimension: "linkId", values: ["link_a"], isExcluded: false }] as const;

    expect(await readBy(client, { ...query, metric: "visitors" })).toEqual([]);
    expect(await readBy(client, { ...query, filters: link, grouping: { kind: "count" } })).toEqual([]);
    expect(await readBy(client, { ...query, filters })).toEqual([]);
  });

  test("answers over random periods, filters and time zones are those of the rows", async () => {
    const random = seededRandom(31);
    for (let round = 0; round < 150; round++) {
      const query = randomQuery(random);

      const answer = await tested.store.query(query);

      expect({ query, answer }).toEqual({ query, answer: expectedClickRows(clicks, query) });
    }
  });
});

const filtered: readonly Dimension[] = ["country", "city", "browser", "referer", "linkId", "url", "utm_source", "bot"];

/** A query over a random period, often with boundaries that are whole hours, days or months. */
function randomQuery(random: () => number): ClickQuery {
  const unit = pick(random, [1, hourMs / 4, hourMs, dayMs]);
  const instants = [0, 0].map(() => {
    const instant = time.from - 40 * dayMs + random() * (time.to - time.from + 80 * dayMs);
    const date = new Date(instant);
    return random() < 0.3 ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) : Math.floor(instant / unit) * unit;
  });
  const offsetMs = pick(random, [-5, 0, 2, 5.5]) * hourMs;
  const starts = [Math.min(...instants), ...[1, 2, 3].map((month) => Date.UTC(2026, 7 + month) - offsetMs)].sort(
    (one, other) => one - other,
  );
  const times: Grouping[] = [
    { kind: "intervals", intervalMs: pick(random, [hourMs / 4, hourMs, dayMs]) },
    { kind: "buckets", starts },
    {
      kind: "weekHours",
      offsets: [
        { from: 0, offsetMs },
        { from: Date.UTC(2026, 9, 25, 1), offsetMs: offsetMs - hourMs },
      ],
    },
  ];
  const dimension = pick(random, filtered);
  const values = [
    ...new Set(clicks.map((click) => (dimension === "baseUrl" ? click.url : String(Reflect.get(click, dimension))))),
  ];
  return {
    ...{ workspaceId: pick(random, [1, 2]), from: Math.min(...instants), to: Math.max(...instants) + 1 },
    bots: pick(random, ["exclude", "include", "only"]),
    filters:
      random() < 0.5
        ? []
        : [{ dimension, values: [pick(random, values), pick(random, values)], isExcluded: random() < 0.5 }],
    grouping: random() < 0.4 ? pick(random, times) : pick(random, answering)[0],
  };
}

test("inserts write no projections, and their clicks are counted", () =>
  withStore(async (tested, client) => {
    await insertAll(tested, clicks);
    const query: ClickQuery = { ...everything, ...time, workspaceId: 1, grouping: topOf("country") };

    expect(await projectionsOfSeptember(client)).toEqual([[]]);
    expect(await tested.store.query(query)).toEqual(expectedClickRows(clicks, query));
  }));

test("erased clicks leave the projections at once, and maintenance adds these again", () =>
  withStore(async (tested, client) => {
    await insertAll(tested, clicks);
    await insertMany(client);
    await merge(client);
    const before = await projectionsOfSeptember(client);

    await tested.store.erase({ workspaceId: 1, linkId: "link_a" });

    const erased = await projectionsOfSeptember(client);
    const left = clicks.filter(({ workspaceId, linkId }) => workspaceId !== 1 || linkId !== "link_a");
    const query: ClickQuery = { ...everything, ...time, workspaceId: 1, grouping: topOf("linkId") };
    const answer = await tested.store.query(query);
    await tested.store.maintain(neverAborted);
    expect({ before, erased, after: await projectionsOfSeptember(client) }).toEqual({
      ...{ before: [allNames], erased: [[]], after: [allNames] },
    });
    expect([answer, await tested.store.query(query)]).toEqual([
      expectedClickRows(left, query),
      expectedClickRows(left, query),
    ]);
  }));

test("tables from before the projections get them, and maintenance adds them to the clicks", () =>
  withStore(async (tested, client) => {
    for (const query of createTables({})) await client.command({ query });
    await insertMany(client);
    // As a service of that version has recorded its batches.
    await tested.db.updateTable("clickBatchCounter").set({ last: 1 }).execute();
    const before = await projectionsOfSeptember(client);

    await insertAll(tested, clicks);
    await tested.store.maintain(neverAborted);

    const query: ClickQuery = { ...everything, ...time, workspaceId: 1, grouping: topOf("country") };
    expect({ before, after: await projectionsOfSeptember(client) }).toEqual({ before: [[]], after: [allNames] });
    expect(await readBy(client, query)).toEqual(["places"]);
    expect(await tested.store.query(query)).toEqual(expectedClickRows(clicks, query));
  }));

test("the projections count the corrected groups of referrers", () =>
  withStore(async (tested, client) => {
    const mutations = { mutations_sync: "2" } as const;
    await insertAll(tested, clicks);
    await merge(client);
    for (const query of [
      "ALTER TABLE clicks UPDATE channel = 'wrong' WHERE true",
      "ALTER TABLE about UPDATE referrerTable = '' WHERE true",
    ]) {
      await client.command({ query, clickhouse_settings: mutations });
    }
    const query: ClickQuery = { ...everything, ...time, workspaceId: 1, grouping: topOf("channel") };
    const wrong = await tested.store.query(query);

    const reopened = await tested.reopen();

    expect(wrong.map(({ value }) => value)).toEqual(["wrong"]);
    expect(await reopened.query(query)).toEqual(expectedClickRows(clicks, query));
    expect(await readBy(client, query)).toEqual(["referrers"]);
  }));

/** A store in a ClickHouse that no other test uses, with clicks whose parts deserve projections. */
async function withDenied(
  statement: string,
  use: (tested: TestedClickHouseStore, client: ClickHouseClient) => Promise<void>,
): Promise<void> {
  const own = await startClickHouse();
  const tested = await openTestedStore(own);
  const client = createClient({ url: tested.url });
  try {
    await own.arm({ kind: "deny", statement });
    await insertAll(tested, clicks);
    await insertMany(client);
    await use(tested, client);
  } finally {
    await client.close();
    await tested.remove();
    await own.stop();
  }
}

test("an account that may not alter tables uses them without projections", () =>
  withDenied("ALTER TABLE clicks MODIFY SETTING", async ({ store }, client) => {
    await store.maintain(neverAborted);

    const query: ClickQuery = { ...everything, ...time, workspaceId: 1, grouping: topOf("country") };
    expect(await projectionsOfSeptember(client)).toEqual([[]]);
    expect(await store.query(query)).toEqual(expectedClickRows(clicks, query));
  }));

test("an account that may not add projections to stored clicks is maintained without them", () =>
  withDenied("ALTER TABLE clicks\n  MATERIALIZE", async ({ store }, client) => {
    const denied = await store.maintain(neverAborted);

    const without = await projectionsOfSeptember(client);
    await store.maintain(neverAborted);
    expect({ denied, without, after: await projectionsOfSeptember(client) }).toEqual({
      ...{ denied: false, without: [[]], after: [allNames] },
    });
  }));
