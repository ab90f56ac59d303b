import type { App } from "./app.ts";
import type { NodeReport, ReportedSpool } from "./nodes/report-node.ts";
import { hasUnopenedSpool } from "./spools/detached-spool.ts";
import type { Spools } from "./spools/spools.ts";

type Deps = Pick<App, "config" | "db" | "liveEvents" | "node" | "now" | "replica" | "spools">;

/** Reports this node to the others, if it has any, and lets live streams follow what they have stored. */
export async function reportState(deps: Deps, state: NodeReport["state"]): Promise<void> {
  const { config, db, node, now, replica, spools, liveEvents } = deps;
  if (node === undefined) return;
  const changesSeenAt = await replica?.changesSeenAt();
  const copyAt = hasUnopenedSpool(config, spools) ? null : (changesSeenAt ?? null);
  const report = { state, copyAt, spools: reportedSpools(spools) };
  await node.report(db, report, { now: now(), needsOthers: liveEvents.isFollowed });
  // In case a notice was lost; a stream that knows of the range ignores it.
  for (const { spoolId, stored } of node.otherSpools) {
    liveEvents.storeAdvanced({ spoolId, from: stored, to: stored, workspaceIds: [] });
  }
}

/** The spools of this node that can be read. */
export function reportedSpools(spools: Spools): ReportedSpool[] {
  return spools.all().flatMap((spool) => {
    const extent = spool.extent();
    if (extent === undefined) return [];
    return [{ spoolId: extent.id, end: extent.end, stored: spool.cursors.store, counted: spool.cursors.counters }];
  });
}
