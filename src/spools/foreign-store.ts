/**
 * Detects a click store of another service: its clicks would count for this service's workspaces, since clicks name
 * workspaces by number, and each database begins with 1. Only for a store in a file; ClickHouse's store compares its batches
 * with those in PostgreSQL (clicks/stores/clickhouse/open-schema.ts).
 *
 * The database remembers the id of its store, and knows every spool before the store has a click of it (registerSpool in
 * links/counters.ts): those of visitors, which wait in a new spool while the database is away, and those of example
 * workspaces. So a store with another id is foreign when it has clicks, and none of a known spool.
 */
import { Problem } from "../base/problem.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import { type Config, ConfigError } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import type { Db } from "../database/database.ts";
import { knownStoreId } from "../database/known-store.ts";

type StoreCalls = Pick<Pipeline, "storeId" | "linkCounts">;

/** No workspace has this number. */
const noWorkspace = 0;

/**
 * Returns the error for a foreign store; undefined for the store of this database, an empty one, and ClickHouse.
 * Throws Problem "unavailable" while the store cannot be opened.
 */
export async function foreignStoreError(
  config: Config,
  { db, pipeline }: { db: Db; pipeline: StoreCalls },
): Promise<ConfigError | undefined> {
  if (config.WAYPOST_CLICKS_URL !== undefined) return undefined;
  if ((await pipeline.storeId()) === (await knownStoreId(db))) return undefined;
  // The cursors of all spools come with each page.
  const { cursors } = await pipeline.linkCounts({ workspaceId: noWorkspace, after: "", limit: 1 });
  const spoolIds = Object.keys(cursors);
  if (spoolIds.length === 0) return undefined;
  const known = await knownSpoolIds(db);
  if (spoolIds.some((id) => known.has(id))) return undefined;
  // Without PostgreSQL, the database is in the folder, so only the file is foreign, and not the spool.
  const alone = config.WAYPOST_DATABASE_URL === undefined ? "move the file and its .wal away" : "use an empty folder";
  return new ConfigError(
    `WAYPOST_DATA: ${dataPaths(config).clicks} has the clicks of another Waypost: this database knows none of their spools. ` +
      `Use the database of these clicks, or restore a backup. To start without these clicks, ${alone}.`,
  );
}

/**
 * Throws ConfigError when the store that exists is foreign. A store that cannot be opened is not checked: it shows no clicks,
 * and its next opening is logged as a loss.
 */
export async function refuseForeignStore(config: Config, deps: { db: Db; pipeline: StoreCalls }): Promise<void> {
  const error = await foreignStoreError(config, deps).catch((failure: unknown) => {
    if (failure instanceof Problem) return undefined;
    throw failure;
  });
  if (error !== undefined) throw error;
}

async function knownSpoolIds(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom("counterCursors").select("spoolId").distinct().execute();
  return new Set(rows.map(({ spoolId }) => spoolId));
}
