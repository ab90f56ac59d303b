/**
 * Counts the exact visitors of many clicks within DuckDB's memory. DuckDB must hold every visitor of every group until
 * it has read the last click, and cannot spill them to the disk. Gain: memory, not time; without partitions, a report
 * on the visitors of 8.5 million clicks fails at the memory limit.
 *
 * 1. Visitors are partitioned by their hash, and counted one partition after the other. No visitor is in two
 *    partitions, so the counts add up.
 * 2. Texts are in a table of groups, once per surrogate key, and facts are counted by the number of the group.
 * 3. All statements run in one transaction, which reads one snapshot and is rolled back together with its tables.
 */
import type { ClickQuery, ClickSelection } from "../../query.ts";
import { isTextKeys, type TextKeys, type TimeKeys } from "../plan-query.ts";
import { conditions, countOfVisitors, groupKeysOf, type KeysByLink, timeKey, withLinkKeys } from "./compile-query.ts";
import { type Bind, binding, type CompiledQuery } from "./sql.ts";
import { dimensionTables, joinDimension } from "./star-schema.ts";

/** The most clicks whose visitors are held at once: together with their texts, and with surrogate keys only. */
export type VisitorBounds = { withTexts: number; asKeys: number };

/**
 * A click takes 60 bytes, or up to 2 KB with its text. DuckDB does not count this memory; the bounds limit it to 30 MB.
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
  const counts = partitions.map((partition) =>
    compiled((bind) => countGroups(selection, { grouping, partition }, bind)),
  );
  const steps = [
    plain(groupsTable(grouping)),
    compiled((bind) => findGroups(selection, grouping, bind)),
    tallies,
    ...counts,
  ];
  return { steps, answer: compiled((bind) => answerByText(grouping, bind)) };
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

/** The fact columns that a grouping reads. */
function columnsOf(grouping: TextKeys): string[] {
  const { dimensions: used, codes } = groupKeysOf(grouping, "used", unbound);
  return [...used.map((name) => dimensionTables[name].column), ...codes];
}

function groupsTable(grouping: TextKeys): string {
  const columns = columnsOf(grouping).map((column) => `"${column}" INTEGER`);
  const names = groupKeysOf(grouping, "used", unbound).names.map((name) => `"${name}" VARCHAR`);
  return `CREATE TEMP TABLE groups ("group" BIGINT, ${[...columns, ...names].join(", ")})`;
}

/** Groups are numbered in the order of their texts. */
function findGroups(selection: ClickSelection, grouping: TextKeys, bind: Bind): string {
  const { dimensions: used, selected, names, join } = groupKeysOf(grouping, "used", bind);
  const columns = columnsOf(grouping).map((column) => `"${column}"`);
  const ofUsed = columns.map((column) => `used.${column}`);
  return [
    "INSERT INTO temp.groups",
    `SELECT dense_rank() OVER (ORDER BY ${names.join(", ")}), ${[...columns, ...names].join(", ")}`,
    "FROM (",
    `SELECT ${[...ofUsed, ...selected].join(", ")}`,
    `FROM (SELECT DISTINCT ${columns.join(", ")} FROM facts\nWHERE ${conditions(selection, bind)}) AS used`,
    ...used.map((name) => joinDimension(name, "used")),
    ...join,
    ") AS named",
  ].join("\n");
}

function countGroups(
  selection: ClickSelection,
  { grouping, partition }: { grouping: TextKeys; partition: string },
  bind: Bind,
): string {
  const equal = columnsOf(grouping).map((column) => `groups."${column}" = facts."${column}"`);
  return [
    "INSERT INTO temp.tallies",
    `SELECT groups."group", ${columnsOfTallies}`,
    `FROM facts JOIN temp.groups AS groups ON ${equal.join(" AND ")}`,
    `WHERE ${conditions(selection, bind)}\n  AND ${partition}`,
    `GROUP BY groups."group"`,
  ].join("\n");
}

/** A group has a row for each of its surrogate keys, and one row in the answer. */
function answerByText(grouping: TextKeys, bind: Bind): string {
  const names = groupKeysOf(grouping, "used", unbound).names.join(", ");
  return [
    `SELECT DISTINCT ${names}, counted.clicks, counted.visitors`,
    "FROM (",
    `SELECT "group", ${sums}\nFROM temp.tallies\nGROUP BY "group"`,
    `ORDER BY visitors DESC, clicks DESC, "group"\nLIMIT ${bind(grouping.rowsMax)}`,
    `) AS counted\nJOIN temp.groups AS groups ON groups."group" = counted."group"`,
    `ORDER BY visitors DESC, clicks DESC, ${names}`,
  ].join("\n");
}

/** For the pieces of a grouping that need no parameters. */
const unbound: Bind = () => "NULL";

function plain(sql: string): CompiledQuery {
  return { sql, parameters: [] };
}

function compiled(write: (bind: Bind) => string): CompiledQuery {
  const { parameters, bind } = binding();
  return { sql: write(bind), parameters };
}
