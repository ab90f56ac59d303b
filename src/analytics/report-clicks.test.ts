import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pick, randomClicks, seededRandom } from "../../tests/support/clicks.ts";
import { type DomainWorld, openDomainWorld } from "../../tests/support/domains.ts";
import type { Actor } from "../access/actor.ts";
import { Problem, type ProblemCode } from "../base/problem.ts";
import { dayMs, hourMs, isoTime } from "../base/time.ts";
import type { Click } from "../clicks/click.ts";
import type { ClickStore } from "../clicks/store.ts";
import { openDuckDbStore } from "../clicks/stores/duckdb/duckdb-store.ts";
import { createDomain } from "../domains/create-domain.ts";
import { createLink } from "../links/create-link.ts";
import { deleteLink } from "../links/delete-link.ts";
import type { Link, NewLink } from "../links/link.ts";
import type { SelectionInput } from "./click-selection.ts";
import { type Interval, intervals } from "./interval.ts";
import {
  type ClickGrouping,
  clickGroupings,
  groupsMax,
  otherLabel,
  reportClicks,
  reportTimeseries,
} from "./report-clicks.ts";

let world: DomainWorld;
let store: ClickStore;
let folder: string;
let sequence = 0;

beforeAll(async () => {
  world = await openDomainWorld("sqlite");
  folder = mkdtempSync(join(tmpdir(), "waypost-reports-"));
  store = await openDuckDbStore({ path: join(folder, "clicks.duckdb"), threads: 1 });
});
afterAll(async () => {
  await store.close();
  await world.close();
  rmSync(folder, { recursive: true });
});

const deps = () => ({ db: world.db, now: world.now, pipeline: store });
const report = (actor: Actor, input: Partial<SelectionInput> & { groupBy?: ClickGrouping } = {}) =>
  reportClicks(deps(), actor, { interval: "30d", groupBy: "count", ...input });
const timeseries = (actor: Actor, input: Partial<SelectionInput> = {}) =>
  reportTimeseries(deps(), actor, { interval: "30d", ...input });

describe("sums", () => {
  test.each(["UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu", "Pacific/Chatham", "Africa/Cairo"])(
    "timeseries, grouping and count of the same period agree in %s, and with a plain count",
    async (timezone) => {
      const owner = await world.newOwner();
      const clicks = await store400Days(owner, 3_000);
      const random = seededRandom(1);
      const custom = Array.from({ length: 6 }, () => randomBorders(random));
      for (const period of [...intervals.map((interval) => ({ interval })), ...custom]) {
        const bots = pick(random, ["exclude", "include", "only"]);
        const input = { ...period, timezone, bots };

        const { start, end, clicks: total } = await report(owner, input);
        const buckets = await timeseries(owner, input);
        const groups = await Promise.all(clickGroupings.map((groupBy) => report(owner, { ...input, groupBy })));

        const isIn = ({ time }: Click) => time >= Date.parse(start) && time < Date.parse(end);
        const isOfClass = ({ bot }: Click) => bots === "include" || (bot !== "") === (bots === "only");
        const expected = clicks.filter((click) => isIn(click) && isOfClass(click)).length;
        expect({ input, total }).toEqual({ input, total: expected });
        expect({ input, total: sum(buckets) }).toEqual({ input, total: expected });
        for (const { groupBy, clicks: groupTotal, data } of groups) {
          expect({ input, groupBy, groupTotal }).toEqual({ input, groupBy, groupTotal: expected });
          expect({ groupBy, total: sum(data) }).toEqual({ groupBy, total: groupBy === "count" ? 0 : expected });
        }
      }
    },
  );

  test("each bucket has the clicks from its start to the next start", async () => {
    const owner = await world.newOwner();
    const clicks = await store400Days(owner, 2_000);
    for (const timezone of ["UTC", "Asia/Kathmandu", "America/New_York"]) {
      const input = { interval: "90d", timezone, bots: "include" } as const;

      const buckets = await timeseries(owner, input);

      const { end } = await report(owner, input);
      const starts = [...buckets.map(({ start }) => Date.parse(start)), Date.parse(end)];
      const expected = buckets.map(({ start }, index) => ({
        start,
        clicks: clicks.filter(({ time }) => time >= Date.parse(start) && time < (starts[index + 1] ?? 0)).length,
      }));
      expect({ timezone, buckets }).toEqual({ timezone, buckets: expected });
    }
  });
});

describe("reportClicks", () => {
  test("count is the total of the default period, without rows", async () => {
    const owner = await world.newOwner();
    await storeClicks(owner, [{}, {}, { bot: "ai" }, { time: world.now() - 31 * dayMs }]);

    expect(await report(owner)).toEqual({
      groupBy: "count",
      interval: "30d",
      start: "2026-10-21T00:00:00.000Z",
      end: "2026-11-21T00:00:00.000Z",
      clicks: 2,
      data: [],
    });
  });

  test("groups are ordered by clicks, then by value, and include the unknown", async () => {
    const owner = await world.newOwner();
    await storeClicks(
      owner,
      ["US", "DE", "", "", "JP", "", "DE", "US"].map((country) => ({ country })),
    );

    expect(await report(owner, { groupBy: "country", interval: "24h" })).toEqual({
      groupBy: "country",
      interval: "24h",
      start: "2026-11-19T09:00:00.000Z",
      end: "2026-11-20T10:00:00.000Z",
      clicks: 8,
      data: [
        { country: "Unknown", clicks: 3 },
        { country: "DE", clicks: 2 },
        { country: "US", clicks: 2 },
        { country: "JP", clicks: 1 },
      ],
    });
  });

  test("a row has only the field of its dimension, and a click without a referrer is direct", async () => {
    const owner = await world.newOwner();
    await storeClicks(owner, [{ device: "Mobile", browser: "Safari", os: "iOS", referer: "" }]);

    const rows = await Promise.all(
      clickGroupings.slice(1).map(async (groupBy) => (await report(owner, { groupBy })).data),
    );

    expect(rows.flat()).toEqual([
      { browser: "Safari", clicks: 1 },
      { os: "iOS", clicks: 1 },
      { referer: "(direct)", clicks: 1 },
      { country: "Unknown", clicks: 1 },
      { device: "Mobile", clicks: 1 },
    ]);
  });

  test("groups beyond groupsMax form one row, and the rows add up even if a click arrives in between", async () => {
    const owner = await world.newOwner();
    const hosts = Array.from({ length: groupsMax + 20 }, (_, index) => `host${index}.example`);
    await storeClicks(
      owner,
      [...hosts, "host7.example", ""].map((referer) => ({ referer })),
    );
    const query: ClickStore["query"] = async (input) => {
      const rows = await store.query(input);
      if (input.grouping.kind === "dimension") await storeClicks(owner, [{ referer: "late.example" }]);
      return rows;
    };

    const { clicks, data } = await reportClicks({ ...deps(), pipeline: { ...store, query } }, owner, {
      interval: "30d",
      groupBy: "referer",
    });

    expect(data).toHaveLength(groupsMax + 1);
    expect(data.slice(0, 2)).toEqual([
      { referer: otherLabel, clicks: 22 },
      { referer: "host7.example", clicks: 2 },
    ]);
    expect({ clicks, sum: sum(data) }).toEqual({ clicks: groupsMax + 23, sum: groupsMax + 23 });
  });

  test("a custom start or end overrides the interval and is reported as custom", async () => {
    const owner = await world.newOwner();
    const at = (text: string) => ({ time: Date.parse(text) });
    await storeClicks(owner, [at("2025-01-31T23:59:59.999Z"), at("2025-02-01T00:00Z"), at("2025-02-02T23:59:59.999Z")]);

    const input = { interval: "24h", start: "2025-02-01", end: "2025-02-02" } as const;

    expect(await report(owner, input)).toMatchObject({
      interval: "custom",
      start: "2025-02-01T00:00:00.000Z",
      end: "2025-02-03T00:00:00.000Z",
      clicks: 2,
    });
  });

  test("all begins at the earlier of the workspace's creation and its first click", async () => {
    const owner = await world.newOwner();

    expect(await report(owner, { interval: "all" })).toMatchObject({ start: "2026-11-20T09:00:00.000Z", clicks: 0 });
    await storeClicks(owner, [{ time: world.now() - 100 * dayMs }]);
    expect(await report(owner, { interval: "all" })).toMatchObject({ start: "2026-08-12T00:00:00.000Z", clicks: 1 });
    expect(await report(owner, { end: "2026-11-01" })).toMatchObject({ start: "2026-08-12T09:30:00.000Z", clicks: 1 });
  });

  test("all filters together narrow the result", async () => {
    const owner = await world.newOwner();
    await storeClicks(owner, [
      { country: "DE", os: "iOS" },
      { country: "DE", os: "Windows" },
      { country: "US", os: "iOS", trigger: "qr" },
      { country: "", os: "iOS" },
    ]);

    const counts = await Promise.all(
      [
        { country: "de" },
        { country: "-de" },
        { country: "DE,US", os: "ios" },
        { country: "Unknown" },
        { qr: true },
      ].map(async (input) => (await report(owner, input)).clicks),
    );

    expect(counts).toEqual([2, 2, 2, 1, 1]);
  });
});

describe("scope", () => {
  let owner: Actor;
  let stranger: Actor;
  let link: Link;
  let slug: string;

  beforeAll(async () => {
    owner = await world.newOwner();
    stranger = await world.newOwner();
    const domain = await createDomain(world, owner, { slug: "go.münchen.example" });
    slug = domain.slug;
    const domainId = domain.id;
    link = await newLink(owner, { url: "https://example.com", domain: slug, key: "Spring", externalId: "one" });
    const other = await newLink(owner, { url: "https://example.com", domain: slug });
    await storeClicks(owner, [
      ...Array.from({ length: 3 }, () => ({ linkId: link.id, domainId, domain: "its.old.name", key: "Spring" })),
      { linkId: other.id, domainId, domain: slug, key: other.key },
      { linkId: "link_elsewhere", domainId: "dom_other", domain: slug, key: "spring" },
    ]);
    await storeClicks(stranger, [{ linkId: link.id, domainId, domain: slug, key: "Spring" }]);
  });

  test("a link is named by id, by ext_ and externalId, or by domain and key", async () => {
    const names = [
      { linkId: link.id },
      { linkId: "ext_one" },
      { externalId: "ext_one" },
      { domain: slug, key: "spring" },
      { domain: "GO.MÜNCHEN.EXAMPLE", key: "Spring" },
    ];

    for (const name of names) {
      expect({ name, clicks: (await report(owner, name)).clicks }).toEqual({ name, clicks: 3 });
      expect({ name, clicks: sum(await timeseries(owner, name)) }).toEqual({ name, clicks: 3 });
    }
  });

  test("a domain selects all its clicks, under former names too; without parameters all clicks are selected", async () => {
    expect((await report(owner, { domain: slug })).clicks).toBe(4);
    expect((await report(owner, { domain: "Go.München.Example" })).clicks).toBe(4);
    expect((await report(owner)).clicks).toBe(5);
    expect((await report(stranger)).clicks).toBe(1);
  });

  test("an unknown or foreign link or domain is not found", async () => {
    const foreign = [{ linkId: link.id }, { linkId: "ext_one" }, { domain: slug }, { domain: slug, key: "spring" }];
    const unknown = [
      { linkId: "link_none" },
      { linkId: "ext_" },
      { externalId: "ext_none" },
      { domain: "none.example" },
      { domain: "no domain" },
      { domain: slug, key: "none" },
    ];

    expect(await codes(foreign.map((name) => () => report(stranger, name)))).toEqual(foreign.map(() => "not_found"));
    expect(await codes(foreign.map((name) => () => timeseries(stranger, name)))).toEqual(
      foreign.map(() => "not_found"),
    );
    expect(await codes(unknown.map((name) => () => report(owner, name)))).toEqual(unknown.map(() => "not_found"));
  });

  test("an empty name is refused and never selects everything", async () => {
    const empty = [
      { linkId: "" },
      { externalId: "" },
      { domain: "" },
      { domain: slug, key: "" },
      { key: "spring" },
      { country: "" },
      { bots: "all" },
      { start: "soon" },
      { end: "2026-11-20T10:00Z", start: "2026-11-20T10:00Z" },
    ];

    expect(await codes(empty.map((input) => () => report(owner, input)))).toEqual(
      empty.map(() => "unprocessable_entity"),
    );
    expect(await codes([() => report(owner, { externalId: "one" })])).toEqual(["bad_request"]);
  });

  test("the clicks of a deleted link stay in the workspace's totals and can be selected by its id", async () => {
    const actor = await world.newOwner();
    const { slug: domain } = await createDomain(world, actor, { slug: `go${++sequence}.example.com` });
    const { id } = await newLink(actor, { url: "https://example.com", domain });
    await storeClicks(actor, [{ linkId: id }, { linkId: id }]);

    await deleteLink(deps(), actor, id);

    expect((await report(actor)).clicks).toBe(2);
    expect(sum(await timeseries(actor))).toBe(2);
    expect((await report(actor, { linkId: id })).clicks).toBe(2);
    expect(sum(await timeseries(actor, { linkId: id }))).toBe(2);
    const stranger = await world.newOwner();
    expect(await codes([() => report(stranger, { linkId: id })])).toEqual(["not_found"]);
  });
});

/** Stores human clicks of the actor's workspace at the current time, with the given columns. */
async function storeClicks(actor: Actor, clicks: Partial<Click>[]): Promise<void> {
  const random = seededRandom(++sequence);
  const now = { from: world.now(), to: world.now() + 1 };
  const unknown = { country: "", browser: "", os: "", device: "", referer: "", trigger: "link", bot: "" } as const;
  const fixed = { ...unknown, workspaceId: actor.workspaceId };
  const rows = clicks.flatMap((click) => randomClicks(random, 1, now, { ...fixed, ...click }));
  await store.insert({ spoolId: `spool_${sequence}`, from: 0, to: 1 }, rows);
}

/** Stores random clicks from 400 days ago to the end of tomorrow, half of them in the last two days. */
async function store400Days(actor: Actor, count: number): Promise<Click[]> {
  const random = seededRandom(++sequence);
  const fixed = { workspaceId: actor.workspaceId };
  const to = world.now() + dayMs;
  const clicks = [
    ...randomClicks(random, count / 2, { from: world.now() - 400 * dayMs, to }, fixed),
    ...randomClicks(random, count / 2, { from: world.now() - 2 * dayMs, to }, fixed),
  ];
  await store.insert({ spoolId: `spool_${sequence}`, from: 0, to: 1 }, clicks);
  return clicks;
}

function randomBorders(random: () => number): { interval: Interval; start: string; end: string } {
  const from = world.now() - Math.floor(random() * 400 * dayMs);
  const to = from + hourMs + Math.floor(random() * pick(random, [dayMs, 50 * dayMs, 400 * dayMs]));
  const length = pick(random, [10, 16]);
  return { interval: "30d", start: isoTime(from).slice(0, length), end: isoTime(to).slice(0, length) };
}

async function newLink(actor: Actor, input: NewLink): Promise<Link> {
  return await createLink(
    {
      ...deps(),
      config: {
        WAYPOST_APP_SCHEMES: [],
        WAYPOST_UNVERIFIED_REDIRECTS: true,
        WAYPOST_URL: new URL("https://links.example.com"),
      },
    },
    actor,
    input,
  );
}

async function codes(calls: (() => Promise<unknown>)[]): Promise<(ProblemCode | "answered")[]> {
  return await Promise.all(
    calls.map(async (call) => {
      try {
        await call();
        return "answered";
      } catch (error) {
        if (error instanceof Problem) return error.code;
        throw error;
      }
    }),
  );
}

function sum(rows: readonly { clicks: number }[]): number {
  return rows.reduce((total, { clicks }) => total + clicks, 0);
}
