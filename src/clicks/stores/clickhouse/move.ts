import { dayMs } from "../../../base/time.ts";
import type { Click } from "../../click.ts";
import type { ExpiredCount, StoreMove, StorePart } from "../../move.ts";
import type { StoreConnection } from "./connection.ts";
import { deleteExpired } from "./expire.ts";
import { type Expiry, expiryColumns, expiryValues } from "./expiries.ts";
import { clickOf, selectedClick } from "./rows.ts";
import { linkColumns, localTable, type TableName } from "./schema.ts";
import { type Bind, binding, dateTime, instant, millisecondsOf, type Statement } from "./sql.ts";

/** The generation of moved counts; see expiries.ts. */
const movedGeneration = 1;

const expiredColumns = ["workspaceId", "time", ...linkColumns, "isBot", "clicks", "generation"] as const;

/** The calls of a move; see StoreMove. */
export function clickHouseMove(connection: StoreConnection): StoreMove {
  const { log } = connection;
  const read = async (sql: string) => await connection.read({ sql, parameters: {} });
  return {
    async workspaceIds() {
      const all = "SELECT workspaceId FROM clicks UNION DISTINCT SELECT workspaceId FROM expired_clicks";
      return (await read(`SELECT DISTINCT workspaceId FROM (${all}) ORDER BY workspaceId`)).map(({ workspaceId }) =>
        Number(workspaceId),
      );
    },
    async settle() {
      // They are counted as expired already, and no query of an older state runs.
      await connection.change(() => deleteExpired(connection, connection.closing, Number.MAX_SAFE_INTEGER));
    },
    async countDays() {
      const day = `intDiv(${millisecondsOf("time")}, ${dayMs})`;
      const rows = await read(`SELECT ${day} AS day, count() AS clicks FROM clicks GROUP BY day ORDER BY day`);
      return rows.map(({ day, clicks }) => ({ day: Number(day) * dayMs, clicks: Number(clicks) }));
    },
    async countWorkspaces(day) {
      const { parameters, bind } = binding();
      const sql = `SELECT workspaceId, count() AS clicks FROM clicks WHERE ${within({ from: day, to: day + dayMs }, bind)}
GROUP BY workspaceId ORDER BY workspaceId`;
      const rows = await connection.read({ sql, parameters });
      return rows.map(({ workspaceId, clicks }) => ({ workspaceId: Number(workspaceId), clicks: Number(clicks) }));
    },
    readPart: (part, from, batchMax) => readPart(connection, part, { from, batchMax }),
    readExpired: (batchMax) => readExpired(connection, batchMax),
    replaceExpired: (counts) => connection.change(() => replaceExpired(connection, counts)),
    cursors: () => log.cursors(),
    replaceMoved: (cursors) => log.replaceMoved(cursors),
    async clear() {
      await connection.change(async () => {
        for (const table of ["clicks", "expired_clicks", "expiries"] as const) await empty(connection, table);
        connection.expiries.forget();
      });
    },
  };
}

async function empty({ clickHouse, topology }: StoreConnection, table: TableName): Promise<void> {
  await clickHouse.run({ sql: `TRUNCATE TABLE ${localTable(table, topology)}`, parameters: {} });
}

async function* readPart(
  connection: StoreConnection,
  part: StorePart,
  { from, batchMax }: { from: number; batchMax: number },
): AsyncGenerator<Click[]> {
  for (let position = from; position < part.clicks; position += batchMax) {
    const { parameters, bind } = binding();
    const sql = `SELECT ${selectedClick} FROM clicks WHERE ${within(part, bind)}
ORDER BY workspaceId, clicks.time, clicks.id
LIMIT ${bind("UInt64", Math.min(batchMax, part.clicks - position))} OFFSET ${bind("UInt64", position)}`;
    yield (await connection.read({ sql, parameters })).map(clickOf);
  }
}

/** SQL for the condition that a click belongs to a part. */
function within({ from, to, workspaces }: Pick<StorePart, "from" | "to" | "workspaces">, bind: Bind): string {
  return [
    ...[`clicks.time >= ${instant(from, bind)}`, `clicks.time < ${instant(to, bind)}`],
    ...(workspaces === undefined
      ? []
      : [`workspaceId BETWEEN ${bind("UInt32", workspaces.first)} AND ${bind("UInt32", workspaces.last)}`]),
  ].join(" AND ");
}

async function* readExpired(connection: StoreConnection, batchMax: number): AsyncGenerator<ExpiredCount[]> {
  for (let position = 0, isLast = false; !isLast; position += batchMax) {
    const rows = await connection.read(selectExpired(position, batchMax));
    isLast = rows.length < batchMax;
    if (rows.length > 0) yield rows.map(expiredCountOf);
  }
}

/** Rows of a generation that is only planned do not count. */
function selectExpired(position: number, limit: number): Statement {
  const { parameters, bind } = binding();
  const columns = linkColumns.join(", ");
  const sql = `SELECT workspaceId, ${millisecondsOf("time")} AS bucket, ${columns}, isBot, sum(clicks) AS number
FROM (SELECT * FROM expired_clicks FINAL) AS expired
INNER JOIN (SELECT workspaceId, generation AS newest FROM expiries FINAL) AS expiry USING (workspaceId)
WHERE generation <= newest
GROUP BY workspaceId, bucket, ${columns}, isBot
ORDER BY workspaceId, bucket, ${columns}, isBot
LIMIT ${bind("UInt64", limit)} OFFSET ${bind("UInt64", position)}`;
  return { sql, parameters };
}

function expiredCountOf(row: Readonly<Record<string, unknown>>): ExpiredCount {
  const [linkId, domainId, domain, key] = linkColumns.map((name) => String(row[name]));
  if (linkId === undefined || domainId === undefined || domain === undefined || key === undefined) {
    throw new Error("ClickHouse returned a count without its link.");
  }
  return {
    ...{ workspaceId: Number(row["workspaceId"]), time: Number(row["bucket"]), clicks: Number(row["number"]) },
    ...{ linkId, domainId, domain, key, isBot: row["isBot"] === true },
  };
}

async function replaceExpired(connection: StoreConnection, counts: AsyncIterable<ExpiredCount[]>): Promise<void> {
  const { clickHouse, expiries } = connection;
  await empty(connection, "expired_clicks");
  await empty(connection, "expiries");
  const workspaceIds = new Set<number>();
  for await (const batch of counts) {
    const values = batch.map(({ workspaceId, time, linkId, domainId, domain, key, isBot, clicks }) => {
      workspaceIds.add(workspaceId);
      const texts = [linkId, domainId, domain, key];
      return [workspaceId, dateTime(time), ...texts, isBot, clicks, movedGeneration];
    });
    await clickHouse.insert("expired_clicks", expiredColumns, values, crypto.randomUUID());
  }
  const state: Expiry = { version: 1, generation: movedGeneration, planned: undefined, hidden: [] };
  const states = [...workspaceIds].map((workspaceId) => expiryValues(workspaceId, state));
  if (states.length > 0) await clickHouse.insert("expiries", expiryColumns, states, crypto.randomUUID());
  expiries.forget();
}
