import { z } from "@hono/zod-openapi";
import { botChoices, type FilterName, filterNames, filterValuesMax } from "../analytics/filters.ts";
import { intervalDefault, intervals } from "../analytics/interval.ts";
import { clickGroupings, groupsMax, otherLabel, reportClicks, reportTimeseries } from "../analytics/report-clicks.ts";
import { endpoint } from "./endpoint.ts";
import { queryFlag, timestamp } from "./fields.ts";

const tag = "Analytics";

/** Longer than any identifier, slug or key there is, so that what is longer need not be looked up. */
const nameCharactersMax = 300;
const filterCharactersMax = 8_000;
const dateCharactersMax = 64;

/** The intervals of a timeseries, by hour and by day. */
const timeseriesIntervals = ["24h", "7d", "30d", "90d"] as const;

const filterExamples: { [Name in FilterName]: string } = {
  country: "DE,AT",
  region: "US-CA",
  city: "Berlin",
  continent: "EU",
  device: "Mobile",
  browser: "Safari",
  os: "iOS",
  language: "en",
  trigger: "qr",
  referer: "(direct)",
  refererUrl: "https://news.example.com/today",
  url: "https://example.com/sale",
  utm_source: "mail",
  utm_medium: "email",
  utm_campaign: "-spring,summer",
  utm_term: "shoes",
  utm_content: "banner",
};

const scopeQuery = {
  linkId: name("The link's id, or `ext_` and its externalId. Absent: the whole workspace.").openapi({
    example: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  }),
  externalId: name("Names a link by `ext_` and its externalId.").openapi({ example: "ext_12345" }),
  domain: name("With key, names a link; alone, means all clicks on the domain.").openapi({ example: "go.example.com" }),
  key: name("The link's key on the domain.").openapi({ example: "spring" }),
};

const rangeQuery = {
  start: date("A date means the whole day; with it or end, interval does not matter.").openapi({
    example: "2026-11-01",
  }),
  end: date("A date means the whole day; a date-time is the first moment left out.").openapi({ example: "2026-11-20" }),
  timezone: z.string().optional().openapi({
    description: "An IANA name, in which hours, days and months begin. UTC when absent or unknown.",
    example: "Europe/Berlin",
  }),
};

const filterQuery = {
  bots: z.enum(botChoices, oneOf(botChoices)).default("exclude").openapi({ description: "Whether bots count." }),
  ...filters(),
  qr: queryFlag().optional().openapi({ deprecated: true, description: "true means trigger=qr." }),
  root: queryFlag().optional().openapi({ description: "Only root links, or only the others." }),
};

const clicksQuery = z.object({
  ...scopeQuery,
  interval: z.enum(intervals, oneOf(intervals)).default(intervalDefault),
  groupBy: z.enum(clickGroupings, oneOf(clickGroupings)).default("count"),
  ...rangeQuery,
  ...filterQuery,
});

const timeseriesQuery = z.object({
  ...scopeQuery,
  interval: z.enum(timeseriesIntervals, oneOf(timeseriesIntervals)).default(intervalDefault),
  ...rangeQuery,
  ...filterQuery,
});

const ClicksReport = z
  .object({
    groupBy: z.enum(clickGroupings),
    interval: z.enum([...intervals, "custom"]).openapi({ description: "`custom` where start or end were given." }),
    start: timestamp.openapi({ description: "Where the first bucket begins." }),
    end: timestamp.openapi({ description: "The end of the current hour or day; it is left out." }),
    clicks: z.int().openapi({ description: "The total." }),
    data: z
      .array(
        z.object({
          browser: z.string().optional(),
          os: z.string().optional(),
          referer: z.string().optional(),
          country: z.string().optional(),
          device: z.string().optional(),
          clicks: z.int(),
        }),
      )
      .openapi({
        description: `Most clicks first; empty for count. The rows add up to the total: \`Unknown\` has a row, and beyond ${groupsMax} groups the rest is one row \`${otherLabel}\`.`,
      }),
  })
  .openapi("ClicksReport");

const TimeseriesPoint = z
  .object({ start: timestamp.openapi({ description: "Where the bucket begins." }), clicks: z.int() })
  .openapi("TimeseriesPoint");

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
    answer: ClicksReport,
    answerExample: {
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
    async handle({ app, actor, query }) {
      return await reportClicks(app, actor, query);
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
    answer: z.array(TimeseriesPoint),
    answerExample: [
      { start: "2026-11-19T00:00:00.000Z", clicks: 12 },
      { start: "2026-11-20T00:00:00.000Z", clicks: 0 },
    ],
    problems: ["not_found", "unavailable"],
    async handle({ app, actor, query }) {
      return await reportTimeseries(app, actor, query);
    },
  }),
];

function name(description: string) {
  return z
    .string()
    .min(1, "must not be empty")
    .max(nameCharactersMax, `may have at most ${nameCharactersMax} characters`)
    .optional()
    .openapi({ description });
}

function date(description: string) {
  return z.string().max(dateCharactersMax, "must be a date such as 2026-11-20").optional().openapi({ description });
}

function filters(): Record<FilterName, ReturnType<typeof filter>> {
  const entries = filterNames.map((filterName) => [filterName, filter(filterExamples[filterName])]);
  // filterNames holds every name there is, so no entry is missing.
  return Object.fromEntries(entries) as Record<FilterName, ReturnType<typeof filter>>;
}

function filter(example: string) {
  return z
    .string()
    .max(filterCharactersMax, `may have at most ${filterCharactersMax} characters`)
    .optional()
    .openapi({
      description: `One value, or up to ${filterValuesMax} with commas; a leading hyphen leaves them out.`,
      example,
    });
}

function oneOf(values: readonly string[]): string {
  return `must be one of ${values.join(", ")}`;
}
