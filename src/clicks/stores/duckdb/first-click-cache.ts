import { LruCache } from "../../../base/lru-cache.ts";
import type { Click } from "../../click.ts";
import type { Row } from "./rows.ts";
import type { CompiledQuery } from "./sql.ts";
import { level0, rollupBucketMs, sqlNames } from "./star-schema.ts";

/** The number of workspaces in the cache (twice as many at most), each about 100 bytes. */
const workspacesMax = 10_000;

/** The bucket of a workspace's first click; undefined without clicks. */
type First = { bucket: number | undefined };

/**
 * When recently queried workspaces had their first click. Every report over all time begins with it.
 * Gain: reports on a link over all time take 55 % of the time, those on 8.5 million clicks 97 % (10 million clicks of
 * 100,000 links).
 *
 * 1. The writer calls `add` with stored clicks before the insert returns, and `forget` after every other change.
 * 2. A value that was read during such a call is not cached, because it may be outdated.
 */
export class FirstClickCache {
  readonly #known = new LruCache<number, First>(workspacesMax);
  #changes = 0;

  /** Updates the cache with stored clicks. */
  add(rows: readonly Click[]): void {
    this.#changes++;
    for (const { workspaceId, time } of rows) {
      const known = this.#known.get(workspaceId);
      if (known === undefined) continue;
      const bucket = Math.floor(time / rollupBucketMs);
      if (known.bucket === undefined || bucket < known.bucket) this.#known.set(workspaceId, { bucket });
    }
  }

  /** Empties the cache. */
  forget(): void {
    this.#changes++;
    this.#known.clear();
  }

  /** The start of the bucket of a workspace's first click, read with `read` when it is not cached. */
  async find(workspaceId: number, read: (query: CompiledQuery) => Promise<Row[]>): Promise<number | undefined> {
    const { bucket } = this.#known.get(workspaceId) ?? (await this.#read(workspaceId, read));
    return bucket === undefined ? undefined : bucket * rollupBucketMs;
  }

  async #read(workspaceId: number, read: (query: CompiledQuery) => Promise<Row[]>): Promise<First> {
    const changes = this.#changes;
    const [row] = await read(compileFirstClick(workspaceId));
    const bucket = row?.["slot"];
    const first = { bucket: typeof bucket === "number" || typeof bucket === "bigint" ? Number(bucket) : undefined };
    if (changes === this.#changes) this.#known.set(workspaceId, first);
    return first;
  }
}

/** Compiles the query for the bucket of a workspace's first click. Pure. */
export function compileFirstClick(workspaceId: number): CompiledQuery {
  // Rows with negative counts subtract erased clicks, so that a bucket may come to 0.
  const sql = `
SELECT min("slot") AS "slot"
FROM (
  SELECT "slot" FROM ${sqlNames.rollup} WHERE "workspaceId" = ${workspaceId} GROUP BY "slot" HAVING sum("clicks") > 0
  UNION ALL SELECT "time" // ${rollupBucketMs} FROM "${level0}" WHERE "workspaceId" = ${workspaceId}
)`.trim();
  return { sql, parameters: [] };
}
