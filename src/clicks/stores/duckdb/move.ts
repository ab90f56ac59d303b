import type { DuckDBConnection } from "@duckdb/node-api";
import { dayMs } from "../../../base/time.ts";
import type { Click } from "../../click.ts";
import { cursorsInUse, type ExpiredCount, type StoreMove, type StorePart, TargetInUse } from "../../move.ts";
import { movedPrefix } from "../../moved-spools.ts";
import type { Engine } from "./engine.ts";
import { click, type Row } from "./rows.ts";
import { dimensionTables, flatRows, sqlNames, tables } from "./star-schema.ts";
import { inTransaction } from "./transaction.ts";

/** The tables without clicks and counts. */
const keptTables = new Set(["about", "cursors"]);

/** The rows that are being read, numbered in their order. */
const numberedRows = "numbered_rows";

/** The calls of a move; see StoreMove. `engine` returns the open engine. */
export function duckDbMove(engine: () => Engine): StoreMove {
  const read = async (sql: string, parameters: number[] = []) =>
    await rowsOf(engine().writeConnection, sql, parameters);
  const change = (work: (connection: DuckDBConnection) => Promise<void>) => changeRows(engine(), work);
  return {
    // Expired clicks leave this store when they expire.
    async settle() {},
    async workspaceIds() {
      const all = `SELECT "workspaceId" FROM facts UNION SELECT "workspaceId" FROM ${sqlNames.expiredRollup}`;
      return (await read(`${all} ORDER BY 1`)).map(({ workspaceId }) => Number(workspaceId));
    },
    async countDays() {
      const rows = await read(
        `SELECT "time" // ${dayMs} AS "day", count(*) AS "clicks" FROM facts GROUP BY 1 ORDER BY 1`,
      );
      return rows.map(({ day, clicks }) => ({ day: Number(day) * dayMs, clicks: Number(clicks) }));
    },
    async countWorkspaces(day) {
      const rows = await read(
        `SELECT "workspaceId", count(*) AS "clicks" FROM facts WHERE "time" >= $1 AND "time" < $2 GROUP BY 1 ORDER BY 1`,
        [day, day + dayMs],
      );
      return rows.map(({ workspaceId, clicks }) => ({ workspaceId: Number(workspaceId), clicks: Number(clicks) }));
    },
    readPart: (part, from, batchMax) => readPart(engine(), part, { from, batchMax }),
    readExpired: (batchMax) => readExpired(engine(), batchMax),
    async replaceExpired(counts) {
      const { writer } = engine();
      await change((connection) => deleteAll(connection, sqlNames.expiredRollup));
      const workspaceIds = new Set<number>();
      for await (const batch of counts) {
        await writer.addExpired(batch);
        for (const { workspaceId } of batch) workspaceIds.add(workspaceId);
      }
      // The rollup also has the expired clicks.
      for (const workspaceId of workspaceIds) await writer.recountRollup({ workspaceId, corrects: true });
    },
    async cursors() {
      const rows = await read('SELECT "spoolId", "position" FROM cursors');
      return Object.fromEntries(rows.map(({ spoolId, position }) => [String(spoolId), Number(position)]));
    },
    replaceMoved: (cursors) =>
      change(async (connection) => {
        const moved = `starts_with("spoolId", '${movedPrefix}')`;
        if ((await rowsOf(connection, `SELECT 1 FROM cursors WHERE NOT ${moved} LIMIT 1`)).length > 0) {
          throw new TargetInUse(cursorsInUse);
        }
        await connection.run(`DELETE FROM cursors WHERE ${moved}`);
        for (const [spoolId, position] of Object.entries(cursors)) {
          await connection.run("INSERT INTO cursors VALUES ($1, $2)", [spoolId, BigInt(position)]);
        }
      }),
    clear: () =>
      change(async (connection) => {
        for (const name of Object.keys(tables)) if (!keptTables.has(name)) await deleteAll(connection, name);
      }),
  };
}

async function rowsOf(connection: DuckDBConnection, sql: string, parameters: number[] = []): Promise<Row[]> {
  const values = parameters.map((value) => BigInt(value));
  return (await connection.runAndReadAll(sql, values)).getRowObjects();
}

async function deleteAll(connection: DuckDBConnection, table: string): Promise<void> {
  await connection.run(`DELETE FROM "${table}"`);
}

async function changeRows(
  { writer, writeConnection }: Engine,
  work: (connection: DuckDBConnection) => Promise<void>,
): Promise<void> {
  await writer.withoutCompaction(() => inTransaction(writeConnection, () => work(writeConnection)));
}

/**
 * The facts of a part are sorted and numbered as integers, and each batch gets its texts when it is read: sorting rows with
 * texts would take many times the memory.
 */
async function* readPart(
  engine: Engine,
  { from, to, workspaces, clicks }: StorePart,
  batches: { from: number; batchMax: number },
): AsyncGenerator<Click[]> {
  if (batches.from >= clicks) return;
  const conditions = [
    ...[`"time" >= ${from}`, `"time" < ${to}`],
    ...(workspaces === undefined ? [] : [`"workspaceId" BETWEEN ${workspaces.first} AND ${workspaces.last}`]),
  ];
  const { column } = dimensionTables.idPrefix;
  const order = `"workspaceId", "time", "${column}", "idLow"`;
  const sorted = `SELECT row_number() OVER (ORDER BY ${order}) - 1 AS "position", facts.* FROM facts WHERE ${conditions.join(" AND ")}`;
  yield* readNumbered(engine, { rows: sorted, ...batches }, async (connection, batch) => {
    const facts = `(SELECT * FROM ${numberedRows} WHERE "position" >= ${batch.from} AND "position" < ${batch.to})`;
    return (await rowsOf(connection, flatRows(facts))).map(click);
  });
}

/** One count for each link and bucket: a link may have several rows with the same texts. */
async function* readExpired(engine: Engine, batchMax: number): AsyncGenerator<ExpiredCount[]> {
  const texts = dimensionTables.link.fields.map((field) => `"links"."${field}"`).join(", ");
  const counted = `SELECT "expired"."workspaceId", "expired"."time", ${texts}, "bot" <> 0 AS "isBot", sum("clicks") AS "clicks"
FROM ${sqlNames.expiredRollup} AS "expired" JOIN "links" ON "links"."number" = "expired"."link" GROUP BY ALL`;
  const rows = `SELECT row_number() OVER () - 1 AS "position", * FROM (${counted})`;
  yield* readNumbered(engine, { rows, from: 0, batchMax }, async (connection, { from, to }) => {
    const sql = `SELECT * EXCLUDE ("position") FROM ${numberedRows} WHERE "position" >= ${from} AND "position" < ${to}`;
    return (await rowsOf(connection, sql)).map(expiredCountOf);
  });
}

function expiredCountOf({ workspaceId, time, linkId, domainId, domain, key, isBot, clicks }: Row): ExpiredCount {
  return {
    ...{ workspaceId: Number(workspaceId), time: Number(time), isBot: isBot === true, clicks: Number(clicks) },
    ...{ linkId: String(linkId), domainId: String(domainId), domain: String(domain), key: String(key) },
  };
}

/** SQL for rows with a "position", and the batches in which they are read from the one at `from`. */
type NumberedRows = { rows: string; from: number; batchMax: number };

/** Puts rows into a temporary table and reads it in batches. */
async function* readNumbered<Item>(
  engine: Engine,
  { rows, from, batchMax }: NumberedRows,
  readBatch: (connection: DuckDBConnection, batch: { from: number; to: number }) => Promise<Item[]>,
): AsyncGenerator<Item[]> {
  const connection = await engine.connect();
  try {
    await connection.run(`CREATE TEMP TABLE ${numberedRows} AS ${rows}`);
    const [counted] = await rowsOf(connection, `SELECT count(*) AS "count" FROM ${numberedRows}`);
    const end = Number(counted?.["count"]);
    for (let position = from; position < end; position += batchMax) {
      yield await readBatch(connection, { from: position, to: Math.min(position + batchMax, end) });
    }
    await connection.run(`DROP TABLE ${numberedRows}`);
  } finally {
    connection.closeSync();
  }
}
