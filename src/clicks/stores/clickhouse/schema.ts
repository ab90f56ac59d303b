/**
 * The tables of clicks in ClickHouse.
 *
 * 1. `clicks` has one row for each click, sorted by workspace, link and time, so that the clicks of one link lie side by
 *    side. Partitions are months. Its projections (projections.ts) are added after it has been created.
 * 2. `batch` is the number of the insert that stored the click (batch-log.ts). Since each insert is one part, a query
 *    that names batches sees each of them whole or not at all.
 * 3. `expired_clicks` has the clicks that were removed for their age, by link and 15-minute bucket, and the number of
 *    the expiry that removed them.
 * 4. `expiries` has the state of a workspace's expiries (expire.ts); its row of the highest version counts.
 * 5. `about` has the version of this schema and the id of the store. The oldest row counts.
 *
 * On a cluster, each table is a Distributed table over replicated tables with the suffix `_local`.
 */
import { minuteMs } from "../../../base/time.ts";
import type { Click } from "../../click.ts";
import type { Bind } from "./sql.ts";

/** The version of the tables. */
export const schemaVersion = 1;

/** Length of a bucket of expired clicks: 15 minutes, because every time zone's offset is a multiple of it. */
export const bucketMs = 15 * minuteMs;

/**
 * Inserts whose tokens ClickHouse remembers, per table: at 500 inserts per second more than those of the two minutes that
 * an insert may take. A token that it has forgotten is replaced by a look-up of the batch's rows; see insert.ts.
 */
const rememberedInserts = 100_000;
/** Seconds for which a cluster remembers a token, so that its Keeper does not store those of days. */
const rememberedSeconds = 3_600;

/** The fields of a click that are stored as they are. */
export type TextField = Exclude<
  { [Name in keyof Click]: Click[Name] extends string ? Name : never }[keyof Click],
  "id" | "visitor"
>;

const shared = "LowCardinality(String)";

/** TABLE of the texts of a click, by column. Texts that many clicks have are "shared". */
const textColumns: Readonly<Record<TextField, string>> = {
  linkId: "String",
  domainId: shared,
  domain: shared,
  key: "String",
  // The clicks of a link lie side by side and mostly have the same URL, so LZ4 takes no more space than ZSTD. Its URLs
  // are read in 0.4 of the time.
  url: "String CODEC(LZ4)",
  country: shared,
  region: shared,
  city: shared,
  continent: shared,
  device: shared,
  browser: shared,
  os: shared,
  referer: shared,
  refererUrl: shared,
  language: shared,
  trigger: shared,
  bot: shared,
  utm_source: shared,
  utm_medium: shared,
  utm_campaign: shared,
  utm_term: shared,
  utm_content: shared,
};

/** The texts of a click that are stored as they are. */
export const textFields = Object.keys(textColumns) as TextField[];

/** The columns of a link's click that expired clicks keep. */
export const linkColumns = ["linkId", "domainId", "domain", "key"] as const satisfies readonly TextField[];

/** A table: its columns, its sort order, and the clauses that its engine takes. */
type Table = {
  columns: readonly string[];
  engine: "MergeTree" | "ReplacingMergeTree";
  /** The column by which a ReplacingMergeTree finds the row that stays; the last inserted one without it. */
  version?: string;
  orderBy: string;
  clauses?: string;
  settings?: string;
};

/**
 * Rows that ClickHouse reads at least from each monthly partition for a question about one link. A quarter of the usual
 * 8,192 takes 15 to 28 % less processor time for a link over a year; half of it again gains nothing.
 */
const granuleRows = 2_048;

// T64 and LZ4 take as much space as Delta and ZSTD, and are read in a third of the time.
const time = "time DateTime64(3, 'UTC') CODEC(T64, LZ4)";

/** TABLE of the tables. */
export const tables = {
  clicks: {
    columns: [
      "workspaceId UInt32",
      time,
      "id UUID",
      "batch UInt64 CODEC(Delta, ZSTD(1))",
      // 0 for a visitor who asked not to be tracked.
      "visitor UInt64",
      ...textFields.map((name) => `${name} ${textColumns[name]}`),
      // They follow from referer; see referrer-groups.ts.
      `refererGroup ${shared}`,
      `channel ${shared}`,
      // New clicks are in separate parts, so questions about them skip all others.
      "INDEX batch batch TYPE minmax",
    ],
    engine: "MergeTree",
    orderBy: "(workspaceId, linkId, time)",
    clauses: "PARTITION BY toYYYYMM(time)",
    settings: `index_granularity = ${granuleRows}`,
  },
  expired_clicks: {
    columns: [
      "workspaceId UInt32",
      time,
      ...linkColumns.map((name) => `${name} ${textColumns[name]}`),
      "isBot Bool",
      "clicks UInt64",
      "generation UInt64",
    ],
    engine: "ReplacingMergeTree",
    orderBy: "(workspaceId, linkId, time, domainId, domain, key, isBot, generation)",
  },
  expiries: {
    columns: [
      "workspaceId UInt32",
      "version UInt64",
      "generation UInt64",
      "planned Array(Tuple(before Int64, upTo UInt64))",
      // The clicks that are in expired_clicks too, until they are deleted.
      "hidden Array(Tuple(before Int64, upTo UInt64, since Int64))",
    ],
    engine: "ReplacingMergeTree",
    version: "version",
    orderBy: "workspaceId",
  },
  about: {
    columns: ["version UInt32", "storeId String", "referrerTable String", "createdAt DateTime64(3, 'UTC')"],
    engine: "MergeTree",
    orderBy: "createdAt",
  },
} as const satisfies Record<string, Table>;
export type TableName = keyof typeof tables;
export const tableNames = Object.keys(tables) as TableName[];

/** Where the tables are: on one server, or on all servers of a cluster. */
export type Topology = { cluster?: string | undefined };

/** SQL that creates the tables, if they are absent. Pure; `waypost clickhouse schema` prints it. */
export function createTables(topology: Topology): string[] {
  return tableNames.flatMap((name) => createTable(name, topology));
}

function createTable(name: TableName, { cluster }: Topology): string[] {
  const { columns, engine, version = "", orderBy, clauses, settings }: Table = tables[name];
  const body = (table: string, on: string, engineSql: string, window: string) =>
    [
      `CREATE TABLE IF NOT EXISTS ${table}${on} (`,
      `${columns.map((column) => `  ${column}`).join(",\n")}`,
      `) ENGINE = ${engineSql}`,
      ...(clauses === undefined ? [] : [clauses]),
      `ORDER BY ${orderBy}`,
      `SETTINGS ${[window, ...(settings === undefined ? [] : [settings])].join(", ")}`,
    ].join("\n");
  if (cluster === undefined) {
    return [body(name, "", `${engine}(${version})`, `non_replicated_deduplication_window = ${rememberedInserts}`)];
  }
  const on = ` ON CLUSTER ${quotedName(cluster)}`;
  const place = `'/clickhouse/tables/{shard}/{database}/${name}', '{replica}'`;
  const replicated = `Replicated${engine}(${[place, ...(version === "" ? [] : [version])].join(", ")})`;
  // All rows of a link are on one shard, and those of the small tables on the shard of their workspace.
  const shardKey = name === "about" ? "0" : name === "expiries" ? "workspaceId" : "sipHash64(workspaceId, linkId)";
  return [
    body(
      `${name}_local`,
      on,
      replicated,
      `replicated_deduplication_window = ${rememberedInserts}, replicated_deduplication_window_seconds = ${rememberedSeconds}`,
    ),
    `CREATE TABLE IF NOT EXISTS ${name}${on} AS ${name}_local\n` +
      `ENGINE = Distributed(${quotedName(cluster)}, currentDatabase(), ${name}_local, ${shardKey})`,
  ];
}

/** SQL for the table that DELETE and ALTER name: on a cluster, the local table of every server. */
export function localTable(name: TableName, { cluster }: Topology): string {
  return cluster === undefined ? name : `${name}_local ON CLUSTER ${quotedName(cluster)}`;
}

/** The name of the table with the rows: on a cluster, the local one. */
export function rowsTable(name: TableName, { cluster }: Topology): string {
  return cluster === undefined ? name : `${name}_local`;
}

/** SQL for the table of parts: on a cluster, of all servers. */
export function partsTable({ cluster }: Topology, bind: Bind): string {
  return cluster === undefined ? "system.parts" : `clusterAllReplicas(${bind("String", cluster)}, system.parts)`;
}

/** SQL for a name that the operator chose. */
function quotedName(name: string): string {
  return `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
}
