import { LruCache } from "../../../base/lru-cache.ts";
import { type DimensionKeys, groupedTables } from "./fingerprints.ts";
import type { Texts } from "./key-cache.ts";
import { binding, type CompiledQuery } from "./sql.ts";
import { type DimensionName, dimensionTables, isOwned } from "./star-schema.ts";

/**
 * The most rows of a dimension table whose texts DuckDB groups without fingerprints. With URLs of 2,000 characters, three
 * queries at once take 53 MB.
 */
export const usualFewTextsMax = 10_000;

/** The number of workspaces in the cache (twice as many at most), about 100 bytes each. */
const workspacesMax = 10_000;

/** The rows of a workspace in a dimension table, undefined until they are counted, and those added since. */
type Counted = { rows: number | undefined; added: number };

/**
 * Knows which workspaces have so few different texts that a query may group by the texts themselves. Gain: reports on a
 * link by URL or referrer take 0.85 of the time with fingerprints.
 */
export class FewTexts {
  readonly #rows = new LruCache<string, Counted>(workspacesMax);

  /** Adds rows to the counts of a dimension table. */
  add(name: DimensionName, entries: readonly Texts[]): void {
    if (!isOwned(name)) this.#addTo(name, entries.length);
    else for (const [workspaceId] of entries) this.#addTo(scopeOf(name, Number(workspaceId)), 1);
  }

  /** Forgets all counts, since rows were removed. */
  forget(): void {
    this.#rows.clear();
  }

  /**
   * True if a grouping by the texts of one dimension table has at most `max` of them in the workspace, or those of one
   * batch more: rows of an insert that runs during the first count may be missing. Counts with `read` what is not known.
   */
  async allow(
    { workspaceId, keys, max }: { workspaceId: number; keys: DimensionKeys; max: number },
    read: (query: CompiledQuery) => Promise<Record<string, unknown>[]>,
  ): Promise<boolean> {
    const [table, ...others] = groupedTables(keys);
    // Texts of two tables may occur in all combinations.
    if (table === undefined || others.length > 0) return false;
    const { name } = table;
    const scope = scopeOf(name, workspaceId);
    const counted = this.#find(scope);
    try {
      counted.rows ??= Number((await read(compileCount(name, workspaceId)))[0]?.["rows"]);
    } catch (error) {
      // The next count would count the rows again that were added since.
      this.#rows.delete(scope);
      throw error;
    }
    return counted.rows + counted.added <= max;
  }

  /** The count of a scope, which begins before its rows are read, so that none that is added later is missing. */
  #find(scope: string): Counted {
    const known = this.#rows.get(scope);
    if (known !== undefined) return known;
    const counted = { rows: undefined, added: 0 };
    this.#rows.set(scope, counted);
    return counted;
  }

  #addTo(scope: string, rows: number): void {
    const counted = this.#rows.get(scope);
    if (counted !== undefined) counted.added += rows;
  }
}

function scopeOf(name: DimensionName, workspaceId: number): string {
  return isOwned(name) ? `${name} ${workspaceId}` : name;
}

function compileCount(name: DimensionName, workspaceId: number): CompiledQuery {
  const { parameters, bind } = binding();
  const owner = isOwned(name) ? ` WHERE "workspaceId" = ${bind(workspaceId)}` : "";
  return { sql: `SELECT count(*) AS "rows" FROM "${dimensionTables[name].table}"${owner}`, parameters };
}
