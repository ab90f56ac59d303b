import type { EraseScope } from "../../store.ts";
import type { StoreConnection } from "./connection.ts";
import { localTable, type TableName } from "./schema.ts";
import { type Bind, binding, instant } from "./sql.ts";

/**
 * Erases the clicks of a workspace or of one of its links, and their counts. An erasure that failed may have erased a
 * part, and can be repeated.
 */
export async function erase(connection: StoreConnection, scope: EraseScope): Promise<void> {
  const tables: TableName[] =
    "linkId" in scope ? ["clicks", "expired_clicks"] : ["clicks", "expired_clicks", "expiries"];
  for (const table of tables) {
    // A deletion rewrites parts, so nothing is deleted where nothing would be erased.
    const { parameters, bind } = binding();
    const sql = `SELECT 1 AS found FROM ${table} WHERE ${erased(scope, bind)} LIMIT 1`;
    if ((await connection.read({ sql, parameters })).length > 0) await deleteFrom(connection, table, scope);
  }
  connection.expiries.forget();
}

async function deleteFrom(
  { clickHouse, topology }: StoreConnection,
  table: TableName,
  scope: EraseScope,
): Promise<void> {
  const { parameters, bind } = binding();
  await clickHouse.run({
    sql: `DELETE FROM ${localTable(table, topology)} WHERE ${erased(scope, bind)}`,
    parameters,
  });
}

function erased(scope: EraseScope, bind: Bind): string {
  const workspace = `workspaceId = ${bind("UInt32", scope.workspaceId)}`;
  if (!("linkId" in scope)) return workspace;
  const link = `${workspace} AND linkId = ${bind("String", scope.linkId)}`;
  return scope.before === undefined ? link : `${link} AND time < ${instant(scope.before, bind)}`;
}
