import { pause } from "../base/pause.ts";
import { secondMs } from "../base/time.ts";
import type { ReportedNode } from "../nodes/other-spools.ts";
import { reportEveryMs } from "../nodes/report-node.ts";
import { extentOrNone } from "./spools.ts";
import type { TrackedSpool } from "./tracked-spool.ts";

/** How long a caller waits in any case, beside the store's interval. */
const waitMsMin = 10 * secondMs;
/** A node that reports nothing for so long is not awaited: it has died, or does not reach PostgreSQL. */
const silentMsMax = 3 * reportEveryMs;

type Deps = {
  spools: { all(): readonly TrackedSpool[] };
  /** The other running nodes, as of their last reports. */
  otherNodes(): Promise<ReportedNode[]>;
  /** The time between two inserts of a node, in milliseconds. */
  intervalMs: number;
  /** How often the cursors and reports are read. */
  checkEveryMs?: number;
};

/**
 * Resolves when the click store has every click that this node, and each other node that reports, recorded before the
 * call; or after ten seconds and the interval, as while the store falls behind. Throws when `signal` is aborted.
 * Weakness: a torn frame at the end of a worker's spool makes callers wait until it is set aside.
 */
export async function awaitStored(
  { spools, otherNodes, intervalMs, checkEveryMs = 200 }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const giveUpAt = performance.now() + waitMsMin + intervalMs;
  const own = spools.all().map((spool) => ({ spool, extent: extentOrNone(spool) }));
  const isStored = ({ spool, extent }: (typeof own)[number]) =>
    extent === undefined || spool.cursors.store >= extent.end || extentOrNone(spool)?.id !== extent.id;
  const others = new AwaitedNodes(await otherNodes());
  while (!(own.every(isStored) && others.areStored) && performance.now() < giveUpAt) {
    await pause(checkEveryMs, signal);
    signal.throwIfAborted();
    if (others.areStored) continue;
    const reported = await otherNodes().catch(() => undefined);
    // Without PostgreSQL, the caller gets the clicks that are stored.
    if (reported === undefined) return;
    others.update(reported);
  }
}

/** A node that is awaited: its last report, and the ends to reach, known from its second report on. */
type AwaitedNode = { seenAt: number; reports: number; changedAt: number; ends?: Map<string, number> };

/** The other nodes whose clicks are not known to be stored. */
class AwaitedNodes {
  readonly #nodes: Map<string, AwaitedNode>;

  constructor(nodes: readonly ReportedNode[]) {
    const changedAt = performance.now();
    this.#nodes = new Map(nodes.map(({ id, seenAt }) => [id, { seenAt, reports: 0, changedAt }]));
  }

  get areStored(): boolean {
    return this.#nodes.size === 0;
  }

  /**
   * Takes the current reports. The first new one of a node may have been measured before the wait, and committed after
   * its begin; the second one was not.
   */
  update(current: readonly ReportedNode[]): void {
    const nodes = new Map(current.map((node) => [node.id, node]));
    for (const [id, awaited] of this.#nodes) {
      const node = nodes.get(id);
      // A stopped node has read its spools to their ends.
      if (node === undefined || !isAwaited(awaited, node)) this.#nodes.delete(id);
    }
  }
}

/** Notes the node's report; false when its clicks are stored, or it has become silent. */
function isAwaited(awaited: AwaitedNode, { seenAt, isComplete, spools }: ReportedNode): boolean {
  if (seenAt !== awaited.seenAt) {
    awaited.seenAt = seenAt;
    awaited.changedAt = performance.now();
    if (isComplete) awaited.reports++;
  }
  if (performance.now() - awaited.changedAt > silentMsMax) return false;
  if (awaited.reports < 2) return true;
  awaited.ends ??= new Map(spools.map(({ spoolId, end }) => [spoolId, end]));
  // A spool that is gone was read to its end.
  for (const { spoolId, stored } of spools) {
    if (stored < (awaited.ends.get(spoolId) ?? 0)) return true;
  }
  return false;
}
