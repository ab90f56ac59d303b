import type { BotKind, Click } from "./click.ts";

/** Columns of a click that people group and filter by. */
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

/** Everything clicks are grouped and filtered by: the columns, and baseUrl, the url without query and fragment. */
export const dimensions = [...columns, "baseUrl"] as const;
export type Dimension = (typeof dimensions)[number];

/** A click's value in a dimension. */
export function dimensionOf(click: Click, dimension: Dimension): string {
  return dimension === "baseUrl" ? baseUrlOf(click.url) : click[dimension];
}

/** The url without query and fragment. */
export function baseUrlOf(url: string): string {
  return url.replace(/[?#].*$/s, "");
}

/**
 * Keeps the clicks whose dimension is one of the values, or, when excluded, none of them. Compared exactly.
 * Bound: the caller's; a hundred thousand values are a table the store joins with, not a text it parses.
 */
export type Filter = { dimension: Dimension; values: readonly string[]; isExcluded: boolean };

/** Which of the two classes of clicks counts: humans', bots', or both. */
export type BotChoice = "exclude" | "include" | "only";

/** What an answer is about: clicks alone, or also by how many visitors they are. */
export type Metric = "clicks" | "visitors";

/** What the rows of an answer stand for. */
export type Grouping =
  | { kind: "count" }
  /** Rows keyed by slot: floor(time / slotMs). Slots without clicks are left out. */
  | { kind: "intervals"; intervalMs: number }
  /**
   * Rows keyed by the index of the last start at or before the click, 0 for a click before all of them. Buckets
   * without clicks are left out. For visitors, who cannot be added up from slots as clicks can.
   * Shape: starts ascend, and there is at least one.
   */
  | { kind: "buckets"; starts: readonly number[] }
  /**
   * Rows keyed by the hour of the week that a clock shows at the click, 0 to 167, of which 0 begins on Monday at
   * midnight. Hours without clicks are left out.
   * Shape: offsets ascend, and there is at least one; a click before all of them has the first.
   */
  | { kind: "weekHours"; offsets: readonly ClockOffset[] }
  /**
   * Rows keyed by the dimension's value, "" for unknown; most of the metric first, then by value. With `within`, equal
   * values are told apart by those wider dimensions, as the cities of one name in several regions.
   */
  | { kind: "dimension"; dimension: Dimension; within?: readonly Dimension[]; rowsMax: number }
  /**
   * Rows keyed by label, most of the metric first, then by label: a click counts for each label its dimension's value
   * is paired with. Each pair is there once.
   */
  | { kind: "labels"; dimension: Dimension; labels: readonly Labelled[]; rowsMax: number };

/** How far a clock is ahead of UTC, in milliseconds, from this instant on until the next one's. */
export type ClockOffset = { from: number; offsetMs: number };

/** A value of a dimension and a label of it. */
export type Labelled = { value: string; label: string };

/** Which clicks of one workspace are meant. */
export type ClickSelection = {
  workspaceId: number;
  /** Milliseconds since the epoch, half open: from is in, to is out. */
  from: number;
  to: number;
  bots: BotChoice;
  filters: readonly Filter[];
};

/** A question about the number of clicks, as a plain value; each store compiles it to its own language. */
export type ClickQuery = ClickSelection & {
  grouping: Grouping;
  /** Clicks when absent. */
  metric?: Metric | undefined;
};

/** A part of the clicks themselves, ordered by time and among equals by id. */
export type ClickPage = ClickSelection & { order: "newestFirst" | "oldestFirst"; offset: number; limit: number };

/** Links of one workspace. Bound: the caller's; they are a table the store joins with. */
export type LinkSelection = { workspaceId: number; linkIds: readonly string[] };

/**
 * What the last click of a link says of it, whatever class of click that was; of several at one moment, any. Where it was
 * removed for its age, url is that of the last one left, "" when none is.
 */
export type LastClick = Pick<Click, "linkId" | "time" | "domainId" | "domain" | "key" | "url">;

/**
 * One row of an answer: the group's value (texts for dimensions, numbers for slots and buckets) and its clicks.
 * `within` is there for a grouping that has it, `visitors` for that metric: the different visitors of these clicks,
 * without those who asked not to be told from others.
 */
export type ClickRow = { value: string | number; within?: string[]; clicks: number; visitors?: number };

/** The bot column's value for a human. */
export const human: BotKind | "" = "";
