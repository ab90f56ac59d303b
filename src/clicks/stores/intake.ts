import type { DuckDBConnection } from "@duckdb/node-api";
import type { Click } from "../click.ts";
import type { SlotRecount, SlotRecountOrder } from "../recount.ts";
import type { SpoolStretch } from "../store.ts";
import { appendFacts } from "./append-facts.ts";
import { ClicksAtMost } from "./clicks-at-most.ts";
import { Dictionary } from "./dictionary.ts";
import { type PartName, partNames } from "./facts.ts";
import { FirstClicks } from "./first-clicks.ts";
import { LinkNumbers } from "./link-numbers.ts";
import { PageTexts } from "./page-texts.ts";
import type { Texts } from "./recent-numbers.ts";
import { recountSlots } from "./recount-slots.ts";
import { countFacts, type ShelfBounds, settleFresh, settleRecent } from "./shelves.ts";
import { inTransaction } from "./transaction.ts";

/** The cursor of a spool; 0 for one never seen. */
export async function readCursor(connection: DuckDBConnection, spoolId: string): Promise<number> {
  const result = await connection.runAndReadAll('SELECT "position" FROM cursors WHERE "spoolId" = $1', [spoolId]);
  const position = result.getRows()[0]?.[0];
  return position === undefined ? 0 : Number(position);
}

/** What is written, and the shelves that it moves over. Its calls are made one after another. */
export class Intake {
  /** What is remembered of the dictionary of links. */
  readonly linkNumbers = new LinkNumbers();
  /** What is remembered of the workspaces' first clicks. */
  readonly firstClicks = new FirstClicks();
  /** What is remembered of how many clicks workspaces and links have. */
  readonly clicksAtMost = new ClicksAtMost();
  /** What is remembered of the texts of pages. */
  readonly pageTexts = new PageTexts();
  readonly #writer: DuckDBConnection;
  /** For the long move, during which the writer goes on. */
  readonly #settler: DuckDBConnection;
  readonly #bounds: ShelfBounds;
  readonly #dictionaries: Readonly<Record<PartName, Dictionary>>;
  #fresh = 0;
  #recent = 0;
  #hasTotals = false;
  #settling: Promise<void> | undefined;
  #failure: unknown;

  private constructor(writer: DuckDBConnection, settler: DuckDBConnection, bounds: ShelfBounds) {
    this.#writer = writer;
    this.#settler = settler;
    this.#bounds = bounds;
    const added = (name: PartName) => (entries: readonly Texts[]) => {
      if (name === "link") this.#addLinks(entries);
    };
    const named = partNames.map((name) => [name, new Dictionary(name, writer, added(name))]);
    // Made of each of the names.
    this.#dictionaries = Object.fromEntries(named) as Record<PartName, Dictionary>;
  }

  static async open(writer: DuckDBConnection, settler: DuckDBConnection, bounds: ShelfBounds): Promise<Intake> {
    const intake = new Intake(writer, settler, bounds);
    await intake.#recount();
    return intake;
  }

  /** Whether clicks were removed of which the number was kept, as of the version of `linkNumbers`. */
  get hasTotals(): boolean {
    return this.#hasTotals;
  }

  /** Whether facts are being moved, for which the writer does not wait. */
  get isSettling(): boolean {
    return this.#settling !== undefined;
  }

  async insert(batch: SpoolStretch, rows: readonly Click[]): Promise<void> {
    if (await this.#store(batch, rows)) {
      this.firstClicks.add(rows);
      this.clicksAtMost.add(rows);
      this.#fresh += rows.length;
    }
    if (this.#fresh < this.#bounds.fresh) return;
    // What is being moved cannot be added to; the fresh ones wait, within bounds.
    if (this.#settling !== undefined && this.#fresh < this.#bounds.recent) return;
    await this.#settled();
    // Once for each filling of the recent shelf.
    await settleFresh(this.#writer, this.#recent === 0);
    this.#recent += this.#fresh;
    this.#fresh = 0;
    if (this.#recent >= this.#bounds.recent) this.#beginSettling();
  }

  /** Runs work while no facts are being moved; it may change how many there are. */
  async undisturbed<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#settled();
    this.linkNumbers.beginChange();
    this.pageTexts.forget();
    try {
      const result = await work();
      this.#forget();
      await this.#recount();
      return result;
    } finally {
      this.firstClicks.forget();
      this.linkNumbers.endChange();
    }
  }

  /** See recount-slots.ts. */
  async recountSlots(order: SlotRecountOrder): Promise<SlotRecount> {
    try {
      return await recountSlots(this.#writer, order);
    } finally {
      this.firstClicks.forget();
    }
  }

  /** Waits for the move under way. */
  async end(): Promise<void> {
    await this.#settling;
  }

  /** Whether it was stored, and not known already. */
  async #store(batch: SpoolStretch, rows: readonly Click[]): Promise<boolean> {
    try {
      return await inTransaction(this.#writer, async () => {
        const cursor = await readCursor(this.#writer, batch.spoolId);
        if (batch.to <= cursor) return false;
        if (batch.from < cursor) {
          throw new Error(`A batch from ${batch.from} to ${batch.to} straddles the store's cursor ${cursor}.`);
        }
        await appendFacts(this.#writer, this.#dictionaries, rows);
        const move = "INSERT OR REPLACE INTO cursors VALUES ($1, $2)";
        await this.#writer.run(move, [batch.spoolId, BigInt(batch.to)]);
        return true;
      });
    } catch (error) {
      this.#forget();
      throw error;
    } finally {
      this.linkNumbers.endChange();
    }
  }

  /** Hears of links, or of places of theirs, that nobody clicked before; within the transaction that adds them. */
  #addLinks(entries: readonly Texts[]): void {
    this.linkNumbers.beginChange(
      entries.map(([workspaceId, linkId]) => ({ workspaceId: Number(workspaceId), linkId: String(linkId) })),
    );
  }

  #beginSettling(): void {
    this.#settling = settleRecent(this.#settler)
      .then(() => {
        this.#recent = 0;
      })
      // Thrown by the next insert: of a store that cannot move facts, somebody has to hear.
      .catch((error: unknown) => {
        this.#failure = error;
      })
      .finally(() => {
        this.#settling = undefined;
      });
  }

  async #settled(): Promise<void> {
    await this.#settling;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  #forget(): void {
    for (const dictionary of Object.values(this.#dictionaries)) dictionary.forget();
  }

  async #recount(): Promise<void> {
    this.#fresh = await countFacts(this.#writer, "fresh");
    this.#recent = await countFacts(this.#writer, "recent");
    const totals = await this.#writer.runAndReadAll("SELECT 1 FROM totals LIMIT 1");
    this.#hasTotals = totals.getRows().length > 0;
  }
}
