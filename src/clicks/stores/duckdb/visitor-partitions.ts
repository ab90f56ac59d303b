/**
 * How the exact visitors of many clicks are counted within DuckDB's memory: which visitors a row of the answer has been
 * given must be held until the last click was seen, and DuckDB can hold neither that on the disk nor less of it.
 *
 * 1. Visitors are dealt out to parts by their hashes, and one part is counted after the other. No visitor is in two, so
 *    that their numbers add up.
 * 2. Texts stand in a table of groups, once for each number of a dictionary, and facts are counted by the group's number.
 * 3. All happens in one transaction, which sees the store as it is at one moment, and is taken back with its tables.
 */
import type { ClickQuery } from "../../query.ts";
import {
  type Bind,
  binding,
  type CompiledQuery,
  conditions,
  countOfVisitors,
  groupKeysOf,
  type NumericGrouping,
  type TextGrouping,
  valueExpression,
  withLinkKeys,
} from "./compile-query.ts";
import type { KeysByLink } from "./link-key-cache.ts";
import { dimensionTables, joinDimension } from "./star-schema.ts";

/** How many clicks' visitors are held at once: beside the texts they are counted by, and as numbers alone. */
export type VisitorBounds = { withTexts: number; asKeys: number };

/**
 * A click takes 60 bytes, and up to 2 KB more when it is held with its text.
 * DuckDB does not count that memory, so these numbers bound it, to about 30 MB.
 */
export const usualVisitorBounds: VisitorBounds = { withTexts: 100_000, asKeys: 500_000 };

/** Statements to be run in turn, and the one that answers. */
export type VisitorPartitions = { steps: CompiledQuery[]; answer: CompiledQuery };

/** In how many parts the visitors of so many clicks are counted; 0 when one statement may count them. */
export function partitionsFor(query: ClickQuery, clicks: number, bounds: VisitorBounds): number {
  if (query.metric !== "visitors" || clicks <= singlePassMax(query, bounds)) return 0;
  return Math.ceil(clicks / bounds.asKeys);
}

/** The clicks whose visitors one statement may count for a question. */
export function singlePassMax({ grouping }: ClickQuery, { withTexts, asKeys }: VisitorBounds): number {
  return grouping.kind === "dimension" || grouping.kind === "labels" ? withTexts : asKeys;
}

/** Compiles a question about visitors to SQL for DuckDB that counts them in so many parts. Pure; kept as golden files. */
export function compileVisitorPartitions(
  asked: ClickQuery,
  { keys, partitionCount }: { keys?: KeysByLink | undefined; partitionCount: number },
): VisitorPartitions {
  const query = withLinkKeys(asked, keys);
  const { grouping } = query;
  const all = Array.from(
    { length: partitionCount },
    (_, partition) => `"visitor" % ${partitionCount}::UBIGINT = ${partition}`,
  );
  const tallies = plain(`CREATE TEMP TABLE tallies ("group" BIGINT, "clicks" BIGINT, "visitors" BIGINT)`);
  if (grouping.kind === "dimension" || grouping.kind === "labels") {
    const counts = all.map((partition) => compiled((bind) => countGroups(query, { grouping, partition }, bind)));
    const steps = [
      plain(groupsTable(grouping)),
      compiled((bind) => findGroups(query, grouping, bind)),
      tallies,
      ...counts,
    ];
    return { steps, answer: compiled((bind) => answerByText(grouping, bind)) };
  }
  const counts = all.map((partition) => compiled((bind) => countValues(query, { grouping, partition }, bind)));
  return { steps: [tallies, ...counts], answer: plain(answerByNumber(grouping)) };
}

const columnsOfTallies = `count(*) AS "clicks", ${countOfVisitors} AS "visitors"`;

function countValues(
  query: ClickQuery,
  { grouping, partition }: { grouping: NumericGrouping; partition: string },
  bind: Bind,
): string {
  return [
    "INSERT INTO temp.tallies",
    `SELECT ${valueExpression(grouping, bind)} AS "group", ${columnsOfTallies}`,
    `FROM facts\nWHERE ${conditions(query, bind)}\n  AND ${partition}`,
    `GROUP BY "group"`,
  ].join("\n");
}

const sums = `coalesce(sum("clicks"), 0)::BIGINT AS clicks, coalesce(sum("visitors"), 0)::BIGINT AS visitors`;

function answerByNumber({ kind }: NumericGrouping): string {
  if (kind === "count") return `SELECT 0 AS value, ${sums}\nFROM temp.tallies`;
  return `SELECT "group" AS value, ${sums}\nFROM temp.tallies\nGROUP BY value\nORDER BY value`;
}

/** The columns of facts that a grouping goes by. */
function columnsOf(grouping: TextGrouping): string[] {
  const { dimensions: used, codes } = groupKeysOf(grouping, "used", unbound);
  return [...used.map((name) => dimensionTables[name].column), ...codes];
}

function groupsTable(grouping: TextGrouping): string {
  const columns = columnsOf(grouping).map((column) => `"${column}" INTEGER`);
  const names = groupKeysOf(grouping, "used", unbound).names.map((name) => `"${name}" VARCHAR`);
  return `CREATE TEMP TABLE groups ("group" BIGINT, ${[...columns, ...names].join(", ")})`;
}

/** Groups are numbered in the order of their texts. */
function findGroups(query: ClickQuery, grouping: TextGrouping, bind: Bind): string {
  const { dimensions: used, selected, names, join } = groupKeysOf(grouping, "used", bind);
  const columns = columnsOf(grouping).map((column) => `"${column}"`);
  const ofUsed = columns.map((column) => `used.${column}`);
  return [
    "INSERT INTO temp.groups",
    `SELECT dense_rank() OVER (ORDER BY ${names.join(", ")}), ${[...columns, ...names].join(", ")}`,
    "FROM (",
    `SELECT ${[...ofUsed, ...selected].join(", ")}`,
    `FROM (SELECT DISTINCT ${columns.join(", ")} FROM facts\nWHERE ${conditions(query, bind)}) AS used`,
    ...used.map((name) => joinDimension(name, "used")),
    ...join,
    ") AS named",
  ].join("\n");
}

function countGroups(
  query: ClickQuery,
  { grouping, partition }: { grouping: TextGrouping; partition: string },
  bind: Bind,
): string {
  const equal = columnsOf(grouping).map((column) => `groups."${column}" = facts."${column}"`);
  return [
    "INSERT INTO temp.tallies",
    `SELECT groups."group", ${columnsOfTallies}`,
    `FROM facts JOIN temp.groups AS groups ON ${equal.join(" AND ")}`,
    `WHERE ${conditions(query, bind)}\n  AND ${partition}`,
    `GROUP BY groups."group"`,
  ].join("\n");
}

/** A group stands once for each of its numbers, and is answered once. */
function answerByText(grouping: TextGrouping, bind: Bind): string {
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

/** For what is asked of a grouping besides its labels. */
const unbound: Bind = () => "NULL";

function plain(sql: string): CompiledQuery {
  return { sql, parameters: [] };
}

function compiled(write: (bind: Bind) => string): CompiledQuery {
  const { parameters, bind } = binding();
  return { sql: write(bind), parameters };
}
