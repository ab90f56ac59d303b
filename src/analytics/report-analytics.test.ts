import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openClickedWorld } from "../../tests/support/clicked-links.ts";
import { dimensionOf, expectedClickRows } from "../../tests/support/clicks.ts";
import { engines } from "../../tests/support/databases.ts";
import type { DomainWorld } from "../../tests/support/domains.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import type { Actor } from "../access/actor.ts";
import { dayMs } from "../base/time.ts";
import type { Click } from "../clicks/click.ts";
import type { Dimension, Metric } from "../clicks/query.ts";
import type { ClickStore } from "../clicks/store.ts";
import type { DomainRow } from "../domains/domains.ts";
import type { Link } from "../links/link.ts";
import { type AnalyticsGrouping, analyticsGroupings, type GroupingPlan, groupings } from "./groupings.ts";
import { type AnalyticsInput, type AnalyticsReport, type AnalyticsRow, reportAnalytics } from "./report-analytics.ts";
import { reportClicks } from "./report-clicks.ts";

for (const engine of engines) {
  describe(engine, () => {
    let world: DomainWorld;
    let store: ClickStore;
    let owner: Actor;
    let stranger: Actor;
    let domain: DomainRow;
    let links: Link[];
    let deleted: Link;
    let folder: { id: string };
    let tag: { id: string };
    let clicks: Click[];
    let close: () => Promise<void>;

    const deps = () => ({ db: world.db, now: world.now, pipeline: store });
    const report = (input: Partial<AnalyticsInput> = {}, actor = owner) =>
      reportAnalytics(deps(), actor, { interval: "30d", event: "clicks", groupBy: "count", ...input });
    const count = async (input: Partial<AnalyticsInput>, actor = owner) => countOf(await report(input, actor));
    const rows = async (input: Partial<AnalyticsInput>) => rowsOf(await report(input));
    const ofLinks = (...ids: (string | undefined)[]) => clicks.filter(({ linkId }) => ids.includes(linkId)).length;

    beforeAll(async () => {
      ({ world, store, owner, stranger, domain, links, deleted, folder, tag, clicks, close } =
        await openClickedWorld(engine));
    });
    afterAll(() => close());

    describe("rows", () => {
      const byValue = analyticsGroupings.filter((groupBy) => plan(groupBy).kind === "values");

      test.each(byValue)("of %s are the known values with their clicks, the largest first", async (groupBy) => {
        for (const metric of ["clicks", "visitors"] satisfies Metric[]) {
          const answered = await rows({ groupBy, metric });

          expect(answered.map(flat)).toEqual(expectedRows(groupBy, metric));
        }
      });

      function expectedRows(groupBy: AnalyticsGrouping, metric: Metric) {
        const how = plan(groupBy);
        if (how.kind !== "values") return [];
        const by: Dimension = how.dimension;
        const known = clicks.filter((click) => how.emptyLabel !== undefined || dimensionOf(click, by) !== "");
        return expectedClickRows(known, {
          ...{ workspaceId: owner.workspaceId, from: 0, to: world.now(), bots: "include", filters: [], metric },
          grouping: { kind: "dimension", dimension: by, within: how.within, rowsMax: 5_000 },
        }).map(({ value, within = [], ...numbers }) => ({
          ...how.row(
            value === "" ? (how.emptyLabel ?? "") : String(value),
            within.map((wider) => wider || "Unknown"),
          ),
          ...numbers,
        }));
      }

      test("of top_links show the current links, and deleted links as of their last click", async () => {
        const answered = await rows({ groupBy: "top_links" });

        const shown = answered.map(({ subject, numbers }) =>
          subject.kind === "deletedLink"
            ? [subject.link.linkId, numbers]
            : [subject.kind === "link" && subject.link.id, numbers],
        );
        const expected = [...links, deleted].map(({ id }): [string, { clicks: number }] => [
          id,
          { clicks: ofLinks(id) },
        ]);
        expect(shown).toEqual<unknown[]>(expected.sort(([, one], [, other]) => other.clicks - one.clicks));
        const { time, domainId, key, url } = clicks
          .filter(({ linkId }) => linkId === deleted.id)
          .reduce((one, other) => (other.time > one.time ? other : one));
        const slug = domainId === domain.id ? "go.example.com" : "old.example.com";
        expect(answered.map(({ subject }) => subject)).toContainEqual({
          kind: "deletedLink",
          link: { linkId: deleted.id, time, domainId, domain: slug, key, url },
        });
        const [known] = answered.filter(({ subject }) => subject.kind === "link");
        expect(known?.subject).toMatchObject({ link: { domain: "go.example.com", url: "https://example.com/" } });
      });

      test("of top_domains show the current names, and the former names of deleted domains", async () => {
        const here = clicks.filter(({ domainId }) => domainId === domain.id).length;

        expect((await rows({ groupBy: "top_domains" })).map(flat)).toEqual([
          { domain: "go.example.com", clicks: here },
          { domain: "old.example.com", clicks: clicks.length - here },
        ]);
      });

      test("of top_folders and top_link_tags are those of the links now, and count each visitor once", async () => {
        const inFolder = clicks.filter(({ linkId }) => linkId === links[0]?.id || linkId === links[1]?.id);
        const visitors = new Set(inFolder.map(({ visitor }) => visitor).filter((visitor) => visitor !== "")).size;

        expect(await rows({ groupBy: "top_folders", metric: "visitors" })).toEqual([
          {
            subject: { kind: "folder", folder: { id: folder.id, name: "Spring" } },
            numbers: { clicks: inFolder.length, visitors },
            previous: undefined,
          },
        ]);
        expect(await rows({ groupBy: "top_link_tags" })).toEqual([
          {
            subject: { kind: "tag", tag: { id: tag.id, name: "Mail", color: "red" } },
            numbers: { clicks: ofLinks(links[1]?.id, links[2]?.id) },
            previous: undefined,
          },
        ]);
      });

      test("of partners, leads and sales do not exist", async () => {
        for (const groupBy of ["top_partners", "top_groups", "top_partner_tags"] as const) {
          expect(await rows({ groupBy })).toEqual([]);
        }
        for (const event of ["leads", "sales"] as const) {
          expect(await rows({ event, groupBy: "countries" })).toEqual([]);
          expect(await count({ event })).toBe(0);
          expect(await count({ event, groupBy: "timeseries" })).toBe(0);
        }
        expect(await count({ event: "composite" })).toBe(clicks.length);
      });
    });

    describe("sums", () => {
      test("count and timeseries of any interval and zone equal those of the specified report", async () => {
        for (const interval of ["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"] as const) {
          for (const timezone of ["UTC", "America/Sao_Paulo", "Asia/Kathmandu"]) {
            const input = { interval, timezone, bots: "include" };
            const { clicks: specified } = await reportClicks(deps(), owner, { ...input, interval, groupBy: "os" });

            const sums = [await count(input), await count({ ...input, groupBy: "timeseries" })];

            expect({ ...input, sums }).toEqual({ ...input, sums: [specified, specified] });
          }
        }
      });

      test("each bucket has its own number of visitors and of clicks", async () => {
        const plain = await report({ groupBy: "timeseries", interval: "7d", timezone: "Asia/Kathmandu" });
        const answered = await report({
          ...{ groupBy: "timeseries", interval: "7d", timezone: "Asia/Kathmandu", metric: "visitors" },
        });

        if (answered.kind !== "timeseries" || plain.kind !== "timeseries") throw new Error("No timeseries.");
        const starts = answered.buckets.map(({ bucket }) => Date.parse(bucket.start));
        const expected = answered.buckets.map(({ bucket }, index) => {
          const inBucket = clicks.filter(
            ({ time }) => time >= (starts[index] ?? 0) && time < (starts[index + 1] ?? Number.POSITIVE_INFINITY),
          );
          const visitors = new Set(inBucket.map(({ visitor }) => visitor).filter((visitor) => visitor !== "")).size;
          return { start: bucket.start, clicks: inBucket.length, visitors };
        });
        expect(answered.buckets.map(({ bucket }) => bucket)).toEqual(expected);
        expect(plain.buckets.map(({ bucket }) => bucket.clicks)).toEqual(expected.map((bucket) => bucket.clicks));
      });
    });

    describe("compare=previous", () => {
      const input = { interval: "7d", compare: "previous" } as const;

      test("compares seven days and today so far with the same part of the eight days before", async () => {
        const today = Date.UTC(2026, 10, 20);
        const between = (from: number, to: number) => clicks.filter(({ time }) => time >= from && time < to);
        const now = between(today - 7 * dayMs, today + dayMs);
        const sameMoment = world.now() - 8 * dayMs;
        const before = between(today - 15 * dayMs, sameMoment);

        const counted = await report(input);
        const series = await report({ ...input, groupBy: "timeseries" });
        const devices = await rows({ ...input, groupBy: "devices" });

        expect(counted).toMatchObject({ numbers: { clicks: now.length }, previous: { clicks: before.length } });
        if (series.kind !== "timeseries") throw new Error("No timeseries.");
        expect(series.buckets.map(({ previous }) => previous)).toEqual(
          Array.from({ length: 8 }, (_, index) => {
            const from = today - (15 - index) * dayMs;
            return {
              start: new Date(from).toISOString(),
              clicks: between(from, Math.min(from + dayMs, sameMoment)).length,
            };
          }),
        );
        for (const { subject, numbers, previous } of devices) {
          const device = subject.kind === "values" ? subject.fields["device"] : undefined;
          const of = (all: Click[]) => ({ clicks: all.filter((click) => click.device === device).length });
          expect([numbers, previous]).toEqual([of(now), of(before)]);
        }
      });

      test("has no previous period where the period begins with the workspace", async () => {
        for (const period of [{ interval: "all" }, { end: "2026-11-20" }] as const) {
          const series = await report({ ...input, ...period, groupBy: "timeseries" });
          const compared = await rows({ ...input, ...period, groupBy: "devices" });
          const clicksReport = await reportClicks(deps(), owner, { ...input, ...period, groupBy: "count" });

          expect(await report({ ...input, ...period })).toMatchObject({ kind: "count", previous: undefined });
          if (series.kind !== "timeseries") throw new Error("No timeseries.");
          expect(series.buckets.every(({ previous }) => previous === undefined)).toBe(true);
          expect(compared.every(({ previous }) => previous === undefined)).toBe(true);
          expect(clicksReport).not.toContainKey("previous");
        }
      });

      test("works for groupings by folders and tags, and for rows without earlier clicks", async () => {
        for (const groupBy of ["top_links", "top_domains", "top_folders", "top_link_tags", "cities"] as const) {
          const compared = await rows({ ...input, groupBy });

          expect(compared.every(({ previous }) => previous !== undefined)).toBe(true);
          expect((await rows({ interval: "7d", groupBy })).map(flat)).toEqual(compared.map(flat));
        }
        const first = await rows({ ...input, interval: "90d", groupBy: "top_folders" });
        expect(first.map(({ previous }) => previous)).toEqual([{ clicks: 0 }]);
      });
    });

    describe("scope", () => {
      test("includes or excludes links, domains, folders, tags and tenants, one or several", async () => {
        const [one = "", two = "", three = "", four = ""] = links.map(({ id }) => id);
        const cases: [Partial<AnalyticsInput>, number][] = [
          [{ linkId: one }, ofLinks(one)],
          [{ linkId: `${one},${two}` }, ofLinks(one, two)],
          [{ linkId: `-${one}, ext_link1` }, clicks.length - ofLinks(one, two)],
          [{ linkId: deleted.id }, ofLinks(deleted.id)],
          [{ linkId: `-${deleted.id},${one}` }, clicks.length - ofLinks(deleted.id, one)],
          [{ externalId: "ext_link2" }, ofLinks(three)],
          [{ domain: "go.example.com", key: "link3" }, ofLinks(four)],
          [{ domain: "GO.example.com" }, clicks.filter(({ domainId }) => domainId === domain.id).length],
          [{ domain: "-go.example.com" }, clicks.filter(({ domainId }) => domainId !== domain.id).length],
          [{ folderId: folder.id }, ofLinks(one, two)],
          [{ folderId: `-${folder.id}` }, clicks.length - ofLinks(one, two)],
          [{ tagId: tag.id }, ofLinks(two, three)],
          [{ tagIds: tag.id, folderIds: folder.id }, ofLinks(two)],
          [{ linkIds: `${one},${two}` }, ofLinks(one, two)],
          [{ linkIds: `-${one}`, folderIds: folder.id }, ofLinks(two)],
          [{ domains: "GO.example.com" }, clicks.filter(({ domainId }) => domainId === domain.id).length],
          [{ domains: "go.example.com", key: "link3" }, ofLinks(four)],
          [{ tenantIds: "of link0,of link3" }, ofLinks(one, four)],
          [{ tenantId: "of link0,of link3" }, ofLinks(one, four)],
          [{ tenantId: "of nobody" }, 0],
          [{ tenantId: "-of link0" }, clicks.length - ofLinks(one)],
          [{ folderId: folder.id, linkId: `-${one}` }, ofLinks(two)],
          [{ customerId: "cus_1" }, 0],
          [{ groupId: "-grp_1" }, clicks.length],
        ];

        for (const [input, expected] of cases) {
          expect([input, await count(input)]).toEqual([input, expected]);
          expect([input, await count({ ...input, groupBy: "timeseries" })]).toEqual([input, expected]);
        }
      });

      test("that is unknown or foreign is not found, also in a list and in an exclusion", async () => {
        const [link] = links;
        const unknown: Partial<AnalyticsInput>[] = [
          { linkId: "link_none" },
          { linkId: `${link?.id},link_none` },
          { linkId: "-link_none" },
          { linkId: `ext_${deleted.externalId}` },
          { linkId: "ext_null" },
          { externalId: "ext_none" },
          { domain: "go.example.com,none.example.com" },
          { domain: "go.example.com", key: "none" },
          { folderId: "fold_none" },
          { folderId: "unsorted" },
          { tagId: `-tag_none` },
        ];
        const foreign: Partial<AnalyticsInput>[] = [
          { linkId: link?.id },
          { linkId: deleted.id },
          { domain: "go.example.com" },
          { folderId: folder.id },
          { tagId: tag.id },
        ];

        for (const input of unknown) {
          expect([input, (await problemOf(report(input)))?.code]).toEqual([input, "not_found"]);
        }
        for (const input of foreign) {
          expect([input, (await problemOf(report(input, stranger)))?.code]).toEqual([input, "not_found"]);
        }
        expect(await count({ tenantId: "of link0" }, stranger)).toBe(0);
        const foreignRows = rowsOf(await report({ groupBy: "top_links" }, stranger));
        expect(new Set(foreignRows.map(({ subject }) => subject.kind))).toEqual(new Set(["deletedLink"]));
        expect(await rowsOf(await report({ groupBy: "top_folders" }, stranger))).toEqual([]);
      });

      test("that is empty is refused", async () => {
        for (const input of [{ folderId: "" }, { tagId: "-" }, { tenantId: "," }, { linkId: "-, " }, { key: "a" }]) {
          expect([input, (await problemOf(report(input)))?.code]).toEqual([input, "unprocessable_entity"]);
        }
      });
    });
  });
}

function plan(groupBy: AnalyticsGrouping): GroupingPlan {
  return groupings[groupBy];
}

function rowsOf(report: AnalyticsReport): AnalyticsRow[] {
  return report.kind === "rows" ? report.rows : [];
}

/** The clicks of a count, or the sum of a timeseries. */
function countOf(report: AnalyticsReport): number {
  if (report.kind === "count") return report.numbers.clicks;
  if (report.kind === "timeseries") return report.buckets.reduce((sum, { bucket }) => sum + bucket.clicks, 0);
  return Number.NaN;
}

function flat({ subject, numbers }: AnalyticsRow): object {
  return { ...(subject.kind === "values" ? subject.fields : subject), ...numbers };
}
