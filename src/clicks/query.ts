import type { BotKind } from "./click.ts";

/** Columns of a click that people group and filter by. */
export const dimensions = [
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
] as const;
export type Dimension = (typeof dimensions)[number];

/** Keeps the clicks whose dimension is one of the values, or, when excluded, none of them. Compared exactly. */
export type Filter = { dimension: Dimension; values: readonly string[]; isExcluded: boolean };

/** Which of the two classes of clicks counts: humans', bots', or both. */
export type BotChoice = "exclude" | "include" | "only";

/** What the rows of an answer stand for. */
export type Grouping =
  | { kind: "count" }
  /** Rows keyed by slot: floor(time / slotMs). Slots without clicks are left out. */
  | { kind: "slots"; slotMs: number }
  /** Rows keyed by the dimension's value, "" for unknown; most clicks first, then by value. */
  | { kind: "dimension"; dimension: Dimension; rowsMax: number }
  /** One row keyed by the time of the first click; none when there are no clicks. */
  | { kind: "earliest" };

/** A question about the clicks of one workspace, as a plain value; compiled to SQL by sql.ts. */
export type ClickQuery = {
  workspaceId: number;
  /** Milliseconds since the epoch, half open: from is in, to is out. */
  from: number;
  to: number;
  bots: BotChoice;
  filters: readonly Filter[];
  grouping: Grouping;
};

/** One row of an answer: the group's value (texts for dimensions, numbers for slots) and its clicks. */
export type ClickRow = { value: string | number; clicks: number };

/** The bot column's value for a human. */
export const human: BotKind | "" = "";
