import { pause } from "../base/pause.ts";
import { secondMs } from "../base/time.ts";
import type { ReportedNode } from "../nodes/other-spools.ts";
import { reportEveryMs } from "../nodes/report-node.ts";
import { extentOrNone } from "./spools.ts";
import type { TrackedSpool } from "./tracked-spool.ts";

/** Maximum wait, in addition to the store's insert interval. */
const waitMsMax = 10 * secondMs;
/** How long a node without a new report is awaited. After that it has died, or does not reach PostgreSQL. */
const silentMsMax = 3 * reportEveryMs;
const checkOwnEveryMs = 100;

type Deps = {
  spools: { all(): readonly TrackedSpool[] };
  /** The other running nodes, as of their last reports. */
  otherNodes(): Promise<ReportedNode[]>;
  /** The time between two inserts of a node, in milliseconds. */
  intervalMs: number;
  /** How often the reports of other nodes are read: with a thousand nodes, each time takes two thousand rows. */
  checkOthersEveryMs?: number;
};

/**
 * Resolves when the click store has every click that this node, and each other node that reports, recorded before the
 * call; or after ten seconds and the interval, as while the store falls behind. Throws when `signal` is aborted.
 * Weakness: a torn frame at the end of a worker's spool makes callers wait until it is set aside.
 */
export async function awaitStored(
  { spools, otherNodes, intervalMs, checkOthersEveryMs = reportEveryMs / 2 }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const giveUpAt = performance.now() + waitMsMax + intervalMs;
  const isInTime = () => performance.now() < giveUpAt;
  const own = spools.all().map((spool) => ({ spool, extent: extentOrNone(spool) }));
  const isStored = ({ spool, extent }: (typeof own)[number]) =>
    extent === undefined || spool.cursors.store >= extent.end || extentOrNone(spool)?.id !== extent.id;
  // Without PostgreSQL, the caller gets the clicks that are stored.
  const reportedNodes = () => otherNodes().catch(() => undefined);
  let others = (await reportedNodes())?.map((node) => new AwaitedNode(node)) ?? [];
  while (!own.every(isStored) && isInTime()) {
    await pause(checkOwnEveryMs, signal);
    signal.throwIfAborted();
  }
  while (others.length > 0 && isInTime()) {
    await pause(checkOthersEveryMs, signal);
    signal.throwIfAborted();
    const reported = await reportedNodes();
    if (reported === undefined) return;
    const nodes = new Map(reported.map((node) => [node.id, node]));
    others = others.filter((other) => other.isMissing(nodes.get(other.id)));
  }
}

/** Another node, until its clicks are known to be stored. */
class AwaitedNode {
  readonly id: string;
  #seenAt: number;
  #changedAt = performance.now();
  #reports = 0;
  /** The ends that its spools had in its second new report. */
  #ends: Map<string, number> | undefined;

  constructor({ id, seenAt }: ReportedNode) {
    this.id = id;
    this.#seenAt = seenAt;
  }

  /**
   * Takes the node's current report; true while its clicks may be missing in the store. Its first new report may have
   * been measured before the wait began, and committed afterwards; the second one was measured during the wait.
   */
  isMissing(report: ReportedNode | undefined): boolean {
    // A node that reports that it stopped has read its spools to their ends.
    if (report === undefined) return false;
    const { seenAt, isComplete, spools } = report;
    if (seenAt !== this.#seenAt) {
      this.#seenAt = seenAt;
      this.#changedAt = performance.now();
      if (isComplete) this.#reports++;
    }
    if (performance.now() - this.#changedAt > silentMsMax) return false;
    if (this.#reports < 2) return true;
    this.#ends ??= new Map(spools.map(({ spoolId, end }) => [spoolId, end]));
    const ends = this.#ends;
    // A spool that is gone was read to its end.
    return spools.some(({ spoolId, stored }) => stored < (ends.get(spoolId) ?? 0));
  }
}
