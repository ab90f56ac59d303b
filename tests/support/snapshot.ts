import { Database as SqliteFile } from "bun:sqlite";
import { Client } from "pg";
import { readConfig } from "../../src/config.ts";
import { dataPaths } from "../../src/data-paths.ts";
import type { TestServer } from "./server.ts";

/** TABLE of the tables that a caller's request may change, in which nothing may change when it is refused. */
const tables = [
  "users",
  "workspaces",
  "members",
  "apiKeys",
  "invites",
  "avatars",
  "domains",
  "links",
  "tags",
  "folders",
  "releasedKeys",
  "events",
] as const;

/**
 * The rows as texts, by table. The last use of API keys is left out, and so are workspaces that were deleted, which the
 * background takes away meanwhile.
 */
export type Snapshot = Record<string, string[]>;

/** Reads every row of a server's relational database, past the server. */
export type SnapshotReader = {
  read(): Promise<Snapshot>;
  close(): Promise<void>;
};

/** Opens a second connection to a server's database, of either engine. */
export async function openSnapshots(server: TestServer): Promise<SnapshotReader> {
  const url = server.environment["WAYPOST_DATABASE_URL"];
  return url === undefined ? openSqlite(server) : await openPostgres(url);
}

/** The rows that are in one snapshot alone, each behind its table and "-" for gone or "+" for new. */
export function changesBetween(before: Snapshot, after: Snapshot): string[] {
  return tables.flatMap((table) => {
    const [old = [], now = []] = [before[table], after[table]];
    const [oldRows, nowRows] = [new Set(old), new Set(now)];
    return [
      ...old.filter((row) => !nowRows.has(row)).map((row) => `${table} - ${row}`),
      ...now.filter((row) => !oldRows.has(row)).map((row) => `${table} + ${row}`),
    ];
  });
}

function openSqlite(server: TestServer): SnapshotReader {
  const file = new SqliteFile(dataPaths(readConfig({ WAYPOST_DATA: server.data })).sqlite, { readonly: true });
  return {
    read: async () => await readTables(async (table) => file.query<Row, []>(`SELECT * FROM "${table}"`).all()),
    close: async () => file.close(),
  };
}

async function openPostgres(connectionString: string): Promise<SnapshotReader> {
  const client = new Client({ connectionString });
  await client.connect();
  return {
    read: async () => await readTables(async (table) => (await client.query<Row>(`SELECT * FROM "${table}"`)).rows),
    close: () => client.end(),
  };
}

type Row = { id?: unknown; workspaceId?: unknown };

async function readTables(rowsOf: (table: string) => Promise<Row[]>): Promise<Snapshot> {
  // Asked first, as a workspace is in one of both until its last row is gone; the event that tells of its end stays.
  const deleted = new Set((await rowsOf("erasures")).map(({ workspaceId }) => workspaceId));
  const present = new Set((await rowsOf("workspaces")).map(({ id }) => id).filter((id) => !deleted.has(id)));
  const snapshot: Snapshot = {};
  for (const table of tables) {
    const rows = await rowsOf(table);
    const kept = rows.filter((row) => {
      const workspaceId = (table === "workspaces" ? row.id : row.workspaceId) ?? undefined;
      return workspaceId === undefined || present.has(workspaceId);
    });
    snapshot[table] = kept.map(asText).sort();
  }
  return snapshot;
}

function asText(row: Row): string {
  return JSON.stringify(row, (name, value) => (name === "lastUsedAt" ? undefined : value));
}
