import { quoted } from "../../database/quoted.ts";
import { domainColumns, linkColumns } from "../lookup.ts";

/** The columns of a copied table, its primary key, and the rows that are copied. */
type CopiedTable = {
  key: readonly string[];
  columns: readonly string[];
  /** SQL of PostgreSQL for columns that are not copied as they are. */
  expressions: Readonly<Record<string, string>>;
  /** SQL condition of the copied rows. */
  where: string;
};

/** TABLE of the tables that the replica copies row by row: what a redirect reads, and no texts that it does not. */
export const copiedTables = {
  links: { key: ["id"], columns: [...new Set([...linkColumns, "foldedKey"])], expressions: {}, where: "true" },
  domains: {
    key: ["id"],
    columns: [...domainColumns, "workspaceId", "logo"],
    // The lookup only asks whether there is an uploaded logo.
    expressions: { logo: `substr("logo", 1, 5)` },
    where: "true",
  },
  releasedKeys: {
    key: ["domainId", "foldedKey"],
    columns: ["domainId", "foldedKey", "isDeleted"],
    expressions: {},
    where: `"isDeleted" = 1`,
  },
} as const satisfies Record<string, CopiedTable>;

/** A table of copiedTables. */
export type CopiedTableName = keyof typeof copiedTables;
/** Every copied table, in the order of the copy: a partial replica has all domains. */
export const copiedTableNames = ["domains", "links", "releasedKeys"] as const satisfies CopiedTableName[];

/** A copied row: the values of its columns, as both engines return them. */
export type CopiedRow = Record<string, string | number | null>;

/** The values of a row's primary key. */
export function keyOf(table: CopiedTableName, row: CopiedRow): string[] {
  return copiedTables[table].key.map((column) => String(row[column]));
}

/**
 * SQL of the replica's tables. They have the names and columns of the SQLite database, so that lookups and lookup files
 * read them with the same queries. Columns have no types: they hold the values as PostgreSQL returns them.
 */
export const replicaSchema = `
  CREATE TABLE links (seq INTEGER PRIMARY KEY AUTOINCREMENT, ${quoted(copiedTables.links.columns)});
  CREATE UNIQUE INDEX "linksById" ON links (id);
  CREATE UNIQUE INDEX "linksByKey" ON links ("domainId", "foldedKey");
  CREATE INDEX "linksByWorkspace" ON links ("workspaceId");
  CREATE INDEX "linksForwarding" ON links ("domainId") WHERE "forwardPath" = 1;
  CREATE TABLE domains (${quoted(copiedTables.domains.columns)}, PRIMARY KEY (id));
  CREATE INDEX "domainsBySlug" ON domains (slug);
  CREATE TABLE "releasedKeys" (${quoted(copiedTables.releasedKeys.columns)}, PRIMARY KEY ("domainId", "foldedKey"));
  CREATE TABLE erasures ("workspaceId" INTEGER PRIMARY KEY);
  CREATE TABLE pendingDeletions ("column" TEXT, value, PRIMARY KEY ("column", value));
  CREATE TABLE blocks (kind, target, name);
  CREATE TABLE members ("workspaceId", "userId");
  CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, "workspaceId", type, "objectId", at, data);
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT);
`;
