/**
 * Counts of clicks that ClickHouse keeps beside the rows of `clicks`, as aggregate projections.
 *
 * 1. Each data part of the table contains the projections of its rows, so they are never older or newer than the rows:
 *    rows that are deleted, or dropped as a repeated insert, are not counted. A summing view has no such guarantee.
 * 2. Inserts write no projections, because that would take twice their time. ClickHouse adds them when it merges parts
 *    and drops those of the parts from which rows are deleted; materialize-projections.ts adds them again.
 * 3. ClickHouse counts the rows of a part that lacks a projection, so the answers do not depend on projections.
 * 4. ClickHouse 26.5 lacks the settings of rule 2. Servers without them get no projections.
 */
import { ClickHouseError } from "@clickhouse/client";
import { hourMs } from "../../../base/time.ts";
import type { ClickQuery, Dimension, Filter } from "../../query.ts";
import { alignsWith, dimensionsOf, isTextKeys, splitByBucket, type TimeRange } from "../plan-query.ts";
import type { Expiry } from "./expiries.ts";
import { localTable, type Topology } from "./schema.ts";
import type { Bind } from "./sql.ts";

/** The units in which projections count. Months are the partitions of the table. */
type Unit = "hour" | "month";

type Projection = { unit: Unit; dimensions: readonly Dimension[] };

/** SQL for the start of a click's unit, exactly as queries must write it. */
const startOf: Readonly<Record<Unit, string>> = { hour: "toStartOfHour(time)", month: "toStartOfMonth(time)" };

/**
 * TABLE of the projections. All also have the workspace, the unit and the bot. A projection combines dimensions that
 * depend on each other, since few combinations of these occur in a month.
 */
const projections = {
  hours: { unit: "hour", dimensions: [] },
  places: { unit: "month", dimensions: ["continent", "country", "region", "city"] },
  agents: { unit: "month", dimensions: ["device", "browser", "os", "trigger", "language"] },
  referrers: { unit: "month", dimensions: ["channel", "refererGroup", "referer", "refererUrl"] },
  links: { unit: "month", dimensions: ["linkId", "domainId", "domain"] },
  urls: {
    unit: "month",
    dimensions: ["url", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"],
  },
} as const satisfies Record<string, Projection>;
type ProjectionName = keyof typeof projections;
/** The names of all projections, in the order of the table. */
export const projectionNames = Object.keys(projections) as ProjectionName[];

/** A table setting that a server has only if it can build projections outside inserts. */
export const neededSetting = "materialize_projections_on_insert";

/** SQL that adds the projections to existing tables. Pure; each statement can be repeated. */
export function addProjections(topology: Topology): string[] {
  const table = localTable("clicks", topology);
  const settings = [
    `${neededSetting} = 0`,
    "materialize_projections_on_merge = 1",
    "lightweight_mutation_projection_mode = 'drop'",
  ];
  const added = projectionNames.map((name) => {
    const keys = keysOf(projections[name]).join(", ");
    return `ADD PROJECTION IF NOT EXISTS ${name} (SELECT ${keys}, count() GROUP BY ${keys})`;
  });
  return [
    `ALTER TABLE ${table} MODIFY SETTING ${settings.join(", ")}`,
    `ALTER TABLE ${table}\n  ${added.join(",\n  ")}`,
  ];
}

/** SQL for a condition on system.tables: the table has all projections of `names`, which is SQL for an array of strings. */
export function declares(names: string): string {
  return `hasAll(extractAll(create_table_query, 'PROJECTION ([a-z]+)'), ${names})`;
}

/** ClickHouse's code for a statement that the account may not run. */
const accessDenied = "497";

/** True for the error of a statement that the account may not run. */
export function hasNoRight(error: unknown): boolean {
  return error instanceof ClickHouseError && error.code === accessDenied;
}

/** The bot comes last, so that the rows of one URL or link lie side by side and compress well. */
function keysOf({ unit, dimensions }: Projection): string[] {
  return ["workspaceId", startOf[unit], ...dimensions, "bot"];
}

/**
 * How a query divides its period: `whole` units, which projections count, and the edges before and after them, whose
 * rows are counted.
 */
export type ProjectedPeriod = { unit: Unit; whole: TimeRange; edges: readonly TimeRange[] };

/** The days that ClickHouse's Date and DateTime can hold, whole years: units outside have no correct start. */
const firstStart = Date.UTC(1970, 0);
const lastStart = Date.UTC(2100, 0);

/**
 * The period of a query that a projection can answer; undefined when none can, or when the period contains no whole
 * unit. Pure. Expired clicks that wait to be deleted are in the projections, so the whole units begin after them.
 */
export function projectedPeriod(query: ClickQuery, { hidden }: Expiry): ProjectedPeriod | undefined {
  const unit = unitFor(query);
  if (unit === undefined) return undefined;
  const from = Math.max(query.from, firstStart, ...hidden.map(({ before }) => before));
  const to = Math.min(query.to, lastStart);
  const whole = unit === "hour" ? splitByBucket({ from, to }, hourMs).whole : wholeMonths({ from, to });
  if (whole.from >= whole.to) return undefined;
  const edges = [
    { from: query.from, to: whole.from },
    { from: whole.to, to: query.to },
  ];
  return { unit, whole, edges: edges.filter((edge) => edge.from < edge.to) };
}

/** The unit of the projection that answers a query; undefined without one. */
function unitFor({ grouping, filters, metric = "clicks" }: ClickQuery): Unit | undefined {
  // Visitors cannot be added up from counts.
  if (metric === "visitors" || filters.some(isOneLink)) return undefined;
  const named = [...filters.map(({ dimension }) => dimension), ...(isTextKeys(grouping) ? dimensionsOf(grouping) : [])]
    // All projections have the bot. The base URL is computed from the URL.
    .filter((dimension) => dimension !== "bot")
    .map((dimension): Dimension => (dimension === "baseUrl" ? "url" : dimension));
  const found = projectionNames.find((name) => {
    const dimensions: readonly Dimension[] = projections[name].dimensions;
    return named.every((dimension) => dimensions.includes(dimension));
  });
  if (found === undefined) return undefined;
  const { unit } = projections[found];
  if (isTextKeys(grouping) || grouping.kind === "count") return unit;
  return unit === "hour" && alignsWith(grouping, hourMs) ? "hour" : undefined;
}

/** The rows of one link lie side by side: reading them costs no more than reading two sources. */
function isOneLink({ dimension, values, isExcluded }: Filter): boolean {
  return dimension === "linkId" && values.length === 1 && !isExcluded;
}

function wholeMonths({ from, to }: TimeRange): TimeRange {
  const start = startOfMonth(from, 0);
  return { from: start < from ? startOfMonth(from, 1) : from, to: startOfMonth(to, 0) };
}

/** The start of an instant's month in UTC, or of one some months later. */
function startOfMonth(instant: number, monthsLater: number): number {
  const date = new Date(instant);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater);
}

/** SQL for the conditions that select whole units. */
export function inWholeUnits({ unit, whole }: ProjectedPeriod, bind: Bind): string[] {
  const start = (milliseconds: number) => {
    const instant = `fromUnixTimestamp64Milli(${bind("Int64", milliseconds)}, 'UTC')`;
    return unit === "hour" ? `toDateTime(${instant}, 'UTC')` : `toDate(${instant})`;
  };
  return [`${startOf[unit]} >= ${start(whole.from)}`, `${startOf[unit]} < ${start(whole.to)}`];
}

/** SQL for the start of a click's hour in milliseconds, which stands for its time in the projection of hours. */
export const hourMilliseconds = `toInt64(toUnixTimestamp(${startOf.hour})) * 1000`;
