/**
 * Copies a PostgreSQL database into files, and back.
 *
 * 1. One `REPEATABLE READ` transaction reads all tables, so the files are the database of one moment.
 * 2. Each table is a file of JSON lines, one per row. A line names its columns, so it restores into a table whose columns
 *    have another order.
 * 3. The restored schema comes from the migrations up to the last one of the copy; newer ones run at the next start.
 *    The rows arrive in one transaction. Foreign keys are dropped before the first row and created after the last one,
 *    which checks them; triggers are off. Neither needs more rights than those of the tables' owner.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { Kysely, Migrator } from "kysely";
import type { Client } from "pg";
import { migrations } from "./migrations/migrations.ts";
import { postgresDialect } from "./postgres.ts";
import { openPostgresClient } from "./postgres-client.ts";
import { refuseOtherEncoding } from "./postgres-encoding.ts";
import type { DatabaseCopy, TableCounts } from "./table-counts.ts";

/** Tables that are not copied: visitor salts, and the records that the migrations write themselves. */
const skippedTables = new Set(["daySalts", "kysely_migration", "kysely_migration_lock"]);
/** Rows per read. A row takes some kilobytes at most, except images, so a read takes milliseconds of the thread. */
const rowsPerReadMax = 500;
/** Rows and characters per insert. */
const rowsPerInsertMax = 1_000;
const charactersPerInsertMax = 4 * 1024 ** 2;

type Line = { line: string };

/** Writes each table of the database at `url` into a file of `folder`, as of one moment, without the visitor salts. */
export async function copyPostgres(url: string, folder: string): Promise<DatabaseCopy> {
  return await withClient(url, async (client) => {
    await client.query("begin transaction isolation level repeatable read, read only");
    const rows: TableCounts = {};
    for (const table of await tableNames(client)) rows[table] = await writeTable(client, table, folder);
    const last = await client.query<{ name: string }>("select name from kysely_migration order by name desc limit 1");
    await client.query("rollback");
    return { lastMigration: last.rows[0]?.name ?? "", rows };
  });
}

/** The file of a table in the folder of a copy. */
export function tableFile(folder: string, table: string): string {
  return join(folder, `${table}.jsonl`);
}

async function writeTable(client: Client, table: string, folder: string): Promise<number> {
  let count = 0;
  await client.query(`declare "rows" no scroll cursor for select to_jsonb(t)::text as line from "${table}" t`);
  async function* lines() {
    for (;;) {
      const { rows } = await client.query<Line>(`fetch ${rowsPerReadMax} from "rows"`);
      if (rows.length === 0) return;
      count += rows.length;
      yield rows.map(({ line }) => `${line}\n`).join("");
    }
  }
  await pipeline(lines, createWriteStream(tableFile(folder, table), { mode: 0o600 }));
  await client.query(`close "rows"`);
  return count;
}

/** True when the database at `url` has no tables yet. Throws the driver's error when PostgreSQL does not answer. */
export async function isPostgresEmpty(url: string): Promise<boolean> {
  return await withClient(url, async (client) => (await allTables(client)).length === 0);
}

/** Fills the empty database at `url` from the files of a copy; leaves it empty when it throws. */
export async function restorePostgres(url: string, folder: string, copy: DatabaseCopy): Promise<void> {
  try {
    await createSchema(url, copy.lastMigration);
    await withClient(url, async (client) => {
      await client.query("begin");
      await fillTables(client, folder, copy);
      await client.query("commit");
    });
  } catch (error) {
    await withClient(url, dropTables);
    throw error;
  }
}

async function createSchema(url: string, lastMigration: string): Promise<void> {
  const db = new Kysely<unknown>({ dialect: postgresDialect(url) });
  try {
    await refuseOtherEncoding(db);
    const provider = { getMigrations: async () => migrations("postgres") };
    const { error } = await new Migrator({ db, provider }).migrateTo(lastMigration);
    if (error !== undefined) throw error;
  } finally {
    await db.destroy();
  }
}

async function fillTables(client: Client, folder: string, { rows }: DatabaseCopy): Promise<void> {
  const tables = Object.keys(rows);
  const present = new Set(await tableNames(client));
  const unknown = tables.find((table) => !present.has(table));
  if (unknown !== undefined) throw new Error(`The schema of the backup has no table ${unknown}.`);
  const keys = await foreignKeys(client);
  for (const { table, name } of keys) await client.query(`alter table "${table}" drop constraint "${name}"`);
  for (const table of tables) {
    await client.query(`alter table "${table}" disable trigger user`);
    // The migrations may have inserted rows.
    await client.query(`delete from "${table}"`);
    await fillTable(client, table, folder);
    await client.query(`alter table "${table}" enable trigger user`);
  }
  for (const { table, name, definition } of keys) {
    await client.query(`alter table "${table}" add constraint "${name}" ${definition}`);
  }
  await advanceSequences(client, tables);
}

async function fillTable(client: Client, table: string, folder: string): Promise<void> {
  const columns = await client.query<{ list: string }>(
    `select string_agg(quote_ident(column_name), ', ') as list from information_schema.columns
     where table_schema = current_schema() and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  );
  const { list = "" } = columns.rows[0] ?? {};
  const sql = `insert into "${table}" (${list}) overriding system value
    select ${list} from json_populate_recordset(null::"${table}", $1)`;
  let lines: string[] = [];
  let characters = 0;
  const insert = async () => {
    if (lines.length > 0) await client.query(sql, [`[${lines.join(",")}]`]);
    lines = [];
    characters = 0;
  };
  for await (const line of createInterface({ input: createReadStream(tableFile(folder, table)) })) {
    lines.push(line);
    characters += line.length;
    if (lines.length >= rowsPerInsertMax || characters >= charactersPerInsertMax) await insert();
  }
  await insert();
}

type ForeignKey = { table: string; name: string; definition: string };

async function foreignKeys(client: Client): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select class.relname as table, con.conname as name, pg_get_constraintdef(con.oid) as definition
     from pg_constraint con join pg_class class on class.oid = con.conrelid
     where con.contype = 'f' and class.relnamespace = current_schema()::regnamespace`,
  );
  return rows;
}

/** Makes sequences continue after the restored numbers. */
async function advanceSequences(client: Client, tables: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `select table_name as table, column_name as column,
       pg_get_serial_sequence(quote_ident(table_name), column_name) as sequence
     from information_schema.columns where table_schema = current_schema() and table_name = any($1)
       and pg_get_serial_sequence(quote_ident(table_name), column_name) is not null`,
    [tables],
  );
  for (const { table, column, sequence } of rows) {
    await client.query(`select setval($1, (select coalesce(max("${column}"), 0) + 1 from "${table}"), false)`, [
      sequence,
    ]);
  }
}

async function tableNames(client: Client): Promise<string[]> {
  return (await allTables(client)).filter((name) => !skippedTables.has(name));
}

async function allTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = current_schema() and table_type = 'BASE TABLE' order by table_name`,
  );
  return rows.map(({ name }) => name);
}

async function dropTables(client: Client): Promise<void> {
  for (const table of await allTables(client)) await client.query(`drop table if exists "${table}" cascade`);
}

async function withClient<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await openPostgresClient(url);
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
