/**
 * Counts the exact visitors of many clicks within DuckDB's memory. DuckDB must hold every visitor of every group until
 * it has read the last click, and cannot spill them to the disk. Gain: memory, not time; without partitions, a report
 * on the visitors of 8.5 million clicks fails at the memory limit.
 *
 * 1. Visitors are partitioned by their hash, and counted one partition after the other. No visitor is in two
 *    partitions, so the counts add up.
 * 2. A table of groups has the number of the group of each surrogate key, and facts are counted by that number. Groups
 *    have the same fingerprints (fingerprints.ts) or the same label.
 * 3. All statements run in one transaction, which reads one snapshot and is rolled back together with its tables.
 */
import type { ClickQuery, ClickSelection } from "../../query.ts";
import { isTextKeys, type TextKeys, type TimeKeys } from "../plan-query.ts";
import {
  conditions,
  countOfVisitors,
  joinLabels,
  joinTexts,
  type KeysByLink,
  type LabelKeys,
  timeKey,
  withLinkKeys,
  withoutTextFilters,
} from "./compile-query.ts";
import { type DimensionKeys, fingerprintsOf, keyColumnsOf, keyOfGroup, largestGroups } from "./fingerprints.ts";
import { type Bind, binding, type CompiledQuery } from "./sql.ts";

/** The most clicks whose visitors are held at once: in groups by text, and with surrogate keys only. */
export type VisitorBounds = { withTexts: number; asKeys: number };

/**
 * A click takes 60 bytes, and more with its label or fingerprint. DuckDB does not count this memory; the bounds limit it
 * to 30 MB.
 */
export const usualVisitorBounds: VisitorBounds = { withTexts: 100_000, asKeys: 500_000 };

/** Statements to run in order, and the statement that answers. */
type VisitorPartitions = { steps: CompiledQuery[]; answer: CompiledQuery };

/** The number of partitions for the visitors of this many clicks; 0 when one statement can count them. */
export function partitionsFor(query: ClickQuery, clicks: number, bounds: VisitorBounds): number {
  if (query.metric !== "visitors" || clicks <= singlePassMax(query, bounds)) return 0;
  return Math.ceil(clicks / bounds.asKeys);
}

/** The most clicks whose visitors one statement may count for a query. */
export function singlePassMax({ grouping }: ClickQuery, { withTexts, asKeys }: VisitorBounds): number {
  return isTextKeys(grouping) ? withTexts : asKeys;
}

/** Compiles a query for visitors to SQL that counts them in partitions. Pure; kept as golden files. */
export function compileVisitorPartitions(
  query: ClickQuery,
  { keys, partitionCount }: { keys?: KeysByLink | undefined; partitionCount: number },
): VisitorPartitions {
  const { grouping, ...selection } = withLinkKeys(query, keys);
  const partitions = Array.from(
    { length: partitionCount },
    (_, partition) => `"visitor" % ${partitionCount}::UBIGINT = ${partition}`,
  );
  const tallies = plain(`CREATE TEMP TABLE tallies ("group" BIGINT, "clicks" BIGINT, "visitors" BIGINT)`);
  if (!isTextKeys(grouping)) {
    const counts = partitions.map((partition) =>
      compiled((bind) => countValues(selection, { grouping, partition }, bind)),
    );
    return { steps: [tallies, ...counts], answer: plain(answerByTime(grouping)) };
  }
  // The table of groups has no keys of texts that a filter excludes.
  const counted = grouping.kind === "labels" ? selection : withoutTextFilters(selection, grouping);
  const counts = partitions.map((partition) => compiled((bind) => countGroups(counted, { grouping, partition }, bind)));
  const groups = compiled((bind) => groupsTable(selection, grouping, bind));
  return { steps: [groups, tallies, ...counts], answer: compiled((bind) => answerByText(grouping, bind)) };
}

const columnsOfTallies = `count(*) AS "clicks", ${countOfVisitors} AS "visitors"`;

function countValues(
  selection: ClickSelection,
  { grouping, partition }: { grouping: TimeKeys; partition: string },
  bind: Bind,
): string {
  return [
    "INSERT INTO temp.tallies",
    `SELECT ${timeKey(grouping, bind)} AS "group", ${columnsOfTallies}`,
    `FROM facts\nWHERE ${conditions(selection, bind)}\n  AND ${partition}`,
    `GROUP BY "group"`,
  ].join("\n");
}

const sums = `coalesce(sum("clicks"), 0)::BIGINT AS clicks, coalesce(sum("visitors"), 0)::BIGINT AS visitors`;

function answerByTime({ kind }: TimeKeys): string {
  if (kind === "count") return `SELECT 0 AS value, ${sums}\nFROM temp.tallies`;
  return `SELECT "group" AS value, ${sums}\nFROM temp.tallies\nGROUP BY value\nORDER BY value`;
}

/** A row for each surrogate key, or pair of a key and a label. */
function groupsTable(selection: ClickSelection, grouping: TextKeys, bind: Bind): string {
  return `CREATE TEMP TABLE groups AS\n${
    grouping.kind === "labels" ? labelledKeys(selection, grouping, bind) : fingerprintedKeys(selection, grouping, bind)
  }`;
}

function fingerprintedKeys(selection: ClickSelection, grouping: DimensionKeys, bind: Bind): string {
  const { before, join } = joinTexts(selection, { keys: grouping, to: "used" }, bind);
  return [
    `SELECT dense_rank() OVER (ORDER BY ${fingerprintsOf(grouping, "used")}) AS "group", used.*`,
    `FROM ${usedKeys(before, grouping, bind)} AS used`,
    ...join,
  ].join("\n");
}

/** Groups are numbered in the order of their labels. */
function labelledKeys(selection: ClickSelection, grouping: LabelKeys, bind: Bind): string {
  const join = joinLabels(grouping, "used", bind);
  return [
    `SELECT dense_rank() OVER (ORDER BY value) AS "group", *`,
    "FROM (\nSELECT used.*, label AS value",
    `FROM ${usedKeys(selection, grouping, bind)} AS used`,
    ...join,
    ") AS named",
  ].join("\n");
}

function usedKeys(selection: ClickSelection, grouping: TextKeys, bind: Bind): string {
  const columns = keyColumnsOf(grouping).map((column) => `"${column}"`);
  return `(SELECT DISTINCT ${columns.join(", ")} FROM facts\nWHERE ${conditions(selection, bind)})`;
}

function countGroups(
  selection: ClickSelection,
  { grouping, partition }: { grouping: TextKeys; partition: string },
  bind: Bind,
): string {
  const equal = keyColumnsOf(grouping).map((column) => `groups."${column}" = facts."${column}"`);
  return [
    "INSERT INTO temp.tallies",
    `SELECT groups."group", ${columnsOfTallies}`,
    `FROM facts JOIN temp.groups AS groups ON ${equal.join(" AND ")}`,
    `WHERE ${conditions(selection, bind)}\n  AND ${partition}`,
    `GROUP BY groups."group"`,
  ].join("\n");
}

function answerByText(grouping: TextKeys, bind: Bind): string {
  const counted = `SELECT "group", ${sums}\nFROM temp.tallies\nGROUP BY "group"`;
  return grouping.kind === "labels" ? answerByLabel(counted, grouping, bind) : answerByKey(counted, grouping, bind);
}

function answerByKey(counted: string, grouping: DimensionKeys, bind: Bind): string {
  const named = [
    `SELECT ${keyColumnsOf(grouping)
      .map((column) => `named."${column}"`)
      .join(", ")}, clicks, visitors`,
    `FROM (\n${counted}\n) AS counted`,
    `JOIN (SELECT "group", ${keyOfGroup(grouping, "groups")} FROM temp.groups AS groups GROUP BY "group") AS named`,
    `  ON named."group" = counted."group"`,
  ].join("\n");
  return largestGroups(named, { keys: grouping, measures: ["clicks", "visitors"] }, bind);
}

/** A group has a row for each of its surrogate keys, and one row in the answer. */
function answerByLabel(counted: string, { rowsMax }: LabelKeys, bind: Bind): string {
  return [
    "SELECT DISTINCT value, counted.clicks, counted.visitors",
    `FROM (\n${counted}\nORDER BY visitors DESC, clicks DESC, "group"\nLIMIT ${bind(rowsMax)}\n) AS counted`,
    `JOIN temp.groups AS groups ON groups."group" = counted."group"`,
    "ORDER BY visitors DESC, clicks DESC, value",
  ].join("\n");
}

function plain(sql: string): CompiledQuery {
  return { sql, parameters: [] };
}

function compiled(write: (bind: Bind) => string): CompiledQuery {
  const { parameters, bind } = binding();
  return { sql: write(bind), parameters };
}
