/**
 * A page of a workspace's links, ordered by id: at most `limit` links with ids greater than `after` ("" for the first
 * page).
 */
export type LinkCountPage = { workspaceId: number; after: string; limit: number };

/**
 * The human clicks of a link, expired ones included, and the earliest and latest time at which the last of them may
 * have happened. The two times are equal, unless the last click has expired and its exact time with it.
 */
export type LinkCount = { linkId: string; clicks: number; lastClicked: { from: number; to: number } };

/** The clicks of each link of a page, in one snapshot of the store. */
export type LinkCounts = {
  /** The cursor of each spool in that snapshot: exactly the clicks before the cursors are counted. */
  cursors: Record<string, number>;
  /** Links with human clicks, ordered by the bytes of their ids. */
  links: LinkCount[];
  /** The last id of the page; undefined for the last page. */
  upTo: string | undefined;
};

/** The workspace whose rollup is compared with its clicks, and whether differences are corrected. */
export type RollupRecountRequest = { workspaceId: number; corrects: boolean };

/** A bucket whose clicks in the rollup differ from the stored ones. `from` is its first millisecond. */
type RollupDifference = { from: number; isBot: boolean; rollupClicks: number; storedClicks: number };

/** The number of compared buckets, the number of differences, and the earliest rollupDifferencesMax of them. */
export type RollupRecount = { compared: number; differences: RollupDifference[]; differencesCount: number };

/** The most differences that one recount returns. */
export const rollupDifferencesMax = 1_000;
