import { describe, expect, test } from "bun:test";
import { hourMs } from "../../../src/base/time.ts";
import type { Click } from "../../../src/clicks/click.ts";
import type { BotChoice, ClickQuery, Filter, Grouping } from "../../../src/clicks/query.ts";
import { expectedClickRows, pick, randomClicks, seededRandom } from "../clicks.ts";
import { days, everything, neverAborted, type OpenStore, type TestedStore } from "./tested-store.ts";

/** Tests expire the clicks before this instant. */
const before = Date.UTC(2026, 10, 20);
const inWorkspace1 = { ...everything, workspaceId: 1 } as const;
const links: Filter[] = [{ dimension: "linkId", values: ["link_a", "link_c"], isExcluded: false }];

/** Groupings that the rollup can answer without single clicks. */
const rollupGroupings: Grouping[] = [
  { kind: "count" },
  { kind: "intervals", intervalMs: 900_000 },
  { kind: "intervals", intervalMs: hourMs },
  { kind: "buckets", starts: [days.from, days.from + 30 * hourMs, before + 2 * hourMs] },
  { kind: "dimension", dimension: "linkId", rowsMax: 10 },
  { kind: "dimension", dimension: "domainId", within: ["domain"], rowsMax: 10 },
  { kind: "labels", dimension: "linkId", labels: [{ value: "link_b", label: "b" }], rowsMax: 10 },
  { kind: "weekHours", offsets: [{ from: 0, offsetMs: 20_700_000 }] },
];

/** The contract of expire, of erase before an instant, and of maintain. */
export function describeExpire(open: OpenStore): void {
  describeExpiry(open);
  describeReportsDuringExpiry(open);
  describeErasureBeforeInstant(open);
  describeMaintenance(open);
}

function describeExpiry(open: OpenStore): void {
  describe("expire", () => {
    test("removes only a workspace's old clicks, and keeps their counts by link and time", async () => {
      const tested = await open();
      const { clicks, store } = await filled(tested);
      const remaining = clicks.filter(({ workspaceId, time }) => workspaceId !== 1 || time >= before);

      await store.expire({ workspaceId: 1, before });
      await store.expire({ workspaceId: 1, before });

      const queriesFor = (bots: BotChoice): ClickQuery[] =>
        rollupGroupings.flatMap((grouping) => [
          { ...inWorkspace1, bots, grouping },
          { ...inWorkspace1, bots, grouping, filters: links },
          { ...inWorkspace1, bots, grouping, from: days.from + hourMs, to: before + hourMs },
        ]);
      for (const bots of ["exclude", "include", "only"] satisfies BotChoice[]) {
        for (const query of queriesFor(bots)) {
          expect({ query, rows: await store.query(query) }).toEqual({ query, rows: expectedClickRows(clicks, query) });
        }
      }
      // Expired clicks have no country any more.
      const countries: ClickQuery = {
        ...inWorkspace1,
        grouping: { kind: "dimension", dimension: "country", rowsMax: 10 },
      };
      expect(await store.query(countries)).toEqual(expectedClickRows(remaining, countries));
      expect(await store.query({ ...countries, workspaceId: 2 })).toEqual(
        expectedClickRows(remaining, { ...countries, workspaceId: 2 }),
      );
      await tested.remove();
    });

    test("counts a late click once, and the next call expires it", async () => {
      const tested = await open();
      const { clicks, store } = await filled(tested);
      await store.expire({ workspaceId: 1, before });
      const late = randomClicks(seededRandom(9), 500, days, { workspaceId: 1 });
      await store.insert({ spoolId: "spool_b", from: 0, to: 1 }, late);
      const query: ClickQuery = {
        ...inWorkspace1,
        filters: links,
        grouping: { kind: "intervals", intervalMs: hourMs },
      };

      const once = await store.query(query);
      await store.expire({ workspaceId: 1, before });

      expect(once).toEqual(expectedClickRows([...clicks, ...late], query));
      expect(await store.query(query)).toEqual(once);
      await tested.remove();
    });

    test("erasing a link or a workspace erases its expired counts", async () => {
      const tested = await open();
      const { clicks, store } = await filled(tested);
      await store.expire({ workspaceId: 1, before });

      await store.erase({ workspaceId: 1, linkId: "link_a" });

      const remaining = clicks.filter(({ workspaceId, linkId }) => workspaceId !== 1 || linkId !== "link_a");
      for (const grouping of rollupGroupings) {
        const query: ClickQuery = { ...inWorkspace1, grouping };
        expect({ query, rows: await store.query(query) }).toEqual({ query, rows: expectedClickRows(remaining, query) });
      }
      await store.erase({ workspaceId: 1 });
      expect(await store.query({ ...inWorkspace1, grouping: { kind: "count" } })).toEqual([{ value: 0, clicks: 0 }]);
      await tested.remove();
    });
  });
}

function describeReportsDuringExpiry(open: OpenStore): void {
  describe("expire", () => {
    test("changes no count while it runs", async () => {
      const tested = await open();
      const { clicks, store } = await filled(tested);
      const counted: ClickQuery = { ...inWorkspace1, filters: links, grouping: { kind: "count" } };
      const answer = expectedClickRows(clicks, counted);

      const work = store.expire({ workspaceId: 1, before }).then(() => "done");
      const answers = [];
      // The loop queries often during the work, and once after it.
      for (let state = "running"; state !== "done"; ) {
        state = await Promise.race([work, Promise.resolve("running")]);
        answers.push(await store.query(counted));
      }

      expect(answers).toEqual(answers.map(() => answer));
      await tested.remove();
    });
  });
}

function describeErasureBeforeInstant(open: OpenStore): void {
  describe("erasing a link's clicks before an instant", () => {
    test("removes them and expired ones, and keeps later ones; a second call changes nothing", async () => {
      const tested = await open();
      const { clicks, store } = await filled(tested);
      const until = before + 7 * 60_000;
      const scope = { workspaceId: 1, linkId: "link_a", before: until };
      await store.expire({ workspaceId: 1, before });

      await store.erase(scope);
      await store.erase(scope);

      const remaining = clicks.filter(
        ({ workspaceId, linkId, time }) => workspaceId !== 1 || linkId !== "link_a" || time >= until,
      );
      expect(remaining.length).toBeLessThan(clicks.length);
      for (const grouping of rollupGroupings) {
        const query: ClickQuery = { ...inWorkspace1, grouping };
        expect({ query, rows: await store.query(query) }).toEqual({ query, rows: expectedClickRows(remaining, query) });
      }
      await store.erase({ ...scope, before: days.to });
      const none = clicks.filter(({ workspaceId, linkId }) => workspaceId !== 1 || linkId !== "link_a");
      const count: ClickQuery = { ...inWorkspace1, grouping: { kind: "count" } };
      expect(await store.query(count)).toEqual(expectedClickRows(none, count));
      await tested.remove();
    });

    test("leaves nothing to maintain when nothing was erased", async () => {
      const tested = await open();
      const { store } = await filled(tested);

      await store.erase({ workspaceId: 1, linkId: "link_never_clicked" });
      await store.erase({ workspaceId: 1, linkId: "link_a", before: days.from });

      expect(await store.maintain(neverAborted)).toBe(false);
      await tested.remove();
    });
  });
}

function describeMaintenance(open: OpenStore): void {
  describe("maintain", () => {
    test("changes nothing when it is aborted, and the next call does everything", async () => {
      const tested = await open();
      const { clicks, store } = await filled(tested);
      await store.erase({ workspaceId: 2 });
      const remaining = clicks.filter(({ workspaceId }) => workspaceId !== 2);

      const aborting = new AbortController();
      const aborted = store.maintain(aborting.signal);
      aborting.abort();

      expect(await aborted).toBe(false);
      const count: ClickQuery = { ...inWorkspace1, grouping: { kind: "count" } };
      expect(await store.query(count)).toEqual(expectedClickRows(remaining, count));
      expect(await store.maintain(neverAborted)).toBe(true);
      expect(await store.query(count)).toEqual(expectedClickRows(remaining, count));
      await tested.remove();
    });

    test("runs only after a removal, and changes no answer and no cursor", async () => {
      const tested = await open();
      const { clicks, store } = await filled(tested);
      expect(await store.maintain(neverAborted)).toBe(false);
      await store.erase({ workspaceId: 2 });
      await store.expire({ workspaceId: 1, before });
      const queries = rollupGroupings.map((grouping): ClickQuery => ({ ...inWorkspace1, grouping }));
      const during = Promise.all(queries.map((query) => store.query(query)));

      expect(await store.maintain(neverAborted)).toBe(true);

      expect(await store.maintain(neverAborted)).toBe(false);
      const answers = queries.map((query) => expectedClickRows(clicks, query));
      expect(await during).toEqual(answers);
      expect(await Promise.all(queries.map((query) => store.query(query)))).toEqual(answers);
      expect(await store.cursor("spool_a")).toBe(7);
      // The store works as before.
      const random = seededRandom(5);
      const more = randomClicks(random, 1_000, { from: before, to: days.to }, { workspaceId: pick(random, [1, 2]) });
      await store.insert({ spoolId: "spool_a", from: 7, to: 8 }, more);
      const count: ClickQuery = { ...inWorkspace1, grouping: { kind: "count" } };
      expect(await store.query(count)).toEqual(expectedClickRows([...clicks, ...more], count));
      await tested.remove();
    });
  });
}

async function filled({ store }: TestedStore): Promise<{ clicks: Click[]; store: TestedStore["store"] }> {
  const clicks = randomClicks(seededRandom(20261121), 3_000, days);
  await store.insert({ spoolId: "spool_a", from: 0, to: 7 }, clicks);
  return { clicks, store };
}
