import { z } from "@hono/zod-openapi";
import type { Counted } from "../analytics/click-selection.ts";
import { analyticsGroupings } from "../analytics/groupings.ts";
import { type Bucket, intervalDefault, intervals } from "../analytics/interval.ts";
import {
  type AnalyticsReport,
  analyticsEvents,
  type ReportedPeriod,
  reportAnalytics,
  type Subject,
} from "../analytics/report-analytics.ts";
import { clickGroupings, groupsMax, otherLabel, reportClicks, reportTimeseries } from "../analytics/report-clicks.ts";
import { timeOfId } from "../base/ids.ts";
import { isoTime } from "../base/time.ts";
import { botKinds } from "../clicks/click.ts";
import type { LastClick } from "../clicks/query.ts";
import { channels } from "../clicks/referrer-table.ts";
import { instanceSlug } from "../domains/domain.ts";
import { shortLinkOf } from "../links/short-link.ts";
import {
  clickQuery,
  dubQuery,
  groupingParameter,
  intervalDescription,
  oneOf,
  reportDeps,
  reportQuery,
  reportUses,
  rowLimit,
  unitQuery,
  usualUnits,
} from "./analytics-schemas.ts";
import { callsOfPage } from "./calls-of-page.ts";
import { timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { Reply } from "./http/reply.ts";

const endpoint = endpointUsing({ tag: "Analytics", uses: ["config", ...reportUses] });

/** The intervals of the specified timeseries. */
const timeseriesIntervals = ["24h", "7d", "30d", "90d"] as const;
/** The intervals of the specified count. */
const clicksIntervals = ["24h", "7d", "30d", "90d", "ytd", "all"] as const;

const clicksQuery = z.object({
  interval: z.enum(clicksIntervals, oneOf(clicksIntervals)).default(intervalDefault),
  groupBy: z.enum(clickGroupings, oneOf(clickGroupings)).default("count"),
  ...clickQuery,
  ...reportQuery,
});

const timeseriesQuery = z.object({
  interval: z.enum(timeseriesIntervals, oneOf(timeseriesIntervals)).default(intervalDefault),
  ...clickQuery,
  ...reportQuery,
});

const analyticsQuery = z.object({
  event: z
    .enum(analyticsEvents, oneOf(analyticsEvents))
    .default("clicks")
    .openapi({ description: "`composite` equals clicks; leads and sales are not supported yet." }),
  groupBy: groupingParameter(analyticsGroupings),
  limit: rowLimit,
  interval: z
    .enum(intervals, oneOf(intervals))
    .default(intervalDefault)
    .openapi({ description: `${intervalDescription} ${usualUnits}` }),
  unit: unitQuery,
  ...clickQuery,
  ...dubQuery,
  ...reportQuery,
});

const clicks = z.int().openapi({ example: 42 });
const visitors = z.int().optional().openapi({ description: "With `metric=visitors`.", example: 30 });
const beforeDescription =
  "With `compare`: the compared period, up to the same elapsed time. Absent if there is none, as for `all`.";

const ClicksReport = z
  .object({
    groupBy: z.enum(clickGroupings),
    interval: z.enum([...intervals, "custom"]).openapi({ description: "`custom` if start or end was given." }),
    start: timestamp.openapi({ description: "The start of the first bucket." }),
    end: timestamp.openapi({ description: "The end of the current hour or day, exclusive." }),
    clicks: clicks.openapi({ description: "The total." }),
    visitors,
    previous: z
      .object({ start: timestamp, end: timestamp, clicks, visitors })
      .optional()
      .openapi({ description: beforeDescription }),
    data: z
      .array(
        z.object({
          browser: z.string().optional(),
          os: z.string().optional(),
          referer: z.string().optional(),
          country: z.string().optional(),
          device: z.string().optional(),
          clicks: z.int(),
          visitors,
        }),
      )
      .openapi({
        description: `Most clicks first; empty for count. The rows add up to the total: \`Unknown\` has a row, and groups beyond ${groupsMax} share the row \`${otherLabel}\`.`,
      }),
  })
  .openapi("ClicksReport");

const TimeseriesPoint = z
  .object({
    start: timestamp.openapi({ description: "The start of the bucket." }),
    clicks: z.int(),
    visitors,
    previous: z
      .object({ start: timestamp, clicks: z.int(), visitors })
      .optional()
      .openapi({ description: beforeDescription }),
  })
  .openapi("TimeseriesPoint");

const zero = z.int().openapi({ description: "Always 0 for now.", example: 0 });
const numbers = { clicks, leads: zero, sales: zero, saleAmount: zero, visitors };

/** The response for a count. */
export const AnalyticsCount = z
  .object({
    start: timestamp.openapi({ description: "The start of the period." }),
    end: timestamp.openapi({ description: "The end of the period, exclusive." }),
    ...numbers,
    previous: z
      .object({ start: timestamp, end: timestamp, ...numbers })
      .optional()
      .openapi({ description: beforeDescription }),
  })
  .openapi("AnalyticsCount");

const text = z.string().optional();
const textOrNull = z.string().nullable().optional();

/** A row of any grouping. */
export const AnalyticsRow = z
  .object({
    start: timestamp.optional().openapi({ description: "For timeseries, the start of the bucket." }),
    continent: text,
    country: text,
    region: text.openapi({ description: "`*` for the whole country." }),
    city: text.openapi({ description: "`*` for the whole country or region." }),
    weekday: z.int().optional().openapi({ description: "For weekday_hours, from 1 (Monday) to 7 (Sunday)." }),
    hour: z.int().optional().openapi({ description: "For weekday_hours, from 0 to 23, in the requested time zone." }),
    device: text,
    browser: text,
    os: text,
    language: text,
    trigger: text,
    bot: text.openapi({ description: `For bots, the kind: ${botKinds.join(", ")}.` }),
    channel: text.openapi({ description: `For channels: ${channels.join(", ")}.` }),
    refererGroup: text.openapi({ description: "A service such as Google, or a host." }),
    referer: text,
    refererUrl: text,
    link: text.openapi({ description: "For top_links, the same as id." }),
    id: text,
    domain: text,
    key: text,
    shortLink: text,
    url: text,
    title: textOrNull,
    comments: textOrNull,
    folderId: textOrNull,
    partnerId: textOrNull,
    createdAt: timestamp.optional(),
    deleted: z
      .literal(true)
      .optional()
      .openapi({ description: "Only for deleted links: the row shows the link as of its last click." }),
    folder: z.object({ id: z.string(), name: z.string() }).optional(),
    tagId: text,
    tag: z.object({ id: z.string(), name: z.string(), color: z.string() }).optional(),
    utm_source: text,
    utm_medium: text,
    utm_campaign: text,
    utm_term: text,
    utm_content: text,
    ...numbers,
    previous: z
      .object({ start: timestamp.optional(), ...numbers })
      .optional()
      .openapi({ description: beforeDescription }),
  })
  .openapi("AnalyticsRow", { description: "The fields of the requested grouping, and the numbers." });

/** Rows of the grouping by country, as an example. */
export const analyticsRowsExample = [
  { country: "DE", region: "*", city: "*", clicks: 30, leads: 0, sales: 0, saleAmount: 0 },
  { country: "US", region: "*", city: "*", clicks: 10, leads: 0, sales: 0, saleAmount: 0 },
];

/** The operations on click metrics. */
export const analyticsEndpoints = [
  endpoint({
    method: "get",
    path: "/analytics/clicks",
    operationId: "reportClicks",
    summary: "Count clicks, in total or by group",
    description:
      "For a link, a domain or the whole workspace. Excludes bots by default. A click appears within 2 seconds.",
    scope: "analytics.read",
    querySchema: clicksQuery,
    mayTruncate: true,
    responseSchema: ClicksReport,
    responseExample: {
      groupBy: "country",
      interval: "30d",
      start: "2026-10-21T00:00:00.000Z",
      end: "2026-11-21T00:00:00.000Z",
      clicks: 42,
      data: [
        { country: "DE", clicks: 30 },
        { country: "US", clicks: 10 },
        { country: "Unknown", clicks: 2 },
      ],
    },
    async handle({ deps, actor, query }) {
      const report = await reportClicks(reportDeps(deps), actor, query);
      return truncatedReply(report, report.data.length > groupsMax);
    },
  }),
  endpoint({
    method: "get",
    path: "/analytics/timeseries",
    operationId: "reportTimeseries",
    summary: "Count clicks over time",
    description:
      "By hour for 24h, by day for the other intervals; every hour or day has a row, in ascending order. A custom period is counted by hour up to 2 days, by day up to 180 days, and by month beyond.",
    scope: "analytics.read",
    querySchema: timeseriesQuery,
    responseSchema: z.array(TimeseriesPoint),
    responseExample: [
      { start: "2026-11-19T00:00:00.000Z", clicks: 12 },
      { start: "2026-11-20T00:00:00.000Z", clicks: 0 },
    ],
    handle: ({ deps, actor, query }) => reportTimeseries(reportDeps(deps), actor, query),
  }),
  endpoint({
    method: "get",
    path: "/analytics",
    operationId: "retrieveAnalytics",
    summary: "Report clicks by any grouping",
    description: `Returns an object for count, and rows otherwise. Timeseries and weekday_hours have a row for every bucket, in order of time. Other groupings have at most \`limit\` rows, most clicks first; if more exist, the response has the header \`Waypost-Truncated: true\`. Clicks with an unknown value have no row, and neither have deleted folders and tags. Links count for their current folder and tags. Each 256 KiB of texts counts as one request.`,
    scope: "analytics.read",
    querySchema: analyticsQuery,
    mayTruncate: true,
    responseSchema: z.union([AnalyticsCount, z.array(AnalyticsRow)]),
    responseExample: analyticsRowsExample,
    async handle({ deps, actor, query, spend }) {
      const report = await reportAnalytics(reportDeps(deps), actor, query);
      if (report.kind === "rows") spend(callsOfPage(report.rows) - 1);
      return reportReply(report, (subject) => fieldsOf(subject, deps.config.WAYPOST_URL));
    },
  }),
];

/** Returns a report as the API shows it; `fields` returns the fields that identify the subject of a row. */
export function reportReply(report: AnalyticsReport, fields: (subject: Subject) => Record<string, unknown>): Reply {
  return truncatedReply(serializeReport(report, fields), report.kind === "rows" && report.isTruncated);
}

/** Returns a reply whose header says whether rows are missing. */
function truncatedReply(value: unknown, isTruncated: boolean): Reply {
  return new Reply({ kind: "json", value }, isTruncated ? { "Waypost-Truncated": "true" } : {});
}

function serializeReport(report: AnalyticsReport, fields: (subject: Subject) => Record<string, unknown>) {
  switch (report.kind) {
    case "count":
      return {
        ...{ ...report.period, ...all(report.numbers) },
        ...(report.previous === undefined ? {} : { previous: comparedCount(report.previous) }),
      };
    case "timeseries":
      return report.buckets.map(({ bucket, previous }) => ({
        ...point(bucket),
        ...(previous === undefined ? {} : { previous: point(previous) }),
      }));
    case "rows":
      return report.rows.map(({ subject, numbers: own, previous }) => ({
        ...fields(subject),
        ...all(own),
        ...before(previous),
      }));
  }
}

function all({ clicks: count, visitors: people }: Counted) {
  return {
    ...{ clicks: count, leads: 0, sales: 0, saleAmount: 0 },
    ...(people === undefined ? {} : { visitors: people }),
  };
}

function comparedCount({ start, end, ...numbers }: ReportedPeriod & Counted) {
  return { start, end, ...all(numbers) };
}

function before(previous: Counted | undefined) {
  return previous === undefined ? {} : { previous: all(previous) };
}

function point({ start, ...counts }: Bucket) {
  return { start, ...all(counts) };
}

/** Returns the fields that identify the subject of a row: those of its grouping only. */
export function fieldsOf(subject: Subject, appUrl: URL): Record<string, unknown> {
  if (subject.kind === "link") {
    const { isOnInstanceDomain: _, createdAt, ...link } = subject.link;
    const shortLink = shortLinkOf(subject.link, appUrl);
    return { link: link.id, ...link, shortLink, createdAt: isoTime(createdAt) };
  }
  if (subject.kind === "deletedLink") return deletedLinkFields(subject.link, appUrl);
  if (subject.kind === "weekdayHour") return { weekday: subject.weekday, hour: subject.hour };
  if (subject.kind === "folder") return { folderId: subject.folder.id, folder: subject.folder };
  if (subject.kind === "tag") return { tagId: subject.tag.id, tag: subject.tag };
  return subject.fields;
}

/** Returns the fields of a deleted link, from its last click and from its id, which contains the time of creation. */
function deletedLinkFields({ linkId: id, time, domain, key, url }: LastClick, appUrl: URL): Record<string, unknown> {
  const shortLink = shortLinkOf({ domain, key, isOnInstanceDomain: domain === instanceSlug(appUrl) }, appUrl);
  const nothing = { title: null, comments: null, folderId: null, partnerId: null };
  return {
    ...{ link: id, id, domain, key, shortLink, url },
    ...nothing,
    createdAt: isoTime(timeOfId(id) ?? time),
    deleted: true,
  };
}
