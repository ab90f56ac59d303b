import type { Click } from "./click.ts";
import type { ClickExport, StartedExport } from "./export.ts";
import type { ClickPage, ClickQuery, ClickRow, ClickSelection, LastClick, LinkSelection } from "./query.ts";
import type { AggregateRecount, AggregateRecountOrder, LinkCountPage, LinkCounts } from "./recount.ts";

/** A part of a spool, in positions: from is in, to is out. */
export type LogRange = { spoolId: string; from: number; to: number };

/** Which clicks are meant of those that came in a stretch of a spool. */
export type AppendedSince = { selection: ClickSelection; range: LogRange; limit: number };

/** What to erase: a workspace's clicks, or those of one link, up to a moment where `before` is given. */
export type EraseScope = { workspaceId: number } | { workspaceId: number; linkId: string; before?: number };

/** What to expire: a workspace's clicks from before a moment, in milliseconds. */
export type ExpireScope = { workspaceId: number; before: number };

/**
 * Where clicks are queried. conformance.ts holds the contract as tests; every implementation passes them.
 *
 * 1. insert stores the rows and moves the spool's cursor in one step: after any crash either both happened or neither.
 * 2. insert is idempotent: a batch that ends at or before the cursor changes nothing.
 * 3. A query sees every batch whose insert has returned.
 */
export type ClickStore = {
  /** The id of the store, made at random when the store was made: a restored copy has the same one. */
  storeId(): Promise<string>;
  /** The cursor of a spool: everything before it is stored. 0 for a spool never seen. */
  cursor(spoolId: string): Promise<number>;
  /** Stores the rows read from a stretch of a spool, a batch. Throws when it begins before the cursor and ends behind it: such a batch cannot be told apart. */
  insert(batch: LogRange, rows: readonly Click[]): Promise<void>;
  /** The rows that answer a question; their order is the grouping's. */
  query(query: ClickQuery): Promise<ClickRow[]>;
  /** When the quarter of an hour of a workspace's first click began, of any class and also if it was expired since; undefined without clicks. */
  firstClick(workspaceId: number): Promise<number | undefined>;
  /** What the links' last clicks say of them, in any order; links without clicks have no row. */
  lastClicks(asked: LinkSelection): Promise<LastClick[]>;
  /** The clicks of a page, in its order. */
  page(page: ClickPage): Promise<Click[]>;
  /** The first clicks of a selection, at most `limit`, whose ids lie in a stretch of a spool; in the spool's order. */
  appendedSince(asked: AppendedSince): Promise<Click[]>;
  /**
   * Begins to write clicks to a file, beside everything else, until `signal` is aborted. Resolves when they are counted.
   * What there is of a file that will not be whole is for the caller to remove.
   */
  export(order: ClickExport, signal: AbortSignal): Promise<StartedExport>;
  /** Removes clicks, and the numbers of those that were expired. Their bytes go from the disk with the next rewrite. */
  erase(scope: EraseScope): Promise<void>;
  /**
   * Removes a workspace's clicks from before a moment, and keeps how many they were: questions that name no more than
   * links, domains, time and whether a bot clicked are answered as before, to the quarter of an hour.
   */
  expire(scope: ExpireScope): Promise<void>;
  /** Counts a page of a workspace's links from their clicks, as of the cursors that it tells. */
  linkCounts(page: LinkCountPage): Promise<LinkCounts>;
  /**
   * Counts again what the store adds up of a workspace's clicks, from the clicks themselves, and tells what differs; with
   * `mends` it is right from then on. Inserts wait meanwhile, questions do not.
   */
  recountAggregates(order: AggregateRecountOrder): Promise<AggregateRecount>;
  /**
   * Frees the disk of what was removed; false when there was nothing, or when it was stopped. Inserts wait meanwhile,
   * questions do not.
   */
  vacuum(): Promise<boolean>;
  /** Stops the rewrites that were asked for; what was removed waits for the next one. */
  stopVacuum(): Promise<void>;
  /** Ends the queries and exports under way, which then throw, waits for the other calls, and closes. */
  close(): Promise<void>;
};
