import { Database as SqliteFile } from "bun:sqlite";
import { Client } from "pg";
import { readConfig } from "../../src/config.ts";
import { dataPaths } from "../../src/data-paths.ts";
import type { TestService } from "./server.ts";

/** TABLE of the tables that a request may change. A refused request must not change them. */
const tables = [
  "users",
  "workspaces",
  "members",
  "apiKeys",
  "invites",
  "avatars",
  "userAvatars",
  "domains",
  "links",
  "tags",
  "folders",
  "releasedKeys",
  "savedViews",
  "notifications",
  "examples",
  "events",
] as const;

/** Rows by their JSON text, so that a comparison finds the rows that only one snapshot has. */
type Rows = { columns: string[]; rows: Map<string, unknown[]> };

/**
 * The rows of each table, without the last use of API keys and without deleted workspaces, which a background task
 * removes between two snapshots.
 */
export type Snapshot = Record<string, Rows>;

/**
 * Reads every row of a server's relational database, without the server. If no row has changed, it may return the
 * previous snapshot.
 */
export type SnapshotReader = {
  read(): Promise<Snapshot>;
  close(): Promise<void>;
};

/** Opens a second connection to a server's database, of either engine. */
export async function openSnapshots(server: TestService): Promise<SnapshotReader> {
  const url = server.environment["WAYPOST_DATABASE_URL"];
  return url === undefined ? openSqlite(server) : await openPostgres(url);
}

/** The rows that only one snapshot has, each with its table and "-" for removed or "+" for added. */
export function changesBetween(before: Snapshot, after: Snapshot): string[] {
  if (before === after) return [];
  return tables.flatMap((table) => [
    ...rowsWithout(before[table], after[table]).map((row) => `${table} - ${row}`),
    ...rowsWithout(after[table], before[table]).map((row) => `${table} + ${row}`),
  ]);
}

/** True while the service fills an example workspace in the background. */
export function isFillingExample({ examples }: Snapshot): boolean {
  const filledAt = examples?.columns.indexOf("filledAt") ?? -1;
  return [...(examples?.rows.values() ?? [])].some((row) => row[filledAt] === null);
}

function rowsWithout(table: Rows | undefined, others: Rows | undefined): string[] {
  if (table === undefined) return [];
  const { columns, rows } = table;
  return [...rows]
    .filter(([text]) => others?.rows.has(text) !== true)
    .map(([, values]) => JSON.stringify(Object.fromEntries(columns.map((name, index) => [name, values[index]]))))
    .sort();
}

/**
 * The tables in the order of reading. Erasures come first: a deleted workspace is in `erasures` or `workspaces` until
 * its last row is gone. The event of its deletion stays.
 */
const readTables = ["erasures", "workspaces", ...tables.filter((table) => table !== "workspaces")];

function openSqlite(server: TestService): SnapshotReader {
  const file = new SqliteFile(dataPaths(readConfig({ WAYPOST_DATA: server.data })).sqlite, { readonly: true });
  const queries = readTables.map((table) => file.query<unknown, []>(`SELECT * FROM "${table}"`));
  // The data version changes with each commit of another connection. Most refused requests commit nothing, so the rows
  // of the latest snapshot are still valid.
  const version = file.query<{ data_version: number }, []>("PRAGMA data_version");
  let latest: { version: number | undefined; snapshot: Snapshot } | undefined;
  return {
    async read() {
      const current = version.get()?.data_version;
      if (latest === undefined || latest.version !== current) {
        const reads = queries.map((query) => ({ columns: query.columnNames, rows: query.values() }));
        latest = { version: current, snapshot: snapshotOf(reads) };
      }
      return latest.snapshot;
    },
    close: async () => file.close(),
  };
}

async function openPostgres(connectionString: string): Promise<SnapshotReader> {
  const client = new Client({ connectionString });
  await client.connect();
  // One message for all tables, because a round trip for each table took longer than its query.
  const text = readTables.map((table) => `SELECT * FROM "${table}"`).join("; ");
  return {
    async read() {
      // Several statements return a list of results, which the types do not declare.
      const results = [await client.query<unknown[]>({ text, rowMode: "array" })].flat();
      return snapshotOf(results.map(({ fields, rows }) => ({ columns: fields.map(({ name }) => name), rows })));
    },
    close: () => client.end(),
  };
}

type Read = { columns: string[]; rows: unknown[][] };

/** Makes a snapshot from the rows of `readTables`. */
function snapshotOf(reads: Read[]): Snapshot {
  const [erasures, workspaces] = reads;
  const deleted = new Set(valuesIn(erasures, "workspaceId"));
  const present = new Set(valuesIn(workspaces, "id").filter((id) => !deleted.has(id)));
  return Object.fromEntries(
    readTables.slice(1).map((table, index) => {
      const { columns, rows } = reads[index + 1] ?? { columns: [], rows: [] };
      const workspaceAt = columns.indexOf(table === "workspaces" ? "id" : "workspaceId");
      const excludedAt = columns.indexOf("lastUsedAt");
      const rowsByText = new Map<string, unknown[]>();
      for (const row of rows) {
        const workspaceId = row[workspaceAt] ?? undefined;
        if (workspaceId !== undefined && !present.has(workspaceId)) continue;
        if (excludedAt !== -1) row[excludedAt] = undefined;
        rowsByText.set(JSON.stringify(row), row);
      }
      return [table, { columns, rows: rowsByText }];
    }),
  );
}

function valuesIn(read: Read | undefined, column: string): unknown[] {
  const at = read?.columns.indexOf(column) ?? -1;
  return read?.rows.map((row) => row[at]) ?? [];
}
