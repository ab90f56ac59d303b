import { z } from "@hono/zod-openapi";
import { metrics, type ReportDeps } from "../analytics/click-selection.ts";
import { comparisons } from "../analytics/compared-period.ts";
import {
  botChoices,
  type FilterName,
  filterNames,
  filterValuesMax,
  type PluralName,
  pluralNames,
} from "../analytics/filters.ts";
import { type AnalyticsGrouping, groupingNamed, namesOf } from "../analytics/groupings.ts";
import { bucketsMax } from "../analytics/interval.ts";
import { analyticsRowsMax } from "../analytics/report-analytics.ts";
import { type PluralScopeName, pluralScopeNames } from "../analytics/scope.ts";
import { bucketUnits } from "../analytics/time-zone.ts";
import type { App } from "../app.ts";
import { botKinds } from "../clicks/click.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import { channels } from "../clicks/referrer-table.ts";
import { linkSetMax } from "../links/link-set.ts";
import { queryFlag, queryInteger } from "./field-schemas.ts";
import { ignored } from "./http/ignored-names.ts";

/** The query parameters that operations on clicks share. */

/** Fits a hundred identifiers, slugs or keys. */
const namesCharactersMax = 8_000;
const filterCharactersMax = 8_000;
const dateCharactersMax = 64;

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
  bot: "ai,search",
  channel: "search,ai",
  refererGroup: "Google",
  referer: "(direct)",
  refererUrl: "https://news.example.com/today",
  url: "https://example.com/sale?utm_source=mail",
  baseUrl: "https://example.com/sale",
  utm_source: "mail",
  utm_medium: "email",
  utm_campaign: "-spring,summer",
  utm_term: "shoes",
  utm_content: "banner",
};

const notes: { [Name in FilterName]?: string } = {
  bot: `Kinds of bots: ${botKinds.join(", ")}. Selects only clicks of these kinds and overrides bots.`,
  channel: `Channels of referrers: ${channels.join(", ")}.`,
  refererGroup: "Services that send visitors from several hosts, by name or by host, and other hosts.",
  url: "The destination of the click.",
  baseUrl: "The destination without query and fragment.",
};

const lists = `Up to ${filterValuesMax} separated by commas; a leading hyphen excludes them.`;

const scopeQuery = {
  linkId: names(`The link's id, or \`ext_\` and its externalId. ${lists} The whole workspace if absent.`).openapi({
    example: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  }),
  externalId: names("Selects a link by `ext_` and its externalId.").openapi({ example: "ext_12345" }),
  domain: names(`With key, selects a link; without key, all clicks of the domain. ${lists}`).openapi({
    example: "go.example.com",
  }),
  key: names("The link's key on the domain.").openapi({ example: "spring" }),
  folderId: names(`Links that are currently in the folder, at most ${linkSetMax}. ${lists}`).openapi({
    example: "fold_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  }),
  tagId: names(`Links that currently have the tag, at most ${linkSetMax}. ${lists}`).openapi({
    example: "tag_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  }),
  tenantId: names(`Links with this tenantId now, at most ${linkSetMax}. ${lists}`).openapi({ example: "customer-7" }),
  partnerId: names(`Links with this partnerId now, at most ${linkSetMax}. ${lists}`),
  programId: names("Links with this programId now.").openapi({ deprecated: true }),
  customerId: names("Customers are not supported: a value matches nothing."),
  groupId: names("Groups of partners are not supported: a value matches nothing."),
  partnerTagId: names("Tags of partners are not supported: a value matches nothing."),
  ...pluralScope(),
};

const rangeQuery = {
  start: date("A date means the whole day. If start or end is given, interval is ignored.").openapi({
    example: "2026-11-01",
  }),
  end: date("A date means the whole day; a date-time is exclusive.").openapi({ example: "2026-11-20" }),
  timezone: z.string().optional().openapi({
    description: "The IANA time zone of hours, days and months. UTC if absent.",
    example: "Europe/Berlin",
  }),
};

const filterQuery = {
  bots: z
    .enum(botChoices, oneOf(botChoices))
    .default("exclude")
    .openapi({ description: "Whether clicks of bots count." }),
  ...filters(),
  ...pluralFilters(),
  qr: queryFlag().optional().openapi({ deprecated: true, description: "true equals trigger=qr." }),
  root: queryFlag().optional().openapi({ description: "true selects only root links, false only other links." }),
};

/** Selects clicks: by link, time and attributes. */
export const clickQuery = { ...scopeQuery, ...rangeQuery, ...filterQuery };

/** Selects future clicks: by link and attributes. */
export const futureClickQuery = { ...scopeQuery, ...filterQuery };

/** Parameters of Dub's analytics and events without a counterpart here. */
export const dubQuery = { saleType: ignored(), query: ignored() };

/** How clicks are reported. */
export const reportQuery = {
  metric: z
    .enum(metrics, oneOf(metrics))
    .default("clicks")
    .openapi({ description: "`visitors` adds the number of distinct visitors and orders rows by it." }),
  compare: z.enum(comparisons, oneOf(comparisons)).optional().openapi({
    description:
      "Adds `previous`: the same numbers for the preceding period, for the same period of the year before, or for compareStart to compareEnd.",
  }),
  compareStart: date(
    "Only with compare=custom, which requires it: the start of the compared period, written like start.",
  ),
  compareEnd: date("Only with compare=custom, which requires it: the end of the compared period, written like end."),
};

/** The unit of the buckets of a timeseries. */
export const unitQuery = z
  .enum(bucketUnits, oneOf(bucketUnits))
  .optional()
  .openapi({
    description: `The buckets of a timeseries, at most ${bucketsMax}. It never changes the period, so the first and the last bucket may be cut. Weeks begin on Monday.`,
    example: "week",
  });

/** The description of the named periods. */
export const intervalDescription =
  "`today`, `wtd`, `mtd`, `qtd` and `ytd` are the current day, week, month, quarter and year so far; `last_week`, `last_month` and `last_quarter` are whole. Weeks begin on Monday.";

/** The usual buckets of the named periods. */
export const usualUnits = "Buckets are hours for 24h, today and yesterday, months for 1y and ytd, and days otherwise.";

/** A grouping, in the plural or the singular. */
export function groupingParameter(allowed: readonly AnalyticsGrouping[]) {
  return z
    .enum(namesOf(allowed), oneOf(allowed))
    .default("count")
    .transform(groupingNamed)
    .openapi({ description: "The singular is accepted too: `country` equals `countries`." });
}

/** The maximum number of rows in a report. */
export const rowLimit = queryInteger(1, analyticsRowsMax)
  .default(analyticsRowsMax)
  .openapi({ default: analyticsRowsMax, description: "The maximum number of rows. Rows of time are never cut." });

/** The resources that reportDeps needs. */
export const reportUses = ["database", "linkQueries", "now", "pipeline"] as const;

/** What reports use: the read connections, so that slow queries do not delay writes, and the click store. */
export function reportDeps({
  database,
  linkQueries,
  pipeline,
  now,
}: Pick<App, (typeof reportUses)[number]>): ReportDeps & { pipeline: Pipeline } {
  return { db: database.reads, linkQueries, pipeline, now };
}

/** Returns a message that lists the valid values. */
export function oneOf(values: readonly string[]): string {
  return `must be one of ${values.join(", ")}`;
}

function names(description: string) {
  return z
    .string()
    .min(1, "must not be empty")
    .max(namesCharactersMax, `must have at most ${namesCharactersMax} characters`)
    .optional()
    .openapi({ description });
}

function date(description: string) {
  return z.string().max(dateCharactersMax, "must be a date such as 2026-11-20").optional().openapi({ description });
}

function filters(): Record<FilterName, ReturnType<typeof filter>> {
  const entries = filterNames.map((filterName) => [filterName, filter(filterExamples[filterName], notes[filterName])]);
  // filterNames holds every name, so no entry is missing.
  return Object.fromEntries(entries) as Record<FilterName, ReturnType<typeof filter>>;
}

function pluralScope(): Record<PluralScopeName, ReturnType<typeof names>> {
  const entries = pluralScopeNames.map((plural) => [plural, names(`The same as ${plural.slice(0, -1)}.`)]);
  // pluralScopeNames holds every plural, so no entry is missing.
  return Object.fromEntries(entries) as Record<PluralScopeName, ReturnType<typeof names>>;
}

function pluralFilters(): Record<PluralName, ReturnType<typeof filter>> {
  const entries = Object.entries(pluralNames).map(([plural, name]) => {
    return [plural, filter(filterExamples[name], `The same as ${name}.`)];
  });
  // pluralNames holds every plural, so no entry is missing.
  return Object.fromEntries(entries) as Record<PluralName, ReturnType<typeof filter>>;
}

function filter(example: string, note?: string) {
  return z
    .string()
    .max(filterCharactersMax, `must have at most ${filterCharactersMax} characters`)
    .optional()
    .openapi({
      description: [note, `One value, or up to ${filterValuesMax} separated by commas; a leading hyphen excludes them.`]
        .filter((sentence) => sentence !== undefined)
        .join(" "),
      example,
    });
}
