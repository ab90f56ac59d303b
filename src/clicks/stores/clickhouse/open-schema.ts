import { minuteMs } from "../../../base/time.ts";
import { referrerTableVersion } from "../../referrer-group.ts";
import type { BatchLog } from "./batch-log.ts";
import type { ClickHouse } from "./client.ts";
import { addProjections, declares, hasNoRight, neededSetting, projectionNames } from "./projections.ts";
import { correctReferrerGroups } from "./referrer-groups.ts";
import { requireVersion } from "./require-version.ts";
import { createTables, localTable, rowsTable, schemaVersion, type Topology, tableNames } from "./schema.ts";
import { binding, dateTime, type Statement } from "./sql.ts";

/** The longest a statement may take that opens the tables. Corrected referrers may be a column of all clicks. */
const openTimeMaxMs = 10 * minuteMs;

/**
 * Creates the tables that are absent, and returns the id of the store. An account that may not create tables is enough
 * when an operator has run the statements of `waypost clickhouse schema`.
 * Throws when the tables are of a later version, and when ClickHouse is too old or has clicks of another Waypost, or of batches
 * that PostgreSQL does not know.
 */
export async function openSchema(
  clickHouse: ClickHouse,
  log: BatchLog,
  topology: Topology,
  now: () => number,
): Promise<{ storeId: string }> {
  const read = (sql: string, parameters: Statement["parameters"] = {}) =>
    clickHouse.read({ sql, parameters }, openTimeMaxMs, AbortSignal.timeout(openTimeMaxMs));
  await requireVersion(async () => String((await read("SELECT version() AS version"))[0]?.["version"]));
  const existing = await read("SELECT name FROM system.tables WHERE database = currentDatabase()");
  if (!tableNames.every((table) => existing.some(({ name }) => name === table))) {
    for (const sql of createTables(topology)) await clickHouse.run({ sql, parameters: {} });
  }
  await openProjections(clickHouse, topology, read);
  const aboutColumns = ["version", "storeId", "referrerTable", "createdAt"];
  const about = "SELECT version, storeId, referrerTable FROM about ORDER BY createdAt, storeId LIMIT 1";
  let [row] = await read(about);
  if (row === undefined) {
    const storeId = crypto.randomUUID();
    await clickHouse.insert(
      "about",
      aboutColumns,
      [[schemaVersion, storeId, referrerTableVersion, dateTime(now())]],
      storeId,
    );
    [row] = await read(about);
  }
  if (Number(row?.["version"]) > schemaVersion) {
    throw new Error(
      `The tables in ClickHouse have version ${row?.["version"]}; this version of Waypost knows ${schemaVersion}. Run a later version of Waypost.`,
    );
  }
  const storeId = String(row?.["storeId"]);
  await requireOwn(log, storeId, read);
  await checkNewest(log, read);
  if (row?.["referrerTable"] !== referrerTableVersion) await followReferrerTable(clickHouse, topology, read);
  return { storeId };
}

/** Throws when ClickHouse has clicks, or counts of expired ones, of another Waypost. */
async function requireOwn(log: BatchLog, id: string, read: Read): Promise<void> {
  // Read before the log, in which another node records the store before its first clicks.
  const [first] = await read("(SELECT 1 FROM clicks LIMIT 1) UNION ALL (SELECT 1 FROM expired_clicks LIMIT 1)");
  if (await log.use({ id, isEmpty: first === undefined })) return;
  throw new Error(
    "ClickHouse has clicks of another Waypost than the one in PostgreSQL. Set WAYPOST_CLICKS_URL to an empty database or to the one of this service.",
  );
}

/**
 * Throws when clicks have numbers of batches that PostgreSQL does not know: it would give these numbers again, and the spools
 * would bring the same clicks. The index of `batch` skips all clicks that it knows.
 */
async function checkNewest(log: BatchLog, read: Read): Promise<void> {
  const { newest } = await log.snapshot();
  const { parameters, bind } = binding();
  const [stored] = await read(
    `SELECT max(batch) AS newest FROM clicks WHERE batch > ${bind("UInt64", newest)}`,
    parameters,
  );
  const found = Number(stored?.["newest"] ?? 0);
  // Other nodes may have recorded batches in between.
  if (found > newest && found > (await log.snapshot()).newest) {
    throw new Error(
      `ClickHouse has clicks of batches after number ${newest}, which PostgreSQL does not know: it was restored from an older backup than ClickHouse, or the clicks are of another Waypost. See "Backup and restore" in docs/clickhouse.md.`,
    );
  }
  const [expired] = await read("SELECT max(arrayMax(hidden.upTo)) AS newest FROM expiries WHERE notEmpty(hidden)");
  await log.raiseNewest(Number(expired?.["newest"] ?? 0));
}

type Read = (
  sql: string,
  parameters?: Statement["parameters"],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Adds the projections that are absent, if the server can build them and the account may add them. */
async function openProjections(clickHouse: ClickHouse, topology: Topology, read: Read): Promise<void> {
  const { parameters, bind } = binding();
  const table = rowsTable("clicks", topology);
  const names = bind("Array(String)", projectionNames);
  const absent = `SELECT count() AS number FROM system.tables
WHERE database = currentDatabase() AND name = ${bind("String", table)} AND NOT ${declares(names)}
  AND (SELECT count() FROM system.merge_tree_settings WHERE name = ${bind("String", neededSetting)}) > 0`;
  try {
    const [found] = await read(absent, parameters);
    if (Number(found?.["number"]) === 0) return;
    for (const sql of addProjections(topology)) await clickHouse.run({ sql, parameters: {} });
  } catch (error) {
    // Queries count the rows then, with the same result.
    if (!hasNoRight(error)) throw error;
  }
}

/** Corrects the stored referrers, and then remembers that they follow from the current table of services. */
async function followReferrerTable(clickHouse: ClickHouse, topology: Topology, read: Read): Promise<void> {
  await correctReferrerGroups({ clickHouse, read, topology });
  const { parameters, bind } = binding();
  await clickHouse.run({
    sql: `ALTER TABLE ${localTable("about", topology)} UPDATE referrerTable = ${bind("String", referrerTableVersion)} WHERE true`,
    parameters,
  });
}
