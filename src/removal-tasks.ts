/** The tasks that remove clicks when all spools, also those of other nodes, have been read far enough. */
import type { App } from "./app.ts";
import { eraseNextPart, type SettledChange, type StoredSpool } from "./links/erase-workspace.ts";
import { pendingPurges } from "./links/pending-purges.ts";
import { purgeNextClicks } from "./links/purge-clicks.ts";
import { reportedSpools } from "./report-state.ts";
import { type PerReader, slowestCursor } from "./spools/cursors.ts";

/** Takes the next step of erasing deleted workspaces. */
export async function eraseWorkspaces(
  app: Pick<App, "db" | "node" | "now" | "pipeline" | "spools">,
): Promise<"again" | "idle"> {
  const { db, now, pipeline } = app;
  return await eraseNextPart({
    ...{ db, now },
    spools: () => readTo(app, ({ store }) => store),
    haveNodesSettled: (change) => haveNodesSettled(app, change),
    eraseClicks: (workspaceId) => pipeline.erase({ workspaceId }),
  });
}

/** Takes the next step of each running purge. */
export async function purgeLinks(
  app: Pick<App, "db" | "node" | "now" | "pipeline" | "purges" | "spools">,
): Promise<"again" | "idle"> {
  const { db, now, pipeline, purges } = app;
  purges.current = await purgeNextClicks({
    ...{ db, now },
    spools: () => readTo(app, slowestCursor),
    haveNodesSettled: (change) => haveNodesSettled(app, change),
    eraseClicks: (scope) => pipeline.erase(scope),
  });
  return "idle";
}

/** On a node that does not lead; purgeLinks does it on the one that leads. */
export async function readPurges({ db, node, purges }: Pick<App, "db" | "node" | "purges">): Promise<"again" | "idle"> {
  if (node !== undefined) purges.current = await pendingPurges(db);
  return "idle";
}

async function haveNodesSettled({ db, node }: Pick<App, "db" | "node">, change: SettledChange): Promise<boolean> {
  return node === undefined || (await node.haveOthersSettled(db, change));
}

/** The end of each spool, and how far the given cursor has read it; those of other nodes as of their last reports. */
async function readTo(
  { db, node, spools }: Pick<App, "db" | "node" | "spools">,
  cursor: (cursors: PerReader) => number,
): Promise<StoredSpool[]> {
  const others = (await node?.readOtherSpools(db)) ?? [];
  return [...reportedSpools(spools), ...others].map(({ spoolId, end, stored, counted }) => ({
    ...{ id: spoolId, end, stored: cursor({ store: stored, counters: counted }) },
  }));
}
