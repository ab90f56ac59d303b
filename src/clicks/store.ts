import type { Click } from "./click.ts";
import type { ClickExport, ExportToFile, RunningExport } from "./export.ts";
import type {
  ClickPage,
  ClickQuery,
  ClickRow,
  ClickSelection,
  FirstClickQuery,
  LastClick,
  LinkSelection,
} from "./query.ts";
import type { LinkCountPage, LinkCounts, RollupRecount, RollupRecountRequest } from "./recount.ts";
import type { CopyStore } from "./store-copy.ts";

/** A range of a spool, in positions. Half open: from is in, to is out. */
export type LogRange = { spoolId: string; from: number; to: number };

/** The clicks of a selection that were appended to a spool in a range; at most `limit`. */
export type AppendedSince = { selection: ClickSelection; range: LogRange; limit: number };

/** The clicks to erase: those of a workspace or of one link; with `before`, only those earlier than it. */
export type EraseScope = { workspaceId: number } | { workspaceId: number; linkId: string; before?: number };

/** The clicks to expire: those of a workspace that are earlier than `before`, in milliseconds. */
export type ExpireScope = { workspaceId: number; before: number };

/**
 * Stores clicks and answers queries about them. tests/support/store-conformance/ is the contract as tests, which every
 * engine passes.
 *
 * 1. insert stores the rows and moves the spool's cursor in one step: after a crash, both have happened or neither, or
 *    the same batch is the open one, and its next insert does what is missing.
 * 2. insert is idempotent: a batch that ends at or before the cursor changes nothing.
 * 3. A query sees every batch whose insert has returned, and no part of another one. In ClickHouse, this holds for the
 *    clicks of each month of a batch.
 */
export type ClickStore = {
  /** The most clicks of a batch: enough for the engine to store them fast, few enough that they take little memory. */
  batchClicksMax: number;
  /**
   * The random id that the store was created with. A restored copy has the same id. Not a part of `cursor`, because it
   * also identifies a store without any spool: one that replaced a lost store.
   */
  storeId(): Promise<string>;
  /** The cursor of a spool: every click before it is stored. 0 for an unknown spool. */
  cursor(spoolId: string): Promise<number>;
  /**
   * The batch of a spool that was begun and may be stored already: the next batch must have its bounds. undefined when
   * the next one may have any; always so in an engine that moves the cursor in the transaction of the insert.
   */
  openBatch(spoolId: string): Promise<LogRange | undefined>;
  /**
   * Stores a batch: the rows read from a range of a spool. Throws when the batch begins before the cursor and ends
   * behind it.
   */
  insert(batch: LogRange, rows: readonly Click[]): Promise<void>;
  /** The rows that answer a query, in the order of its grouping. */
  query(query: ClickQuery): Promise<ClickRow[]>;
  /**
   * A time at or shortly before the first click that a workspace had before an instant, bots and expired clicks included;
   * undefined without such clicks. Not a query, because queries count clicks of a known time.
   */
  firstClick(query: FirstClickQuery): Promise<number | undefined>;
  /** The last click of each link, in any order. Links without clicks have no row. */
  lastClicks(links: LinkSelection): Promise<LastClick[]>;
  /** The clicks of a page, in its order. */
  page(page: ClickPage): Promise<Click[]>;
  /** The first clicks of a selection that were appended in a range of a spool, in the spool's order. */
  appendedSince(appended: AppendedSince): Promise<Click[]>;
  /**
   * Exports clicks as a stream, while other calls run, until `signal` is aborted. Resolves once the clicks are
   * counted. The export takes space on the store's disk until its stream ends or `signal` is aborted.
   */
  export(request: ClickExport, signal: AbortSignal): Promise<RunningExport>;
  /** Erases clicks, and the counts of expired ones. The next maintain removes their bytes from the disk. */
  erase(scope: EraseScope): Promise<void>;
  /**
   * Removes a workspace's clicks from before a moment, but keeps their number: queries that name nothing but links,
   * domains, times and bots have the same answers as before, as far as the rollup distinguishes times.
   */
  expire(scope: ExpireScope): Promise<void>;
  /** Counts the clicks of a page of a workspace's links, as of the cursors in the answer. */
  linkCounts(page: LinkCountPage): Promise<LinkCounts>;
  /**
   * Compares a workspace's rollup with its clicks and returns the differences; if `corrects` is true, corrects them.
   * Inserts wait until it ends; queries do not. It is not a part of `maintain`, because an operator runs it, for one
   * workspace at a time, and reads the differences.
   */
  recountRollup(request: RollupRecountRequest): Promise<RollupRecount>;
  /**
   * Frees the disk of removed clicks. False when there was nothing to do, or when `signal` was aborted; a later call
   * does the rest. Inserts wait until it ends; queries do not.
   */
  maintain(signal: AbortSignal): Promise<boolean>;
  /** Aborts running queries and exports, which then throw, waits for the other calls, and closes. */
  close(): Promise<void>;
};

/**
 * A click store as its process opens it: the path of an export's file goes to the main process, which streams it.
 * `copyTo` copies the store for a backup.
 */
export type ServedClickStore = ClickStore & {
  exportToFile: ExportToFile;
  copyTo: CopyStore;
  /** True when the store must be opened again after a failed write, because only then it knows what was stored. */
  endsWithFailedWrite: boolean;
};
