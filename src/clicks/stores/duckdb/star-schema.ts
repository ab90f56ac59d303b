/**
 * How DuckDB holds clicks: each click is a row of integers, a fact; what many clicks have in common stands once in a
 * dictionary and is named there by its number.
 *
 * 1. Facts lie on three levels of the same columns. An insert appends to `fresh`. Full, that is sorted by workspace,
 *    link and time onto the end of `recent`, and that in its turn onto the end of `settled`. So the clicks of one link
 *    lie side by side in each run of some millions, wherever and whenever they came from, and a question about it reads
 *    those and skips the others. Which level a fact is on changes no answer.
 * 2. A dictionary may hold the same texts under several numbers; who groups by them adds those up.
 * 3. `slots` has the number of clicks of each workspace and quarter of an hour, of those facts that have left `fresh`.
 * 4. The view `clicks` shows facts as the flat rows of Click, texts and all.
 * 5. Of clicks that were removed for their age, `totals` has the number by link and quarter of an hour.
 * 6. A row of `leftovers` says that the file may hold bytes of what was removed.
 * 7. The row of `about` has the schema's version and the store's id; see store-schema.ts.
 */
import { botKinds, type Click, type Trigger } from "../../click.ts";
import type { Dimension } from "../../query.ts";

/** Text columns of a dictionary. Unknown texts are ''. */
type TextField = { [Name in keyof Click]: Click[Name] extends string ? Name : never }[keyof Click];

/** A dictionary: its table, the column of facts that names its rows, and the texts of a row. */
export type DimensionTable = { column: string; table: string; fields: readonly (TextField | "idHigh")[] };

/** TABLE of the dictionaries, in the order of the facts' columns. */
export const dimensionTables = {
  link: { column: "link", table: "links", fields: ["linkId", "domainId", "domain", "key"] },
  url: {
    column: "url",
    table: "urls",
    fields: ["url", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"],
  },
  place: { column: "place", table: "places", fields: ["country", "region", "city", "continent"] },
  agent: { column: "agent", table: "agents", fields: ["device", "browser", "os"] },
  referrer: { column: "referrer", table: "referrers", fields: ["referer", "refererUrl"] },
  language: { column: "language", table: "languages", fields: ["language"] },
  // The half of an id that all clicks of a spool have in common, as 16 hex digits.
  idPrefix: { column: "origin", table: "origins", fields: ["idHigh"] },
} as const satisfies Record<string, DimensionTable>;
export type DimensionName = keyof typeof dimensionTables;
export const dimensionNames = Object.keys(dimensionTables) as DimensionName[];
/** The dictionaries of a click's texts: all but that of ids. */
export type TextDimensionName = Exclude<DimensionName, "idPrefix">;
export const textDimensionNames = dimensionNames.filter((name): name is TextDimensionName => name !== "idPrefix");

/** Dictionaries whose rows belong to one workspace and go with it. */
export const ownedDimensions = ["link", "url"] as const satisfies readonly DimensionName[];

/** TABLE of what the codes of the two smallest columns stand for. Stored: only ever append. */
export const codes = {
  bot: ["", ...botKinds],
  trigger: ["link", "qr"] satisfies Trigger[],
} as const;
export type CodeName = keyof typeof codes;

/** Where the value of a dimension stands: in a dictionary, as an expression over its row, or as a code of the fact. */
export type ColumnSource =
  | { kind: "dimension"; name: DimensionName; expression: string }
  | { kind: "code"; code: CodeName };

/** The stand of a dimension. */
export function columnSourceOf(dimension: Dimension): ColumnSource {
  if (dimension === "bot" || dimension === "trigger") return { kind: "code", code: dimension };
  if (dimension === "baseUrl") {
    return { kind: "dimension", name: "url", expression: `split_part(split_part("urls"."url", '#', 1), '?', 1)` };
  }
  const name = dimensionNames.find((name) => (dimensionTables[name].fields as readonly string[]).includes(dimension));
  if (name === undefined) throw new Error(`No dictionary has the dimension ${dimension}.`);
  return { kind: "dimension", name, expression: `"${dimensionTables[name].table}"."${dimension}"` };
}

/** The text of a code, as SQL. */
export function codeText(code: CodeName, column: string): string {
  const cases = codes[code].map((text, number) => `WHEN ${number} THEN '${text}'`);
  return `CASE ${column} ${cases.join(" ")} END`;
}

/** The levels, in the order that facts come to them. */
export const levels = ["fresh", "recent", "settled"] as const;
export type Level = (typeof levels)[number];

/** How facts are sorted on the levels behind the first. */
export const sortOrder = `"workspaceId", "link", "time"`;

/** Milliseconds of a row of `slots`: a quarter of an hour, of which every time zone's hours are made. */
export const rollupBucketMs = 900_000;
/** What facts are counted by in slots and totals: the number of the slot, and 1 for bots. */
export const rollupColumns = `"time" // ${rollupBucketMs} AS "slot", CASE WHEN "bot" = 0 THEN 0 ELSE 1 END AS "isBot"`;

/** Columns of facts, with their types, in the order they are appended. A visitor of 0 asked not to be told apart. */
export const factColumns = [
  ["workspaceId", "INTEGER"],
  ["time", "BIGINT"],
  ...dimensionNames.map((name) => [dimensionTables[name].column, "INTEGER"] as const),
  ["bot", "UTINYINT"],
  ["trigger", "UTINYINT"],
  ["visitor", "UBIGINT"],
  ["idLow", "UBIGINT"],
] as const;

/** Tables with rows to keep, and their columns. */
export const tables: Readonly<Record<string, string>> & { readonly slots: string } = {
  ...Object.fromEntries(levels.map((level) => [level, factColumnsSql()])),
  ...Object.fromEntries(dimensionNames.map((name) => [dimensionTables[name].table, dimensionColumnsSql(name)])),
  slots: `("workspaceId" INTEGER NOT NULL, "slot" INTEGER NOT NULL, "bot" UTINYINT NOT NULL, "clicks" BIGINT NOT NULL)`,
  totals: `("workspaceId" INTEGER NOT NULL, "link" INTEGER NOT NULL, "time" BIGINT NOT NULL, "bot" UTINYINT NOT NULL,
    "clicks" BIGINT NOT NULL)`,
  cursors: `("spoolId" VARCHAR PRIMARY KEY, "position" BIGINT NOT NULL)`,
  about: `("version" INTEGER NOT NULL, "storeId" VARCHAR NOT NULL)`,
};

/** SQL that makes the tables of a new file. */
export const createTables: readonly string[] = Object.entries(tables).map(
  ([name, shape]) => `CREATE TABLE IF NOT EXISTS "${name}" ${shape}`,
);

/** SQL that makes the views, and the one table that a rewrite leaves out. */
export const createViewsAndPendingVacuum: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS leftovers ("since" TIMESTAMP NOT NULL)`,
  `CREATE OR REPLACE VIEW shelved AS SELECT * FROM "recent" UNION ALL SELECT * FROM "settled"`,
  `CREATE OR REPLACE VIEW facts AS SELECT * FROM "fresh" UNION ALL SELECT * FROM shelved`,
  `CREATE OR REPLACE VIEW clicks AS ${flatRows("facts")}`,
];

/** The columns of a level, as SQL. */
export function factColumnsSql(): string {
  return `(${factColumns.map(([name, type]) => `"${name}" ${type} NOT NULL`).join(", ")})`;
}

/** `hash` is of the texts, and finds those that are there already. */
function dimensionColumnsSql(name: DimensionName): string {
  const texts = dimensionTables[name].fields.map((field) => `"${field}" VARCHAR NOT NULL`).join(", ");
  const owner = isOwned(name) ? `"workspaceId" INTEGER NOT NULL, ` : "";
  return `("number" INTEGER NOT NULL, "hash" UBIGINT NOT NULL, ${owner}${texts})`;
}

/** Whether the rows of a dictionary belong to a workspace. */
export function isOwned(name: DimensionName): boolean {
  return (ownedDimensions as readonly DimensionName[]).includes(name);
}

/** SQL that shows facts, read from `source` under the name "facts", as flat rows. */
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

/** SQL that joins a dictionary to what has its numbers. */
export function joinDimension(name: DimensionName, to = "facts"): string {
  const { column, table } = dimensionTables[name];
  return `JOIN "${table}" ON "${table}"."number" = ${to}."${column}"`;
}
