import { LruCache } from "../../../base/lru-cache.ts";
import type { Click } from "../../click.ts";
import type { Row } from "./rows.ts";
import type { CompiledQuery } from "./sql.ts";
import { level0, rollupBucketMs, sqlNames } from "./star-schema.ts";

/** The number of workspaces in the cache (twice as many at most), each some 100 bytes. */
const workspacesMax = 10_000;

/** The slot of a workspace's first click; undefined without clicks. */
type First = { bucket: number | undefined };

/**
 * When the workspaces asked about lately were clicked first, remembered beside the store: every question about all time
 * begins with it, and adding up a workspace's slots takes milliseconds.
 *
 * 1. Clicks that are stored are told before anybody hears that they are. Whatever else may change a first click is
 *    told as forgetting all.
 * 2. What was read while either was told is not remembered: it may be from before.
 */
export class FirstClickCache {
  readonly #known = new LruCache<number, First>(workspacesMax);
  #changes = 0;

  /** Learns of clicks that were stored. */
  add(rows: readonly Click[]): void {
    this.#changes++;
    for (const { workspaceId, time } of rows) {
      const known = this.#known.get(workspaceId);
      if (known === undefined) continue;
      const bucket = Math.floor(time / rollupBucketMs);
      if (known.bucket === undefined || bucket < known.bucket) this.#known.set(workspaceId, { bucket });
    }
  }

  /** Forgets everything, so that only what the store holds counts. */
  forget(): void {
    this.#changes++;
    this.#known.clear();
  }

  /** When the slot of a workspace's first click began, asked of `read` where it is not remembered. */
  async find(workspaceId: number, read: (asked: CompiledQuery) => Promise<Row[]>): Promise<number | undefined> {
    const { bucket } = this.#known.get(workspaceId) ?? (await this.#read(workspaceId, read));
    return bucket === undefined ? undefined : bucket * rollupBucketMs;
  }

  async #read(workspaceId: number, read: (asked: CompiledQuery) => Promise<Row[]>): Promise<First> {
    const changes = this.#changes;
    const [row] = await read(compileFirstClick(workspaceId));
    const bucket = row?.["slot"];
    const first = { bucket: typeof bucket === "number" || typeof bucket === "bigint" ? Number(bucket) : undefined };
    if (changes === this.#changes) this.#known.set(workspaceId, first);
    return first;
  }
}

/** Compiles the question for a workspace's first slot to SQL for DuckDB, over the tables of facts.ts. Pure. */
export function compileFirstClick(workspaceId: number): CompiledQuery {
  // What was erased is taken away by rows of its own, so that nothing may be left of a slot.
  const sql = `
SELECT min("slot") AS "slot"
FROM (
  SELECT "slot" FROM ${sqlNames.rollup} WHERE "workspaceId" = ${workspaceId} GROUP BY "slot" HAVING sum("clicks") > 0
  UNION ALL SELECT "time" // ${rollupBucketMs} FROM "${level0}" WHERE "workspaceId" = ${workspaceId}
)`.trim();
  return { sql, parameters: [] };
}
