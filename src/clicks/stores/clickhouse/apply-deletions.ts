import type { StoreConnection } from "./connection.ts";
import { localTable, partsTable, type TableName, tableNames } from "./schema.ts";
import { binding } from "./sql.ts";

/**
 * Rewrites the parts with deleted rows, so that no byte of these rows stays in them. ClickHouse removes the old parts
 * from the disk some minutes later (`old_parts_lifetime`). False when no part has deleted rows, or when `signal` was
 * aborted.
 */
export async function applyDeletions(connection: StoreConnection, signal: AbortSignal): Promise<boolean> {
  const pending = await tablesWithDeletions(connection);
  for (const table of pending) {
    if (signal.aborted) return false;
    await connection.clickHouse.run({
      sql: `ALTER TABLE ${localTable(table, connection.topology)} APPLY DELETED MASK`,
      parameters: {},
    });
  }
  return pending.length > 0;
}

async function tablesWithDeletions(connection: StoreConnection): Promise<TableName[]> {
  const { parameters, bind } = binding();
  const sql = `SELECT DISTINCT table FROM ${partsTable(connection.topology, bind)}
WHERE database = currentDatabase() AND active AND has_lightweight_delete`;
  const names = (await connection.read({ sql, parameters })).map(({ table }) => String(table).replace(/_local$/, ""));
  return tableNames.filter((name) => names.includes(name));
}
