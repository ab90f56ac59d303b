import type { Click } from "./click.ts";

/** The columns of a click that queries group and filter by. */
const columns = [
  "linkId",
  "domainId",
  "domain",
  "key",
  "url",
  "continent",
  "country",
  "region",
  "city",
  "device",
  "browser",
  "os",
  "referer",
  "refererUrl",
  "language",
  "trigger",
  "bot",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
] as const satisfies readonly (keyof Click)[];

/**
 * All dimensions: the columns, and values that follow from one of them. baseUrl is the URL without query and fragment;
 * refererGroup and channel are the group of the referrer, see referrer-group.ts.
 */
export const dimensions = [...columns, "baseUrl", "refererGroup", "channel"] as const;
export type Dimension = (typeof dimensions)[number];

/** The URL without query and fragment. */
export function baseUrlOf(url: string): string {
  return url.replace(/[?#].*$/s, "");
}

/**
 * Keeps the clicks whose dimension equals one of the values or, when excluded, none of them.
 * Bound: the caller's. The store joins long lists, so a hundred thousand values are fine.
 */
export type Filter = { dimension: Dimension; values: readonly string[]; isExcluded: boolean };

/** Whether to count clicks of humans, of bots, or both. */
export type BotChoice = "exclude" | "include" | "only";

/** What to count: clicks, or clicks and visitors. */
export type Metric = "clicks" | "visitors";

/** How to group clicks into rows. */
export type Grouping =
  | { kind: "count" }
  /** Rows keyed by floor(time / intervalMs). Intervals without clicks are left out. */
  | { kind: "intervals"; intervalMs: number }
  /**
   * Each click falls into the last bucket whose start is ≤ its time; earlier clicks fall into bucket 0. Rows are keyed
   * by the index of the bucket; buckets without clicks are left out. Visitors need buckets, because they cannot be
   * added up from shorter intervals as clicks can.
   * Shape: starts ascend, and there is at least one.
   */
  | { kind: "buckets"; starts: readonly number[] }
  /**
   * Rows keyed by the local hour of the week, 0 to 167; hour 0 begins on Monday at midnight. Hours without clicks are
   * left out.
   * Shape: offsets ascend, and there is at least one; the first one also holds for earlier clicks.
   */
  | { kind: "weekHours"; offsets: readonly ClockOffset[] }
  /**
   * Rows keyed by the dimension's value, "" for unknown; the largest first, then by value. `within` names wider
   * dimensions that tell equal values apart, such as cities of one name in several regions.
   */
  | { kind: "dimension"; dimension: Dimension; within?: readonly Dimension[]; rowsMax: number }
  /**
   * Rows keyed by label, the largest first, then by label. A click counts for each label of its dimension's value.
   * Shape: each pair occurs once.
   */
  | { kind: "labels"; dimension: Dimension; labels: readonly Labelled[]; rowsMax: number };

/** How far the local time is ahead of UTC, from this instant until the next offset's. */
export type ClockOffset = { from: number; offsetMs: number };

/** A value of a dimension, and one of its labels. */
export type Labelled = { value: string; label: string };

/** A selection of one workspace's clicks. */
export type ClickSelection = {
  workspaceId: number;
  /** Milliseconds since the epoch. Half open: from is in, to is out. */
  from: number;
  to: number;
  bots: BotChoice;
  filters: readonly Filter[];
};

/** A query for numbers of clicks, as plain data. Each engine compiles it to SQL. */
export type ClickQuery = ClickSelection & {
  grouping: Grouping;
  /** "clicks" by default. */
  metric?: Metric | undefined;
};

/** A page of clicks, ordered by time and then by id. */
export type ClickPage = ClickSelection & { order: "newestFirst" | "oldestFirst"; offset: number; limit: number };

/**
 * Links of one workspace.
 * Bound: the caller's; the store joins the list.
 */
export type LinkSelection = { workspaceId: number; linkIds: readonly string[] };

/** The clicks of a workspace before an instant, in milliseconds since the epoch. */
export type FirstClickQuery = { workspaceId: number; before: number };

/**
 * Fields of a link's last click, by a human or a bot; any one of several clicks at the same time. If that click has
 * expired, url is that of the last unexpired one, or "".
 */
export type LastClick = Pick<Click, "linkId" | "time" | "domainId" | "domain" | "key" | "url">;

/**
 * One row of an answer: the key of the group (a text for dimensions, a number for times) and its clicks. `within` is
 * present if the grouping has it. `visitors` is present for that metric: the different visitors, without visitors
 * with Do Not Track.
 */
export type ClickRow = { value: string | number; within?: string[]; clicks: number; visitors?: number };
