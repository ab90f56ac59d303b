import { existsSync, renameSync } from "node:fs";
import type { App } from "../app.ts";
import { removeMove } from "../click-move-folder.ts";
import { dataPaths } from "../data-paths.ts";

/**
 * Goes on with the clicks that were moved to ClickHouse: its store is the one that has them, and the file is set aside as
 * `clicks.duckdb.moved`. Can be repeated after a crash at any point.
 */
export async function useMovedClicks({ config, db, log }: Pick<App, "config" | "db" | "log">): Promise<void> {
  await db.deleteFrom("clickStores").execute();
  const { clicks } = dataPaths(config);
  const kept = `${clicks}.moved`;
  if (existsSync(clicks)) renameSync(clicks, kept);
  removeMove(config);
  log.info("The clicks are in ClickHouse now. Delete the file that they were in when ClickHouse has proven itself.", {
    kept,
  });
}
