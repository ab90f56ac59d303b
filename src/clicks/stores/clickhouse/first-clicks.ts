import { type Clock, secondMs } from "../../../base/time.ts";
import { TimedCache } from "../../../base/timed-cache.ts";
import type { Click } from "../../click.ts";
import type { FirstClickQuery } from "../../query.ts";

/** Workspaces in the cache; at most twice as many. */
const entriesMax = 10_000;
/** How long this process may miss that another process has stored an earlier click, or erased the first one. */
const lifeMs = 10 * secondMs;

type First = { before: number; time: number | undefined };

/**
 * When recently queried workspaces had their first click. Every report over all time begins with it.
 * Gain: a report on a link over all time asks ClickHouse once instead of twice.
 */
export class FirstClicks {
  readonly #cached: TimedCache<number, First>;

  constructor(now: Clock) {
    this.#cached = new TimedCache({ entriesMax, lifeMs, now });
  }

  /** The answer to a query, read with `read` when it is not cached. */
  async find(
    { workspaceId, before }: FirstClickQuery,
    read: () => Promise<number | undefined>,
  ): Promise<number | undefined> {
    const known = this.#cached.get(workspaceId);
    if (known?.before === before) return known.time;
    return (await this.#cached.read(workspaceId, async () => ({ before, time: await read() }))).time;
  }

  /** Forgets the workspaces to which clicks were added that may be their first ones. */
  add(rows: readonly Click[]): void {
    for (const { workspaceId, time } of rows) {
      const known = this.#cached.get(workspaceId);
      if (known !== undefined && time < (known.time ?? known.before)) this.#cached.delete(workspaceId);
    }
  }

  /** Forgets a workspace whose clicks were removed. */
  forget(workspaceId: number): void {
    this.#cached.delete(workspaceId);
  }
}
