import type { StoreConnection } from "./connection.ts";
import { declares, hasNoRight, projectionNames } from "./projections.ts";
import { localTable, partsTable, rowsTable } from "./schema.ts";
import { binding } from "./sql.ts";

/** Rows of a part from which a projection is worth the reading of its partition. Merges add those of smaller parts. */
const partRowsMin = 100_000;

/**
 * Adds the projections to the parts of the month that lacks most: those from before the projections, and those that lost
 * them with deleted rows. One month for each call, because it reads most columns of all its clicks.
 */
export async function materializeProjections(connection: StoreConnection, signal: AbortSignal): Promise<void> {
  const { clickHouse, topology } = connection;
  const partition = await partitionWithout(connection);
  if (partition === undefined || signal.aborted) return;
  const each = projectionNames.map((name) => `MATERIALIZE PROJECTION ${name} IN PARTITION ID '${partition}'`);
  try {
    await clickHouse.run({
      sql: `ALTER TABLE ${localTable("clicks", topology)}\n  ${each.join(",\n  ")}`,
      parameters: {},
    });
  } catch (error) {
    // The account of an operator who ran the statements of `waypost clickhouse schema` may lack this right.
    if (!hasNoRight(error)) throw error;
  }
}

/** The partition with the most rows in parts that lack projections; undefined without one, or without projections. */
async function partitionWithout(connection: StoreConnection): Promise<number | undefined> {
  const { parameters, bind } = binding();
  const { topology } = connection;
  const table = bind("String", rowsTable("clicks", topology));
  const names = bind("Array(String)", projectionNames);
  const sql = `SELECT partition_id, sum(rows) AS lacking FROM ${partsTable(topology, bind)}
WHERE database = currentDatabase() AND table = ${table} AND active
  AND rows >= ${bind("UInt64", partRowsMin)} AND NOT hasAll(projections, ${names})
  AND (SELECT count() FROM system.tables WHERE database = currentDatabase() AND name = ${table}
    AND ${declares(names)}) > 0
GROUP BY partition_id ORDER BY lacking DESC, partition_id DESC LIMIT 1`;
  const [row] = await connection.read({ sql, parameters });
  return row === undefined ? undefined : Number(row["partition_id"]);
}
