import type { DuckDBConnection } from "@duckdb/node-api";
import type { Click } from "../../click.ts";
import type { ExpiredCount } from "../../move.ts";
import type { RollupRecount, RollupRecountRequest } from "../../recount.ts";
import type { LogRange } from "../../store.ts";
import { appendClicks } from "./append-clicks.ts";
import { appendExpired } from "./append-expired.ts";
import { ClickUpperBounds } from "./click-upper-bounds.ts";
import { compactLevel0, compactLevel1, countRows, type LevelBounds } from "./compact.ts";
import { FewTexts } from "./few-texts.ts";
import { FirstClickCache } from "./first-click-cache.ts";
import type { Texts } from "./key-cache.ts";
import { LinkKeyCache } from "./link-key-cache.ts";
import { PageTextCache } from "./page-text-cache.ts";
import { recountRollup } from "./recount-rollup.ts";
import { type DimensionName, dimensionNames, level0, level1, sqlNames } from "./star-schema.ts";
import { SurrogateKeys } from "./surrogate-keys.ts";
import { inTransaction } from "./transaction.ts";

/** The cursor of a spool; 0 for an unknown spool. */
export async function readCursor(connection: DuckDBConnection, spoolId: string): Promise<number> {
  const result = await connection.runAndReadAll('SELECT "position" FROM cursors WHERE "spoolId" = $1', [spoolId]);
  const position = result.getRows()[0]?.[0];
  return position === undefined ? 0 : Number(position);
}

/** Inserts clicks, starts compactions, and keeps the caches up to date. Callers make one call at a time. */
export class Writer {
  readonly linkKeys = new LinkKeyCache();
  readonly firstClicks = new FirstClickCache();
  readonly clickUpperBounds = new ClickUpperBounds();
  readonly fewTexts = new FewTexts();
  readonly pageTexts = new PageTextCache();
  readonly #writeConnection: DuckDBConnection;
  /** For the compaction of level 1, which runs during inserts. */
  readonly #compactionConnection: DuckDBConnection;
  readonly #levelBounds: LevelBounds;
  readonly #surrogateKeys: Readonly<Record<DimensionName, SurrogateKeys>>;
  #level0 = 0;
  #level1 = 0;
  #hasExpired = false;
  #compaction: Promise<void> | undefined;
  #failure: unknown;

  private constructor(
    writeConnection: DuckDBConnection,
    compactionConnection: DuckDBConnection,
    levelBounds: LevelBounds,
  ) {
    this.#writeConnection = writeConnection;
    this.#compactionConnection = compactionConnection;
    this.#levelBounds = levelBounds;
    const added = (name: DimensionName) => (entries: readonly Texts[]) => {
      if (name === "link") this.#addLinks(entries);
      this.fewTexts.add(name, entries);
    };
    const named = dimensionNames.map((name) => [name, new SurrogateKeys(name, writeConnection, added(name))]);
    // There is an entry for each name.
    this.#surrogateKeys = Object.fromEntries(named) as Record<DimensionName, SurrogateKeys>;
  }

  static async open(
    writeConnection: DuckDBConnection,
    compactionConnection: DuckDBConnection,
    levelBounds: LevelBounds,
  ): Promise<Writer> {
    const writer = new Writer(writeConnection, compactionConnection, levelBounds);
    await writer.#recount();
    return writer;
  }

  /** True when there are expired clicks, as of the version of `linkKeys`. */
  get hasExpired(): boolean {
    return this.#hasExpired;
  }

  /** True while level 1 is being compacted. */
  get isCompacting(): boolean {
    return this.#compaction !== undefined;
  }

  async insert(batch: LogRange, rows: readonly Click[]): Promise<void> {
    if (await this.#store(batch, rows)) {
      this.firstClicks.add(rows);
      this.clickUpperBounds.add(rows);
      this.#level0 += rows.length;
    }
    if (this.#level0 < this.#levelBounds.level0) return;
    // Level 1 cannot grow while it is compacted, so level 0 grows instead, up to the bound of level 1.
    if (this.#compaction !== undefined && this.#level0 < this.#levelBounds.level1) return;
    await this.#awaitCompaction();
    // Folds the rollup once per run of level 1.
    await compactLevel0(this.#writeConnection, this.#level1 === 0);
    this.#level1 += this.#level0;
    this.#level0 = 0;
    if (this.#level1 >= this.#levelBounds.level1) this.#startCompaction();
  }

  /** Runs work that may change or remove facts, while no compaction runs. */
  async withoutCompaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#awaitCompaction();
    this.linkKeys.beginChange();
    this.pageTexts.forget();
    try {
      const result = await work();
      this.#forget();
      await this.#recount();
      return result;
    } finally {
      this.firstClicks.forget();
      this.fewTexts.forget();
      this.linkKeys.endChange();
    }
  }

  /** See recount-rollup.ts. */
  async recountRollup(request: RollupRecountRequest): Promise<RollupRecount> {
    try {
      return await recountRollup(this.#writeConnection, request);
    } finally {
      this.firstClicks.forget();
    }
  }

  /** Adds counts of expired clicks. Nothing else uses the store; see StoreMove. */
  async addExpired(counts: readonly ExpiredCount[]): Promise<void> {
    await this.withoutCompaction(() =>
      inTransaction(this.#writeConnection, () =>
        appendExpired(this.#writeConnection, this.#surrogateKeys.link, counts),
      ),
    );
  }

  /** Waits for a running compaction. */
  async end(): Promise<void> {
    await this.#compaction;
  }

  /** False for a batch that was already stored. */
  async #store(batch: LogRange, rows: readonly Click[]): Promise<boolean> {
    try {
      return await inTransaction(this.#writeConnection, async () => {
        const cursor = await readCursor(this.#writeConnection, batch.spoolId);
        if (batch.to <= cursor) return false;
        if (batch.from < cursor) {
          throw new Error(`A batch from ${batch.from} to ${batch.to} straddles the store's cursor ${cursor}.`);
        }
        await appendClicks(this.#writeConnection, this.#surrogateKeys, rows);
        const move = "INSERT OR REPLACE INTO cursors VALUES ($1, $2)";
        await this.#writeConnection.run(move, [batch.spoolId, BigInt(batch.to)]);
        return true;
      });
    } catch (error) {
      this.#forget();
      throw error;
    } finally {
      this.linkKeys.endChange();
    }
  }

  /**
   * Called in the transaction that adds rows to the link dimension: new links, or new domains or keys of known links.
   */
  #addLinks(entries: readonly Texts[]): void {
    this.linkKeys.beginChange(
      entries.map(([workspaceId, linkId]) => ({ workspaceId: Number(workspaceId), linkId: String(linkId) })),
    );
  }

  #startCompaction(): void {
    this.#compaction = compactLevel1(this.#compactionConnection)
      .then(() => {
        this.#level1 = 0;
      })
      // The next insert throws it, so that a store that cannot compact is noticed.
      .catch((error: unknown) => {
        this.#failure = error;
      })
      .finally(() => {
        this.#compaction = undefined;
      });
  }

  async #awaitCompaction(): Promise<void> {
    await this.#compaction;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  #forget(): void {
    for (const keys of Object.values(this.#surrogateKeys)) keys.forget();
  }

  async #recount(): Promise<void> {
    this.#level0 = await countRows(this.#writeConnection, level0);
    this.#level1 = await countRows(this.#writeConnection, level1);
    const expired = await this.#writeConnection.runAndReadAll(`SELECT 1 FROM ${sqlNames.expiredRollup} LIMIT 1`);
    this.#hasExpired = expired.getRows().length > 0;
  }
}
