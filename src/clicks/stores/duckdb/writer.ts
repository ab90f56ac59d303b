import type { DuckDBConnection } from "@duckdb/node-api";
import type { Click } from "../../click.ts";
import type { AggregateRecount, AggregateRecountOrder } from "../../recount.ts";
import type { LogRange } from "../../store.ts";
import { appendClicks } from "./append-clicks.ts";
import { ClickUpperBounds } from "./click-upper-bounds.ts";
import { compactLevel0, compactLevel1, countRows, type LevelBounds } from "./compact.ts";
import { FirstClickCache } from "./first-click-cache.ts";
import type { Texts } from "./key-cache.ts";
import { LinkKeyCache } from "./link-key-cache.ts";
import { PageTextCache } from "./page-text-cache.ts";
import { recountAggregates } from "./recount-rollup.ts";
import { type DimensionName, dimensionNames, level0, level1, sqlNames } from "./star-schema.ts";
import { SurrogateKeys } from "./surrogate-keys.ts";
import { inTransaction } from "./transaction.ts";

/** The cursor of a spool; 0 for one never seen. */
export async function readCursor(connection: DuckDBConnection, spoolId: string): Promise<number> {
  const result = await connection.runAndReadAll('SELECT "position" FROM cursors WHERE "spoolId" = $1', [spoolId]);
  const position = result.getRows()[0]?.[0];
  return position === undefined ? 0 : Number(position);
}

/** What is written, and the levels that it moves over. Its calls are made one after another. */
export class Writer {
  /** What is remembered of the dictionary of links. */
  readonly linkKeys = new LinkKeyCache();
  /** What is remembered of the workspaces' first clicks. */
  readonly firstClicks = new FirstClickCache();
  /** What is remembered of how many clicks workspaces and links have. */
  readonly clickUpperBounds = new ClickUpperBounds();
  /** What is remembered of the texts of pages. */
  readonly pageTexts = new PageTextCache();
  readonly #writeConnection: DuckDBConnection;
  /** For the long move, during which the writer goes on. */
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
    };
    const named = dimensionNames.map((name) => [name, new SurrogateKeys(name, writeConnection, added(name))]);
    // Made of each of the names.
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

  /** Whether clicks were removed of which the number was kept, as of the version of `linkKeys`. */
  get hasExpired(): boolean {
    return this.#hasExpired;
  }

  /** Whether facts are being moved, for which the writer does not wait. */
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
    // What is being moved cannot be added to; the fresh ones wait, within bounds.
    if (this.#compaction !== undefined && this.#level0 < this.#levelBounds.level1) return;
    await this.#awaitCompaction();
    // Once for each filling of the recent level.
    await compactLevel0(this.#writeConnection, this.#level1 === 0);
    this.#level1 += this.#level0;
    this.#level0 = 0;
    if (this.#level1 >= this.#levelBounds.level1) this.#startCompaction();
  }

  /** Runs work while no facts are being moved; it may change how many there are. */
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
      this.linkKeys.endChange();
    }
  }

  /** See recount-slots.ts. */
  async recountAggregates(order: AggregateRecountOrder): Promise<AggregateRecount> {
    try {
      return await recountAggregates(this.#writeConnection, order);
    } finally {
      this.firstClicks.forget();
    }
  }

  /** Waits for the move under way. */
  async end(): Promise<void> {
    await this.#compaction;
  }

  /** Whether it was stored, and not known already. */
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

  /** Hears of links, or of places of theirs, that nobody clicked before; within the transaction that adds them. */
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
      // Thrown by the next insert: of a store that cannot move facts, somebody has to hear.
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
    for (const dictionary of Object.values(this.#surrogateKeys)) dictionary.forget();
  }

  async #recount(): Promise<void> {
    this.#level0 = await countRows(this.#writeConnection, level0);
    this.#level1 = await countRows(this.#writeConnection, level1);
    const totals = await this.#writeConnection.runAndReadAll(`SELECT 1 FROM ${sqlNames.expiredRollup} LIMIT 1`);
    this.#hasExpired = totals.getRows().length > 0;
  }
}
