/** A page of a workspace's links in the order of their ids: those behind `after` ("" for all), at most `limit` of them. */
export type LinkCountPage = { workspaceId: number; after: string; limit: number };

/**
 * The human clicks of a link, those removed for their age included, and the times between which the last of them was:
 * one and the same, unless the last clicks were removed and are known to the quarter of an hour.
 */
export type LinkCount = { linkId: string; clicks: number; lastClicked: { from: number; to: number } };

/** Clicks counted link by link, in one view of the store. */
export type LinkCounts = {
  /** How far the store had come in each spool that it knows: the clicks before that are counted, and no others. */
  cursors: Record<string, number>;
  /** Links with human clicks, in the order of their ids, compared byte by byte. */
  links: LinkCount[];
  /** The last id that was looked at; undefined when there are no more behind it. */
  upTo: string | undefined;
};

/** Which workspace's quarters of an hour are to be counted again, and whether wrong ones are corrected. */
export type AggregateRecountOrder = { workspaceId: number; mends: boolean };

/** A quarter of an hour, from its first millisecond, whose clicks were added up to another number than they are. */
export type AggregateDifference = { from: number; isBot: boolean; added: number; counted: number };

/** What counting again has shown: the quarters of an hour compared, and the differences, of which it tells the earliest. */
export type AggregateRecount = { compared: number; differences: AggregateDifference[]; differencesCount: number };

/** Differences that one recount tells. */
export const aggregateDifferencesMax = 1_000;
