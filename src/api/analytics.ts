import { z } from "@hono/zod-openapi";
import type { Counted } from "../analytics/click-selection.ts";
import { analyticsGroupings } from "../analytics/groupings.ts";
import { type Bucket, intervalDefault, intervals } from "../analytics/interval.ts";
import { type AnalyticsReport, analyticsEvents, reportAnalytics, type Subject } from "../analytics/report-analytics.ts";
import { clickGroupings, groupsMax, otherLabel, reportClicks, reportTimeseries } from "../analytics/report-clicks.ts";
import { timeOfId } from "../base/ids.ts";
import { isoTime } from "../base/time.ts";
import { botKinds } from "../clicks/click.ts";
import type { LastClick } from "../clicks/query.ts";
import { instanceSlug } from "../domains/domain.ts";
import { shortLinkOf } from "../links/short-link.ts";
import {
  clickQuery,
  dubQuery,
  groupingParameter,
  oneOf,
  reportDeps,
  reportQuery,
  rowLimit,
} from "./analytics-schemas.ts";
import { timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { Reply } from "./http/reply.ts";

const endpoint = endpointUsing("config", "database", "now", "pipeline");

const tag = "Analytics";

/** The intervals of a timeseries, by hour and by day. */
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
    .openapi({ description: "`composite` is the same as clicks; there are no leads and sales so far." }),
  groupBy: groupingParameter(analyticsGroupings),
  limit: rowLimit,
  interval: z
    .enum(intervals, oneOf(intervals))
    .default(intervalDefault)
    .openapi({ description: "Hours for 24h, days for 7d, 30d, 90d, mtd and qtd, months for 1y and ytd." }),
  ...clickQuery,
  ...dubQuery,
  ...reportQuery,
});

const clicks = z.int().openapi({ example: 42 });
const visitors = z.int().optional().openapi({ description: "With `metric=visitors`.", example: 30 });
const beforeDescription =
  "With `compare=previous`: the previous period until the same elapsed moment. Absent where there is none, as for `all`.";

const ClicksReport = z
  .object({
    groupBy: z.enum(clickGroupings),
    interval: z.enum([...intervals, "custom"]).openapi({ description: "`custom` where start or end were given." }),
    start: timestamp.openapi({ description: "Where the first bucket begins." }),
    end: timestamp.openapi({ description: "The end of the current hour or day; it is left out." }),
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
        description: `Most clicks first; empty for count. The rows add up to the total: \`Unknown\` has a row, and beyond ${groupsMax} groups the rest is one row \`${otherLabel}\`.`,
      }),
  })
  .openapi("ClicksReport");

const TimeseriesPoint = z
  .object({
    start: timestamp.openapi({ description: "Where the bucket begins." }),
    clicks: z.int(),
    visitors,
    previous: z
      .object({ start: timestamp, clicks: z.int(), visitors })
      .optional()
      .openapi({ description: beforeDescription }),
  })
  .openapi("TimeseriesPoint");

const zero = z.int().openapi({ description: "0 so far.", example: 0 });
const numbers = { clicks, leads: zero, sales: zero, saleAmount: zero, visitors };

/** The answer of a count. */
export const AnalyticsCount = z
  .object({ ...numbers, previous: z.object(numbers).optional().openapi({ description: beforeDescription }) })
  .openapi("AnalyticsCount");

const text = z.string().optional();
const textOrNull = z.string().nullable().optional();

/** A row of any grouping. */
export const AnalyticsRow = z
  .object({
    start: timestamp.optional().openapi({ description: "Of timeseries, where the bucket begins." }),
    continent: text,
    country: text,
    region: text.openapi({ description: "`*` for all of the country." }),
    city: text.openapi({ description: "`*` for all of the country or region." }),
    weekday: z.int().optional().openapi({ description: "Of weekday_hours, from 1 for Monday to 7 for Sunday." }),
    hour: z.int().optional().openapi({ description: "Of weekday_hours, from 0 to 23, in the time zone asked for." }),
    device: text,
    browser: text,
    os: text,
    language: text,
    trigger: text,
    bot: text.openapi({ description: `Of bots, which kind: ${botKinds.join(", ")}.` }),
    referer: text,
    refererUrl: text,
    link: text.openapi({ description: "Of top_links, the same as id." }),
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
      .openapi({ description: "Of a link that is gone: the row says how it was clicked last." }),
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
  .openapi("AnalyticsRow", { description: "The fields of the grouping asked for, and the numbers." });

/** The operations on click metrics. */
export const analyticsEndpoints = [
  endpoint({
    method: "get",
    path: "/analytics/clicks",
    operationId: "reportClicks",
    summary: "Count clicks, in all or by group",
    description:
      "Of a link, a domain or the whole workspace. Bots are left out unless asked for. A click shows within 2 seconds.",
    tag,
    scope: "analytics.read",
    querySchema: clicksQuery,
    status: 200,
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
    problems: ["not_found", "unavailable"],
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
      "By hour for 24h, by day for the others; every hour or day is there, ascending. A custom stretch is counted by hour up to 2 days, by day up to 180, by month beyond.",
    tag,
    scope: "analytics.read",
    querySchema: timeseriesQuery,
    status: 200,
    responseSchema: z.array(TimeseriesPoint),
    responseExample: [
      { start: "2026-11-19T00:00:00.000Z", clicks: 12 },
      { start: "2026-11-20T00:00:00.000Z", clicks: 0 },
    ],
    problems: ["not_found", "unavailable"],
    async handle({ deps, actor, query }) {
      return await reportTimeseries(reportDeps(deps), actor, query);
    },
  }),
  endpoint({
    method: "get",
    path: "/analytics",
    operationId: "retrieveAnalytics",
    summary: "Report clicks by any grouping",
    description: `An object for count, otherwise rows: in order of time for timeseries and weekday_hours, which have every hour, the most first for the others, at most \`limit\`; where there are more, the header \`Waypost-Truncated: true\` says so. Clicks whose value is unknown have no row, nor have those of folders and tags that are gone; folders and tags are those of now.`,
    tag,
    scope: "analytics.read",
    querySchema: analyticsQuery,
    status: 200,
    mayTruncate: true,
    responseSchema: z.union([AnalyticsCount, z.array(AnalyticsRow)]),
    responseExample: [
      { country: "DE", region: "*", city: "*", clicks: 30, leads: 0, sales: 0, saleAmount: 0 },
      { country: "US", region: "*", city: "*", clicks: 10, leads: 0, sales: 0, saleAmount: 0 },
    ],
    problems: ["not_found", "unavailable"],
    async handle({ deps, actor, query }) {
      const report = await reportAnalytics(reportDeps(deps), actor, query);
      return reportReply(report, (subject) => fieldsOf(subject, deps.config.WAYPOST_URL));
    },
  }),
];

/** A report as the API answers it; `fields` says what is told of what a row is about. */
export function reportReply(report: AnalyticsReport, fields: (subject: Subject) => Record<string, unknown>): Reply {
  return truncatedReply(serialiseReport(report, fields), report.kind === "rows" && report.isTruncated);
}

/** An answer whose header says whether rows are missing. */
function truncatedReply(value: unknown, isTruncated: boolean): Reply {
  return new Reply({ kind: "json", value }, isTruncated ? { "Waypost-Truncated": "true" } : {});
}

function serialiseReport(report: AnalyticsReport, fields: (subject: Subject) => Record<string, unknown>) {
  switch (report.kind) {
    case "count":
      return { ...all(report.numbers), ...before(report.previous) };
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

function before(previous: Counted | undefined) {
  return previous === undefined ? {} : { previous: all(previous) };
}

function point({ start, ...counts }: Bucket) {
  return { start, ...all(counts) };
}

/** The fields by which a row names what it is about: those of its own grouping alone. */
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

/** The fields of a link that is gone: nothing is kept of it but its clicks, and its id, which says when it was made. */
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
