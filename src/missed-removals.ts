/**
 * A node that starts while PostgreSQL is away records clicks of links that other nodes may remove in that time. After a
 * clean stop of this node, the others do not wait for these clicks. So this node notes which changes its copy of the
 * links has, and repeats all later removals when PostgreSQL is back.
 */
import { rmSync } from "node:fs";
import type { App } from "./app.ts";
import { readOrCreateTextFile, readTextFile } from "./base/text-file.ts";
import type { Config } from "./config.ts";
import { dataPaths } from "./data-paths.ts";
import { transact } from "./database/transact.ts";
import { repeatRemovals } from "./links/repeat-removals.ts";
import { reportStart } from "./nodes/report-node.ts";
import { copiedSnapshot } from "./redirects/replica/lookup-replica.ts";

/** Notes which changes the copy of the links has, unless an earlier start has left a note whose removals are not repeated yet. */
export function noteCopy(config: Config): void {
  const { missedSince, replica } = dataPaths(config);
  const snapshot = copiedSnapshot(replica);
  if (snapshot !== undefined) readOrCreateTextFile(missedSince, () => snapshot);
}

/** Repeats the removals since the noted copy. Call it before the first report of this start. */
export async function repeatMissedRemovals({
  config,
  db,
  node,
  now,
}: Pick<App, "config" | "db" | "node" | "now">): Promise<void> {
  const { missedSince } = dataPaths(config);
  const snapshot = readTextFile(missedSince);
  if (node === undefined || snapshot === undefined) return;
  await transact(db, async (tx) => {
    await reportStart(tx, node.id);
    await repeatRemovals(tx, snapshot, now());
  });
  rmSync(missedSince);
}
