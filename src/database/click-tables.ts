/** Tables about clicks on their way, which belong to no workspace; see schema.ts. */

/** How far the counters have come in a spool with each part of the links (clicks/tally.ts). */
export type CounterCursorsTable = {
  spoolId: string;
  part: number;
  position: number;
};

/** How far a spool may be deleted, as of the last commit that was synced. */
export type ReleasesTable = {
  spoolId: string;
  position: number;
};

/** The file that clicks are stored in, by its id: one row, or none before the first start and after a loss was accepted. */
export type ClickStoresTable = { storeId: string };

/** What is known to be missing from a file; see spools/store-losses.ts. */
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
