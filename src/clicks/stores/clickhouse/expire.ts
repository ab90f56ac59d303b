import type { ExpireScope } from "../../store.ts";
import type { BatchSnapshot } from "./batch-log.ts";
import { notHidden } from "./compile-query.ts";
import type { StoreConnection } from "./connection.ts";
import { type ExpiredClicks, type Expiry, expiryColumns, expiryValues, hiddenMax, hiddenMs } from "./expiries.ts";
import { bucketMs, linkColumns, localTable } from "./schema.ts";
import { type Bind, binding, instant, type Statement } from "./sql.ts";

/** Counts a workspace's clicks from before an instant, rounded down to a bucket, and hides them; see expiries.ts. */
export async function expire(connection: StoreConnection, { workspaceId, before }: ExpireScope): Promise<void> {
  const state = await connection.expiries.read(workspaceId);
  if (state.hidden.length >= hiddenMax) return;
  const plan = state.planned ?? (await planExpiry(connection, { workspaceId, before }, state));
  if (plan === undefined) return;
  const planned: Expiry = { ...state, version: state.version + 1, planned: plan };
  if (state.planned === undefined) await replace(connection, workspaceId, planned);
  const generation = state.generation + 1;
  await connection.clickHouse.run(insertExpired(workspaceId, plan, { hidden: state.hidden, generation }));
  await replace(connection, workspaceId, {
    version: planned.version + 1,
    generation,
    planned: undefined,
    hidden: [...state.hidden, { ...plan, since: connection.now() }],
  });
}

/** The bounds of the next expiry; undefined when no click is old enough. */
async function planExpiry(
  connection: StoreConnection,
  { workspaceId, before }: ExpireScope,
  { hidden }: Expiry,
): Promise<ExpiredClicks | undefined> {
  const plan = { before: Math.floor(before / bucketMs) * bucketMs, upTo: lastSettled(await connection.log.snapshot()) };
  const { parameters, bind } = binding();
  const sql = `SELECT 1 AS found FROM clicks WHERE ${expiring(workspaceId, plan, hidden, bind)} LIMIT 1`;
  return (await connection.read({ sql, parameters })).length === 0 ? undefined : plan;
}

/** The last batch before every open one: the batches up to it get no more rows. */
function lastSettled({ newest, open }: BatchSnapshot): number {
  return open.length === 0 ? newest : Math.min(...open) - 1;
}

function insertExpired(
  workspaceId: number,
  plan: ExpiredClicks,
  { hidden, generation }: Pick<Expiry, "hidden" | "generation">,
): Statement {
  const { parameters, bind } = binding();
  const columns = [...linkColumns, "isBot"];
  const sql = `INSERT INTO expired_clicks (workspaceId, time, ${columns.join(", ")}, clicks, generation)
SELECT workspaceId, toStartOfInterval(time, INTERVAL ${bucketMs} MILLISECOND) AS bucket, ${linkColumns.join(", ")},
  bot != '' AS isBot, count(), ${bind("UInt64", generation)}
FROM clicks
WHERE ${expiring(workspaceId, plan, hidden, bind)}
GROUP BY workspaceId, bucket, ${columns.join(", ")}`;
  return { sql, parameters };
}

function expiring(workspaceId: number, { before, upTo }: ExpiredClicks, hidden: Expiry["hidden"], bind: Bind): string {
  return [
    `workspaceId = ${bind("UInt32", workspaceId)}`,
    `time < ${instant(before, bind)}`,
    `batch <= ${bind("UInt64", upTo)}`,
    ...notHidden(hidden, bind),
  ].join(" AND ");
}

/** Replaces the state of a workspace's expiries. */
async function replace({ clickHouse, expiries }: StoreConnection, workspaceId: number, state: Expiry): Promise<void> {
  try {
    const token = `expiry:${workspaceId}:${state.version}`;
    await clickHouse.insert("expiries", expiryColumns, [expiryValues(workspaceId, state)], token);
  } finally {
    expiries.forget();
  }
}

/** Deletes the clicks of expiries that took effect before `due`; long enough ago by default. False when there were none. */
export async function deleteExpired(
  connection: StoreConnection,
  signal: AbortSignal,
  due = connection.now() - hiddenMs,
): Promise<boolean> {
  const workspaceIds = await connection.expiries.due(due);
  for (const workspaceId of workspaceIds) {
    if (signal.aborted) return false;
    const state = await connection.expiries.read(workspaceId);
    const isDue = ({ since }: { since: number }) => since < due;
    for (const { before, upTo } of state.hidden.filter(isDue)) {
      const { parameters, bind } = binding();
      const sql = `DELETE FROM ${localTable("clicks", connection.topology)}
WHERE workspaceId = ${bind("UInt32", workspaceId)} AND time < ${instant(before, bind)} AND batch <= ${bind("UInt64", upTo)}`;
      await connection.clickHouse.run({ sql, parameters });
    }
    const hidden = state.hidden.filter((expired) => !isDue(expired));
    await replace(connection, workspaceId, { ...state, version: state.version + 1, hidden });
  }
  return workspaceIds.length > 0;
}
