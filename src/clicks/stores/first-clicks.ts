import { Recent } from "../../base/recent.ts";
import type { Click } from "../click.ts";
import type { Row } from "./duckdb-rows.ts";
import type { CompiledQuery } from "./duckdb-sql.ts";
import { slotMs } from "./facts.ts";

/** Workspaces whose first click is remembered; twice as many at most, some 100 bytes each. */
const workspacesMax = 10_000;

/** The slot of a workspace's first click; undefined without clicks. */
type First = { slot: number | undefined };

/**
 * When the workspaces asked about lately were clicked first, remembered beside the store: every question about all time
 * begins with it, and adding up a workspace's slots takes milliseconds.
 *
 * 1. Clicks that are stored are told before anybody hears that they are. Whatever else may change a first click is
 *    told as forgetting all.
 * 2. What was read while either was told is not remembered: it may be from before.
 */
export class FirstClicks {
  readonly #known = new Recent<number, First>(workspacesMax);
  #changes = 0;

  /** Learns of clicks that were stored. */
  add(rows: readonly Click[]): void {
    this.#changes++;
    for (const { workspaceId, time } of rows) {
      const known = this.#known.get(workspaceId);
      if (known === undefined) continue;
      const slot = Math.floor(time / slotMs);
      if (known.slot === undefined || slot < known.slot) this.#known.set(workspaceId, { slot });
    }
  }

  /** Forgets everything, so that only what the store holds counts. */
  forget(): void {
    this.#changes++;
    this.#known.clear();
  }

  /** When the slot of a workspace's first click began, asked of `read` where it is not remembered. */
  async find(workspaceId: number, read: (asked: CompiledQuery) => Promise<Row[]>): Promise<number | undefined> {
    const { slot } = this.#known.get(workspaceId) ?? (await this.#read(workspaceId, read));
    return slot === undefined ? undefined : slot * slotMs;
  }

  async #read(workspaceId: number, read: (asked: CompiledQuery) => Promise<Row[]>): Promise<First> {
    const changes = this.#changes;
    const [row] = await read(compileFirstClick(workspaceId));
    const slot = row?.["slot"];
    const first = { slot: typeof slot === "number" || typeof slot === "bigint" ? Number(slot) : undefined };
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
  SELECT "slot" FROM slots WHERE "workspaceId" = ${workspaceId} GROUP BY "slot" HAVING sum("clicks") > 0
  UNION ALL SELECT "time" // ${slotMs} FROM "fresh" WHERE "workspaceId" = ${workspaceId}
)`.trim();
  return { sql, parameters: [] };
}
