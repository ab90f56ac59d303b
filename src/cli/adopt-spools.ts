import { cpSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { viewSpool } from "../clicks/spool-view.ts";
import { type Config, readConfig } from "../config.ts";
import { dataPaths, workerSpoolPath } from "../data-paths.ts";
import { connect } from "../database/database.ts";
import { databaseLocation } from "../database-location.ts";
import { isReporting } from "../nodes/is-reporting.ts";
import { freeSpoolIndex } from "../spools/detached-spool.ts";
import { CliError } from "./cli-error.ts";
import { folderInUseError, lockDataFolderAsOwner } from "./data-folder.ts";
import { explainFailure } from "./explain-failure.ts";

/** Folders of a spool that are spools too: those of redirect workers, and that of a start without PostgreSQL. */
const innerSpool = /^(worker-\d+|detached)$/;

/**
 * Copies the spools of a dead node's disk into this data folder: all of them for its data folder, and one for the folder of
 * one spool. The next start stores and counts what is left of them, and then removes the copies.
 * Throws CliError when the folder holds no spool, its node runs, or the service of this data folder runs.
 */
export async function adoptSpools(folder: string): Promise<{ spoolId: string; copiedTo: string }[]> {
  const config = readConfig();
  const given = resolve(folder);
  const source = existsSync(join(given, "spool")) ? join(given, "spool") : given;
  if (source === dataPaths(config).spool) throw new CliError(`${source} is the spool of this data folder.`);
  const spools = spoolsIn(source);
  if (spools.length === 0) throw new CliError(`${given} holds no spool. Give the data folder of the dead node.`);
  const held = lockDataFolderAsOwner(config);
  if (held === undefined) throw folderInUseError(config);
  try {
    await refuseRunning(
      config,
      spools.map(({ spoolId }) => spoolId),
    );
    return spools.map(({ spoolId, directory }) => ({ spoolId, copiedTo: copySpool(config, directory) }));
  } finally {
    held.release();
  }
}

function spoolsIn(source: string): { spoolId: string; directory: string }[] {
  if (!existsSync(source)) return [];
  const inner = readdirSync(source).filter((name) => innerSpool.test(name));
  return [source, ...inner.map((name) => join(source, name))].flatMap((directory) => {
    const spool = viewSpool(directory);
    return spool === undefined ? [] : [{ spoolId: spool.id, directory }];
  });
}

/** A copy lacks the later clicks of its node. Its part of a batch could be stored, and the whole one then be dropped. */
async function refuseRunning(config: Config, spoolIds: readonly string[]): Promise<void> {
  const location = databaseLocation(config);
  if (location.kind === "sqlite") return;
  const { db, close } = connect(location, "full");
  try {
    const owners = await db
      .selectFrom("nodeSpools")
      .select("nodeId")
      .distinct()
      .where("spoolId", "in", spoolIds)
      .execute();
    const reporting = await Promise.all(owners.map(({ nodeId }) => isReporting(db, nodeId)));
    if (!reporting.includes(true)) return;
  } catch (error) {
    throw explainFailure(error, config);
  } finally {
    await close();
  }
  throw new CliError(
    "The node of this spool runs, and stores its clicks. Only the spool of a dead node can be adopted.",
  );
}

/** Returns the path of the copy. */
function copySpool(config: Config, directory: string): string {
  const target = workerSpoolPath(config, freeSpoolIndex(config));
  const partial = `${target}.partial`;
  rmSync(partial, { recursive: true, force: true });
  const isOwn = (path: string) => path === directory || !innerSpool.test(basename(path));
  cpSync(directory, partial, { recursive: true, filter: isOwn });
  renameSync(partial, target);
  return target;
}
