import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { segmentBases, segmentFileName, segmentHeaderBytes } from "./clicks/spool-format.ts";
import { type Config, ConfigError } from "./config.ts";
import { dataPaths, workerSpoolIndexes, workerSpoolPath } from "./data-paths.ts";

/**
 * Clicks name workspaces and links by number, and each database begins with 1. So a new database must not meet the clicks of
 * another one: its first workspace would show them.
 */

/**
 * Throws ConfigError for a data folder in use whose SQLite file is missing. A first start that was killed leaves no clicks, and
 * its database comes before everything else, so it can be repeated.
 */
export function refuseMissingDatabase(config: Config): void {
  const { data, sqlite, replica } = dataPaths(config);
  if (config.WAYPOST_DATABASE_URL !== undefined || existsSync(sqlite)) return;
  if (!existsSync(replica) && !holdsClicks(config)) return;
  throw new ConfigError(
    `WAYPOST_DATA: ${data} holds clicks or links, but no waypost.sqlite. If the data is in PostgreSQL, set WAYPOST_DATABASE_URL; ` +
      "otherwise restore a backup. To start empty, use an empty folder.",
  );
}

/** The error for clicks of another database than that of the configuration, which is empty. */
export function foreignClicksError(config: Config): ConfigError {
  const { data, sqlite } = dataPaths(config);
  if (config.WAYPOST_DATABASE_URL === undefined) {
    return new ConfigError(
      `WAYPOST_DATA: ${sqlite} is empty, but ${data} holds clicks of another database. If the data is in PostgreSQL, set ` +
        "WAYPOST_DATABASE_URL; otherwise restore a backup. To start empty, use an empty folder.",
    );
  }
  const advice = existsSync(sqlite)
    ? "To move waypost.sqlite there, run waypost migrate --to-database without this option."
    : "Set it to the database of these clicks, or restore a backup. To start empty, use an empty folder.";
  return new ConfigError(
    `WAYPOST_DATABASE_URL: this database is empty, but ${data} holds clicks of another one. ${advice}`,
  );
}

/** True when the data folder has a click store, or a spool with clicks. */
export function holdsClicks(config: Config): boolean {
  const { clicks, spool } = dataPaths(config);
  if (existsSync(clicks)) return true;
  const folders = [spool, ...workerSpoolIndexes(config).map((index) => workerSpoolPath(config, index))];
  return folders.some(holdsSpooledClicks);
}

function holdsSpooledClicks(folder: string): boolean {
  if (!existsSync(folder)) return false;
  return segmentBases(readdirSync(folder)).some(
    (base) => base > 0 || statSync(join(folder, segmentFileName(base))).size > segmentHeaderBytes,
  );
}
