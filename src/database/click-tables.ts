/** Tables of the click pipeline, which belong to no workspace; see schema.ts. */

/** The cursors of the counters in each spool, one for each part of the links (clicks/tally.ts). */
export type CounterCursorsTable = {
  spoolId: string;
  part: number;
  position: number;
};

/** The position up to which each spool may be deleted, as of the last synced commit. */
export type ReleasesTable = {
  spoolId: string;
  position: number;
};

/** The id of the file that stores the clicks: one row, or none before the first start and after a loss was accepted. */
export type ClickStoresTable = { storeId: string };

/** Clicks known to be missing from a file; see spools/store-losses.ts. */
export type ClickStoreLossesTable = {
  storeId: string;
  kind: string;
  bytes: number;
  foundAt: number;
};

/** Keys of the visitor hash, one per UTC day; destroyed after two days. */
export type DaySaltsTable = {
  day: string;
  salt: string;
};
