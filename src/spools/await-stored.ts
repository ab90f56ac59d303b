import { setTimeout as pause } from "node:timers/promises";
import { secondMs } from "../base/time.ts";
import { SpoolCorrupt } from "../clicks/spool-format.ts";
import type { NodeSpool } from "../nodes/other-spools.ts";
import type { TrackedSpool } from "./tracked-spool.ts";

/** The longest wait: while the store is down, the caller gets the clicks that are stored. */
const waitMsMax = 10 * secondMs;
const checkOwnEveryMs = 50;
const checkOthersEveryMs = 500;

type Deps = {
  spools: { all(): readonly TrackedSpool[] };
  /** The spools of the other running nodes, as of their last reports. */
  otherSpools(): Promise<NodeSpool[]>;
};

/**
 * Resolves when the click store has every click that this node recorded before the call, and that each other node had
 * recorded at its next report; or after ten seconds. Throws when `signal` is aborted.
 */
export async function awaitStored({ spools, otherSpools }: Deps, signal: AbortSignal): Promise<void> {
  const giveUpAt = performance.now() + waitMsMax;
  const ends = spools.all().map((spool) => ({ spool, end: endOf(spool) }));
  const others = new OtherSpools(await otherSpools());
  while (ends.some(({ spool, end }) => spool.cursors.store < end) && performance.now() < giveUpAt) {
    await pause(checkOwnEveryMs, undefined, { signal });
  }
  while (others.areMissing && performance.now() < giveUpAt) {
    await pause(checkOthersEveryMs, undefined, { signal });
    others.update(await otherSpools());
  }
}

/** The readers set damaged parts aside, and their clicks are lost. */
function endOf(spool: TrackedSpool): number {
  try {
    return spool.extent()?.end ?? 0;
  } catch (error) {
    if (error instanceof SpoolCorrupt) return 0;
    throw error;
  }
}

/** The spools of other nodes that have clicks which are not known to be stored. */
class OtherSpools {
  /** By spool: when its node had reported before the wait, and the end to reach, known from the next report on. */
  readonly #missing: Map<string, { seenAt: number; end?: number }>;

  constructor(spools: readonly NodeSpool[]) {
    this.#missing = new Map(spools.map(({ spoolId, seenAt }) => [spoolId, { seenAt }]));
  }

  get areMissing(): boolean {
    return this.#missing.size > 0;
  }

  /** Takes the current reports. A spool that is not among them was read to its end, or its node runs no longer. */
  update(spools: readonly NodeSpool[]): void {
    const current = new Map(spools.map((spool) => [spool.spoolId, spool]));
    for (const [spoolId, awaited] of this.#missing) {
      const now = current.get(spoolId);
      if (now !== undefined && now.seenAt !== awaited.seenAt) awaited.end ??= now.end;
      const isStored = awaited.end !== undefined && now !== undefined && now.stored >= awaited.end;
      if (now === undefined || isStored) this.#missing.delete(spoolId);
    }
  }
}
