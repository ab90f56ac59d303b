import { LruCache } from "../../../base/lru-cache.ts";
import type { Click } from "../../click.ts";
import type { ClickSelection } from "../../query.ts";

/** Workspaces and links whose clicks are remembered; twice as many at most, some 200 bytes each. */
const scopesMax = 10_000;
/** The last moment there is. */
const endOfTime = 8_640_000_000_000_000;

/** Clicks as they were when so many had been stored since the store was opened. */
type Counted = { clicks: number; stored: number };

/**
 * What the workspaces and links asked about lately can have in clicks at most, remembered beside the store, so that a
 * question about few needs no count of its own: what one had when it was counted, and all that were stored since,
 * whosesoever. Removed ones may be among them.
 */
export class ClickUpperBounds {
  readonly #known = new LruCache<string, Counted>(scopesMax);
  #stored = 0;

  /** Learns of clicks that were stored. */
  add(rows: readonly Click[]): void {
    this.#stored += rows.length;
  }

  /**
   * No less than the clicks of a selection, but for those stored meanwhile: some number up to `enough` where they are
   * known to be no more, and otherwise what `count` says of the selection.
   */
  async find(
    selection: ClickSelection,
    enough: number,
    count: (selection: ClickSelection) => Promise<number>,
  ): Promise<number> {
    for (const scope of scopesOf(selection)) {
      const clicks = await this.#atMost(scope, enough, count);
      if (clicks <= enough) return clicks;
    }
    return await count(selection);
  }

  async #atMost(
    scope: ClickSelection,
    enough: number,
    count: (selection: ClickSelection) => Promise<number>,
  ): Promise<number> {
    const key = `${scope.workspaceId} ${scope.filters[0]?.values[0] ?? ""}`;
    const known = this.#known.get(key);
    if (known !== undefined) {
      const atMost = known.clicks + this.#stored - known.stored;
      // Counted anew only if that may help.
      if (atMost <= enough || known.clicks > enough) return atMost;
    }
    const stored = this.#stored;
    const clicks = await count(scope);
    this.#known.set(key, { clicks, stored });
    return clicks;
  }
}

/** The whole workspace, and the whole of the one link that a selection is about. */
function scopesOf({ workspaceId, filters }: ClickSelection): ClickSelection[] {
  const workspace: ClickSelection = { workspaceId, from: 0, to: endOfTime, bots: "include", filters: [] };
  const ofLink = filters.find(
    ({ dimension, values, isExcluded }) => dimension === "linkId" && values.length === 1 && !isExcluded,
  );
  return ofLink === undefined ? [workspace] : [workspace, { ...workspace, filters: [ofLink] }];
}
