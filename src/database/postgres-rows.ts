import type { Client } from "pg";
import { z } from "zod";
import { errorCode } from "../base/causes.ts";
import { openPostgresClient } from "./postgres-client.ts";
import { quoted } from "./quoted.ts";
import {
  type ChangeTarget,
  copiedRow,
  progressTable,
  type Row,
  sourceRow,
  type TableShape,
  type TableTarget,
} from "./table-rows.ts";

const Line = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

/** The rows of the PostgreSQL database at `url`. Foreign keys hold: referenced tables are filled first. */
export async function openPostgresRows(url: string): Promise<ChangeTarget> {
  const client = await openPostgresClient(url);
  const sequences = async () => {
    const { rows } = await client.query<{ table: string; sequence: string }>(sequencesSql);
    return rows;
  };
  return {
    async tables() {
      const { rows } = await client.query<TableShape>(tablesSql, [progressTable]);
      const { rows: keys } = await client.query<Reference>(referencesSql);
      return inOrder(rows, keys);
    },
    async read({ name, columns, key }, after, rowsMax) {
      const list = quoted(key);
      const where = after === undefined ? "" : `where (${list}) > (${key.map((_, at) => `$${at + 1}`).join(", ")})`;
      const sql = `select to_jsonb(t)::text as line from
        (select ${quoted(columns)} from "${name}" ${where} order by ${list} limit ${rowsMax}) t`;
      const { rows } = await client.query<{ line: string }>(sql, after === undefined ? [] : valuesOf(after, key));
      return rows.map(({ line }) => Line.parse(JSON.parse(line)));
    },
    async count({ name }) {
      const { rows } = await client.query<{ count: string }>(`select count(*) as count from "${name}"`);
      return Number(rows[0]?.count);
    },
    async lastNumbers() {
      const numbers: Record<string, number> = {};
      for (const { table, sequence } of await sequences()) {
        // A sequence that has given no number yet has the last number 0.
        const { rows } = await client.query<{ last: string }>(
          `select case when is_called then last_value else last_value - 1 end as last from ${sequence}`,
        );
        numbers[table] = Number(rows[0]?.last ?? 0);
      }
      return numbers;
    },
    async progress() {
      if (!(await hasProgress(client))) return undefined;
      const { rows } = await client.query<{ name: string; value: string }>(
        `select name, value from "${progressTable}"`,
      );
      return new Map(rows.map(({ name, value }) => [name, value]));
    },
    async begin(source) {
      await client.query("begin");
      await client.query(`create table "${progressTable}" (name text primary key, value text not null)`);
      await client.query(`insert into "${progressTable}" values ($1, $2)`, [sourceRow, source]);
      await client.query("commit");
    },
    async clear(tables) {
      await client.query(`delete from "${progressTable}" where name <> $1`, [sourceRow]);
      for (const { name } of [...tables].reverse()) await client.query(`delete from "${name}"`);
    },
    async insert({ name, columns }, rows, progress) {
      const list = quoted(columns);
      await inTransaction(client, async () => {
        await client.query(
          `insert into "${name}" (${list}) overriding system value
           select ${list} from json_populate_recordset(null::"${name}", $1)`,
          [JSON.stringify(rows)],
        );
        await setProgress(client, name, progress);
      });
    },
    async complete(numbers, copyId) {
      for (const { table, sequence } of await sequences()) {
        await client.query("select setval($1, $2, false)", [sequence, (numbers[table] ?? 0) + 1]);
      }
      await setProgress(client, copiedRow, copyId);
    },
    async finish() {
      await client.query(`drop table "${progressTable}"`);
    },
    close: () => client.end(),
    ...changesOf(client),
  };
}

/** TABLE of codes of statements that break a unique index or a foreign key. */
const refusals = ["23505", "23503"];

function changesOf(client: Client): Omit<ChangeTarget, keyof TableTarget> {
  const rowsAt = (name: string) => `json_populate_recordset(null::"${name}", $1) r`;
  const sameKey = (key: readonly string[]) => key.map((column) => `t."${column}" = r."${column}"`).join(" and ");
  return {
    inTransaction: (work) => inTransaction(client, work),
    async remove({ name, key }, keys) {
      await client.query(`delete from "${name}" t using ${rowsAt(name)} where ${sameKey(key)}`, [JSON.stringify(keys)]);
    },
    async put({ name, columns, key }, rows) {
      const list = quoted(columns);
      const others = columns.filter((column) => !key.includes(column));
      const update = others.map((column) => `"${column}" = excluded."${column}"`).join(", ");
      await client.query(
        `insert into "${name}" (${list}) overriding system value select ${list} from ${rowsAt(name)}
         on conflict (${quoted(key)}) do ${update === "" ? "nothing" : `update set ${update}`}`,
        [JSON.stringify(rows)],
      );
    },
    async readAt({ name, columns, key }, rows) {
      const { rows: found } = await client.query<{ line: string }>(
        `select to_jsonb(found)::text as line from
         (select ${columns.map((column) => `t."${column}"`).join(", ")} from ${rowsAt(name)}
          join "${name}" t on ${sameKey(key)}) found`,
        [JSON.stringify(rows)],
      );
      return found.map(({ line }) => Line.parse(JSON.parse(line)));
    },
    isRefusal: (error) => error instanceof Error && refusals.includes(errorCode(error)),
  };
}

async function setProgress(client: Client, name: string, value: string): Promise<void> {
  await client.query(
    `insert into "${progressTable}" values ($1, $2) on conflict (name) do update set value = excluded.value`,
    [name, value],
  );
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query("begin");
  try {
    await work();
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

async function hasProgress(client: Client): Promise<boolean> {
  const { rowCount } = await client.query(
    "select 1 from information_schema.tables where table_schema = current_schema() and table_name = $1",
    [progressTable],
  );
  return rowCount !== 0;
}

const tablesSql = `select t.table_name as name,
    (select array_agg(c.column_name::text order by c.column_name collate "C") from information_schema.columns c
      where c.table_schema = t.table_schema and c.table_name = t.table_name and c.is_generated = 'NEVER'
        and c.data_type <> 'xid8') as columns,
    (select array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum)) from pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
      where i.indisprimary and i.indrelid = quote_ident(t.table_name)::regclass) as key
  from information_schema.tables t where t.table_schema = current_schema() and t.table_type = 'BASE TABLE'
    and t.table_name not like 'kysely\\_%' and t.table_name <> $1 order by t.table_name collate "C"`;

type Reference = { table: string; references: string };
const referencesSql = `select class.relname as table, other.relname as references from pg_constraint con
  join pg_class class on class.oid = con.conrelid join pg_class other on other.oid = con.confrelid
  where con.contype = 'f' and class.relnamespace = current_schema()::regnamespace`;

const sequencesSql = `select table_name as table,
    pg_get_serial_sequence(quote_ident(table_name), column_name) as sequence
  from information_schema.columns where table_schema = current_schema()
    and pg_get_serial_sequence(quote_ident(table_name), column_name) is not null`;

/** Puts referenced tables before those that refer to them. Throws when tables refer to each other in a circle. */
function inOrder(tables: readonly TableShape[], references: readonly Reference[]): TableShape[] {
  const placed: TableShape[] = [];
  const isPlaced = (name: string) => placed.some((each) => each.name === name);
  while (placed.length < tables.length) {
    const next = tables.find(
      ({ name }) =>
        !isPlaced(name) &&
        references.every(({ table, references: other }) => table !== name || other === name || isPlaced(other)),
    );
    if (next === undefined) throw new Error("Tables of the schema refer to each other in a circle.");
    placed.push(next);
  }
  return placed;
}

function valuesOf(row: Row, columns: readonly string[]) {
  return columns.map((column) => row[column] ?? null);
}
