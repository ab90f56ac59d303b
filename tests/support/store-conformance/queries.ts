import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Click } from "../../../src/clicks/click.ts";
import {
  type BotChoice,
  type ClickQuery,
  type Dimension,
  dimensions,
  type Filter,
  type Grouping,
  type Metric,
} from "../../../src/clicks/query.ts";
import { dimensionOf, expectedClickRows, pick, randomClicks, seededRandom } from "../clicks.ts";
import { day, everything, type OpenStore, type TestedStore } from "./tested-store.ts";

const bothMetrics: readonly Metric[] = ["clicks", "visitors"];
const everyBotChoice: readonly BotChoice[] = ["exclude", "include", "only"];
const randomQueries = 60;

const clicks = randomClicks(seededRandom(20261120), 4_000, day);

type ExpectAnswer = (query: ClickQuery) => Promise<void>;

/** The contract of query. */
export function describeQueries(open: OpenStore): void {
  describe("query", () => {
    const expectAnswer = onClicks(open);
    describeGroupings(expectAnswer, groupings(), { metrics: bothMetrics, botChoices: everyBotChoice });
    describeManyValues(expectAnswer, bothMetrics);
    describeRanges(expectAnswer);
    describeFilters(expectAnswer);
    describeRandom(expectAnswer, undefined);

    test("a workspace without clicks sees none of the others' clicks", async () => {
      for (const grouping of groupings()) await expectAnswer({ ...everything, workspaceId: 3, grouping });
    });
  });
}

/**
 * The part of query's contract that depends on the level at which the store holds clicks: each source of rows
 * (plan-query.ts), and random queries. Filters and keys are the same for all sources.
 */
export function describeQueriesBySource(open: OpenStore): void {
  describe("query", () => {
    const expectAnswer = onClicks(open);
    const texts: Grouping[] = [topOf("linkId"), { ...topOf("city"), within: ["region", "country"] }];
    describeGroupings(expectAnswer, [...timeGroupings, ...texts], { metrics: bothMetrics, botChoices: everyBotChoice });
    describeRanges(expectAnswer);
    describeRandom(expectAnswer, undefined);
  });
}

/**
 * The contract of query for visitors alone, for settings that change only how visitors are counted. Each grouping counts
 * all clicks, which need the most partitions; random queries choose bots, which filter clicks before they are counted.
 */
export function describeVisitors(open: OpenStore): void {
  describe("query", () => {
    const expectAnswer = onClicks(open);
    describeGroupings(expectAnswer, groupings(), { metrics: ["visitors"], botChoices: ["include"] });
    describeManyValues(expectAnswer, ["visitors"]);
    describeRandom(expectAnswer, "visitors");
  });
}

/**
 * Fills a store before the tests of the group, and returns a function that compares its answer with the expected one.
 */
function onClicks(open: OpenStore): ExpectAnswer {
  let tested: TestedStore;
  beforeAll(async () => {
    tested = await open();
    await tested.store.insert({ spoolId: "spool_a", from: 0, to: 1 }, clicks.slice(0, 2_500));
    await tested.store.insert({ spoolId: "spool_b", from: 0, to: 1 }, clicks.slice(2_500));
  });
  afterAll(() => tested.remove());
  return async (query) => {
    expect({ query, rows: await tested.store.query(query) }).toEqual({ query, rows: expectedClickRows(clicks, query) });
  };
}

type Queried = { metrics: readonly Metric[]; botChoices: readonly BotChoice[] };

function describeGroupings(
  expectAnswer: ExpectAnswer,
  queried: readonly Grouping[],
  { metrics, botChoices }: Queried,
): void {
  const title = `bots (${botChoices.join(", ")}) and ${metrics.join(" and ")}`;
  test(`every grouping is correct for ${title}, the largest group first`, async () => {
    for (const bots of botChoices) {
      for (const metric of metrics) {
        for (const grouping of queried) await expectAnswer({ ...everything, workspaceId: 1, bots, metric, grouping });
      }
    }
  });
}

function describeManyValues(expectAnswer: ExpectAnswer, metrics: readonly Metric[]): void {
  test("a filter may have a hundred thousand values, and a grouping as many labels", async () => {
    const others = Array.from({ length: 100_000 }, (_, index) => `link_${index}`);
    const labels = [...others, "link_a", "link_c"].map((value) => ({ value, label: `of ${value}` }));
    for (const metric of metrics) {
      for (const isExcluded of [false, true]) {
        const filters: Filter[] = [{ dimension: "linkId", values: [...others, "link_b"], isExcluded }];
        await expectAnswer({ ...everything, workspaceId: 1, metric, filters, grouping: topOf("linkId") });
      }
      const grouping: Grouping = { kind: "labels", dimension: "linkId", labels, rowsMax: 10 };
      await expectAnswer({ ...everything, workspaceId: 1, metric, grouping });
    }
  });
}

function describeRanges(expectAnswer: ExpectAnswer): void {
  test("a time range includes its first millisecond and excludes its last", async () => {
    const time = clicks[0]?.time ?? 0;
    for (const [from, to] of [
      [time, time + 1],
      [time + 1, time + 2],
      [time - 1, time],
      [time, time],
    ] as const) {
      for (const workspaceId of [1, 2]) await expectAnswer({ ...everything, workspaceId, from, to, grouping: count });
    }
  });
}

function describeFilters(expectAnswer: ExpectAnswer): void {
  test("a filter keeps or excludes its values, on every dimension", async () => {
    const random = seededRandom(7);
    for (const dimension of dimensions) {
      const one = dimensionOf(pick(random, clicks), dimension);
      const values = [one, dimensionOf(pick(random, clicks), dimension), "is nowhere"];
      for (const isExcluded of [false, true]) {
        const filters: Filter[] = [{ dimension, values, isExcluded }];
        await expectAnswer({ ...everything, workspaceId: 1, filters, grouping: count });
        await expectAnswer({ ...everything, workspaceId: 2, filters, grouping: topOf(dimension) });
      }
    }
  });

  test("a filter without values keeps no click, and an excluding one keeps all", async () => {
    for (const isExcluded of [false, true]) {
      const filters: Filter[] = [{ dimension: "country", values: [], isExcluded }];
      await expectAnswer({ ...everything, workspaceId: 1, filters, grouping: count });
    }
  });
}

function describeRandom(expectAnswer: ExpectAnswer, metric: Metric | undefined): void {
  test("random queries with several filters have the expected answers", async () => {
    const random = seededRandom(11);
    for (let round = 0; round < randomQueries; round++) {
      await expectAnswer({ ...randomQuery(random, clicks), ...(metric === undefined ? {} : { metric }) });
    }
  });
}

const count: Grouping = { kind: "count" };

function topOf(dimension: Dimension): Extract<Grouping, { kind: "dimension" }> {
  return { kind: "dimension", dimension, rowsMax: 1_000 };
}

const timeGroupings: readonly Grouping[] = [
  count,
  { kind: "intervals", intervalMs: 15 * 60_000 },
  { kind: "intervals", intervalMs: 3_600_000 },
  { kind: "buckets", starts: [day.from] },
  { kind: "buckets", starts: [5, 7, 11, 18].map((hour) => day.from + hour * 3_600_000) },
  { kind: "buckets", starts: Array.from({ length: 1_561 }, (_, index) => day.from + index * 60_000) },
  { kind: "weekHours", offsets: [{ from: 0, offsetMs: 20_700_000 }] },
  {
    kind: "weekHours",
    offsets: [-11, 5.5, 12.75, -3.5].map((hours, index) => ({
      ...{ from: day.from + index * 6 * 3_600_000, offsetMs: hours * 3_600_000 },
    })),
  },
];

function groupings(): Grouping[] {
  return [
    ...timeGroupings,
    ...dimensions.map(topOf),
    { kind: "dimension", dimension: "city", rowsMax: 3 },
    { kind: "dimension", dimension: "city", within: ["region", "country"], rowsMax: 1_000 },
    { kind: "dimension", dimension: "region", within: ["country"], rowsMax: 5 },
    { kind: "labels", dimension: "linkId", labels: [], rowsMax: 10 },
    {
      ...{ kind: "labels", dimension: "linkId", rowsMax: 10 },
      labels: [
        { value: "link_a", label: "one" },
        { value: "link_a", label: "two" },
        { value: "link_b", label: "two" },
      ],
    },
  ];
}

function randomQuery(random: () => number, from: readonly Click[]): ClickQuery {
  const filters = Array.from({ length: Math.floor(random() * 4) }, (): Filter => {
    const dimension = pick(random, dimensions);
    const values = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
      dimensionOf(pick(random, from), dimension),
    );
    return { dimension, values, isExcluded: random() < 0.5 };
  });
  return {
    workspaceId: pick(random, [1, 2]),
    from: pick(random, from).time,
    to: pick(random, from).time,
    bots: pick(random, ["exclude", "include", "only"]),
    filters,
    grouping: pick(random, groupings()),
  };
}
