/**
 * The tables of the click store's file: a star schema. Each click is a row of integers in the fact table. The texts
 * that many clicks share are rows of dimension tables, and a fact refers to them by surrogate keys.
 *
 * 1. The fact table has three levels, which are tables with the same columns. An insert appends to level 0. Compaction
 *    appends a full level to the end of the next one, sorted by workspace, link and time. So the clicks of one link lie
 *    side by side in each sorted run of some millions, and a query about the link skips the others. The level of a fact
 *    changes no answer.
 * 2. A dimension table may hold the same texts under several surrogate keys. Queries that group by texts add them up.
 * 3. The rollup has the clicks of levels 1 and 2 by workspace and 15-minute bucket.
 * 4. The expired rollup has the clicks that were removed for their age, by link and 15-minute bucket.
 * 5. The referrers have their group and channel beside their texts, so that queries need not compute them. Each start
 *    corrects them after a change of the table of services; see referrer-groups.ts.
 * 6. A row of the pending vacuum says that the file may still hold bytes of removed clicks.
 * 7. The view `clicks` shows facts with their texts, as flat rows of Click.
 * 8. `about` has one row with the version of the schema and the id of the store, see migrations.ts, and the version of
 *    the table of services with which the groups of referrers were computed, see referrer-groups.ts.
 */
import { botKinds, type Click, type Trigger } from "../../click.ts";
import type { Dimension } from "../../query.ts";

/**
 * TABLE of the tables and views, by the names that they have in the file. Files of earlier versions must open, so the
 * SQL names stay: "fresh", "recent" and "settled" are the levels, a "slot" is a bucket, and a "number" is a surrogate
 * key.
 */
export const sqlNames = {
  /** The view of levels 1 and 2. */
  compactedFacts: "shelved",
  rollup: "slots",
  expiredRollup: "totals",
  pendingVacuum: "leftovers",
} as const;

/** Text columns of a dimension table. Unknown texts are ''. */
type TextField = { [Name in keyof Click]: Click[Name] extends string ? Name : never }[keyof Click];

/**
 * A dimension table: the fact column with its surrogate keys, its SQL name, its text columns, and the columns that
 * follow from them.
 */
type DimensionTable = {
  column: string;
  table: string;
  fields: readonly (TextField | "idHigh")[];
  derived?: readonly Dimension[];
};

/** TABLE of the dimension tables, in the order of the fact columns. */
export const dimensionTables = {
  link: { column: "link", table: "links", fields: ["linkId", "domainId", "domain", "key"] },
  url: {
    column: "url",
    table: "urls",
    fields: ["url", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"],
  },
  place: { column: "place", table: "places", fields: ["country", "region", "city", "continent"] },
  agent: { column: "agent", table: "agents", fields: ["device", "browser", "os"] },
  referrer: {
    column: "referrer",
    table: "referrers",
    fields: ["referer", "refererUrl"],
    derived: ["refererGroup", "channel"],
  },
  language: { column: "language", table: "languages", fields: ["language"] },
  // The first half of an id, which all clicks of a spool share, as 16 hex digits.
  idPrefix: { column: "origin", table: "origins", fields: ["idHigh"] },
} as const satisfies Record<string, DimensionTable>;
export type DimensionName = keyof typeof dimensionTables;
/** The names of the dimension tables, in the same order. */
export const dimensionNames = Object.keys(dimensionTables) as DimensionName[];
/** The dimension tables with texts of a click: all except the id prefixes. */
export type TextDimensionName = Exclude<DimensionName, "idPrefix">;
export const textDimensionNames = dimensionNames.filter((name): name is TextDimensionName => name !== "idPrefix");

/** Dimension tables whose rows belong to one workspace and are erased with it. */
export const ownedDimensions = ["link", "url"] as const satisfies readonly DimensionName[];

/** TABLE of the texts of each code column, by code. Codes are stored: only append. */
export const codes = {
  bot: ["", ...botKinds],
  trigger: ["link", "qr"] satisfies Trigger[],
} as const;
export type CodeName = keyof typeof codes;

/** Where a dimension's value comes from: an expression over a dimension table, or a code column of the fact table. */
type ColumnSource = { kind: "dimension"; name: DimensionName; expression: string } | { kind: "code"; code: CodeName };

/** The column source of a dimension. */
export function columnSourceOf(dimension: Dimension): ColumnSource {
  if (dimension === "bot" || dimension === "trigger") return { kind: "code", code: dimension };
  if (dimension === "baseUrl") {
    return { kind: "dimension", name: "url", expression: `split_part(split_part("urls"."url", '#', 1), '?', 1)` };
  }
  const name = dimensionNames.find((name) => textColumnsOf(name).includes(dimension));
  if (name === undefined) throw new Error(`No dimension table has the dimension ${dimension}.`);
  return { kind: "dimension", name, expression: `"${dimensionTables[name].table}"."${dimension}"` };
}

/** The text columns of a dimension table, then the columns that follow from them. */
function textColumnsOf(name: DimensionName): readonly string[] {
  return [...dimensionTables[name].fields, ...derivedColumnsOf(name)];
}

/** The columns of a dimension table that follow from its texts. */
export function derivedColumnsOf(name: DimensionName): readonly Dimension[] {
  const table: DimensionTable = dimensionTables[name];
  return table.derived ?? [];
}

/** SQL for the text of a code. */
export function codeText(code: CodeName, column: string): string {
  const cases = codes[code].map((text, number) => `WHEN ${number} THEN '${text}'`);
  return `CASE ${column} ${cases.join(" ")} END`;
}

/** The SQL names of levels 0, 1 and 2. */
export const levels = ["fresh", "recent", "settled"] as const;
export type Level = (typeof levels)[number];
/** The SQL name of each level. */
export const [level0, level1, level2] = levels;

/** The sort order of the runs in levels 1 and 2. */
export const sortOrder = `"workspaceId", "link", "time"`;

/** The length of a rollup bucket: 15 minutes, because every time zone's offset is a multiple of it. */
export const rollupBucketMs = 900_000;
/** SQL for the columns that both rollups group by: the bucket's number, and 1 for bots. */
export const rollupColumns = `"time" // ${rollupBucketMs} AS "slot", CASE WHEN "bot" = 0 THEN 0 ELSE 1 END AS "isBot"`;

/**
 * The columns of the fact table and their types, in the order of appending. 0 is a visitor who opted out of tracking.
 */
const factColumns = [
  ["workspaceId", "INTEGER"],
  ["time", "BIGINT"],
  ...dimensionNames.map((name) => [dimensionTables[name].column, "INTEGER"] as const),
  ["bot", "UTINYINT"],
  ["trigger", "UTINYINT"],
  ["visitor", "UBIGINT"],
  ["idLow", "UBIGINT"],
] as const;

/** The tables that a vacuum copies, and their columns. */
export const tables: Readonly<Record<string, string>> & { readonly [sqlNames.rollup]: string } = {
  ...Object.fromEntries(levels.map((level) => [level, factColumnsSql()])),
  ...Object.fromEntries(dimensionNames.map((name) => [dimensionTables[name].table, dimensionColumnsSql(name)])),
  [sqlNames.rollup]: `("workspaceId" INTEGER NOT NULL, "slot" INTEGER NOT NULL, "bot" UTINYINT NOT NULL, "clicks" BIGINT NOT NULL)`,
  [sqlNames.expiredRollup]: `("workspaceId" INTEGER NOT NULL, "link" INTEGER NOT NULL, "time" BIGINT NOT NULL, "bot" UTINYINT NOT NULL,
    "clicks" BIGINT NOT NULL)`,
  cursors: `("spoolId" VARCHAR PRIMARY KEY, "position" BIGINT NOT NULL)`,
  about: `("version" INTEGER NOT NULL, "storeId" VARCHAR NOT NULL, "referrerTable" VARCHAR)`,
};

/** SQL that creates the tables of a new file. */
export const createTables: readonly string[] = Object.entries(tables).map(
  ([name, shape]) => `CREATE TABLE IF NOT EXISTS "${name}" ${shape}`,
);

/** SQL that creates the views, and the one table that a vacuum does not copy. */
export const createViewsAndPendingVacuum: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS ${sqlNames.pendingVacuum} ("since" TIMESTAMP NOT NULL)`,
  `CREATE OR REPLACE VIEW ${sqlNames.compactedFacts} AS SELECT * FROM "${level1}" UNION ALL SELECT * FROM "${level2}"`,
  `CREATE OR REPLACE VIEW facts AS SELECT * FROM "${level0}" UNION ALL SELECT * FROM ${sqlNames.compactedFacts}`,
  `CREATE OR REPLACE VIEW clicks AS ${flatRows("facts")}`,
];

/** SQL for the columns of a level. */
export function factColumnsSql(): string {
  return `(${factColumns.map(([name, type]) => `"${name}" ${type} NOT NULL`).join(", ")})`;
}

/** The hash of the texts finds the row that already has them. */
function dimensionColumnsSql(name: DimensionName): string {
  const texts = dimensionTables[name].fields.map((field) => `"${field}" VARCHAR NOT NULL`);
  // A migration has added the derived columns to older files, where DuckDB adds no column that is NOT NULL.
  const derived = derivedColumnsOf(name).map((column) => `"${column}" VARCHAR DEFAULT ''`);
  const owner = isOwned(name) ? `"workspaceId" INTEGER NOT NULL, ` : "";
  return `("number" INTEGER NOT NULL, "hash" UBIGINT NOT NULL, ${owner}${[...texts, ...derived].join(", ")})`;
}

/** True for a dimension table whose rows belong to a workspace. */
export function isOwned(name: DimensionName): boolean {
  return (ownedDimensions as readonly DimensionName[]).includes(name);
}

/** SQL for the flat rows of the facts in `source`. */
export function flatRows(source: string): string {
  const texts = textDimensionNames.flatMap((name) =>
    dimensionTables[name].fields.map((field) => `  , "${dimensionTables[name].table}"."${field}"`),
  );
  return [
    `SELECT ("origins"."idHigh" || lpad(to_hex(facts."idLow"), 16, '0'))::UUID AS "id"`,
    `  , facts."time", facts."workspaceId"`,
    ...texts,
    `  , ${codeText("trigger", 'facts."trigger"')} AS "trigger"`,
    `  , ${codeText("bot", 'facts."bot"')} AS "bot"`,
    `  , nullif(facts."visitor", 0) AS "visitor"`,
    `FROM ${source} AS facts`,
    ...dimensionNames.map((name) => joinDimension(name)),
  ].join("\n");
}

/** SQL that joins a dimension table to the table with its surrogate keys. */
export function joinDimension(name: DimensionName, to = "facts"): string {
  const { column, table } = dimensionTables[name];
  return `JOIN "${table}" ON "${table}"."number" = ${to}."${column}"`;
}
