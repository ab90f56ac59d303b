import type { DestinationSource } from "./targeting-rules.ts";

/** The pages that visitors may get instead of a destination. */
export const pageNames = [
  "password",
  "expired",
  "notStarted",
  "usedUp",
  "disabled",
  "blocked",
  "deleted",
  "notFound",
  "unverified",
  "unavailable",
] as const;
export type PageName = (typeof pageNames)[number];

/**
 * What a visitor gets.
 * destination: a redirect to the link's destination.
 * frame: the destination, framed by a page of ours.
 * preview: a page that describes the link to a preview bot; people never get it.
 * fallback: a redirect to the fallback URL of the link or its domain; `page` names the reason.
 * page: a page of ours, with its status.
 * Visits that get a destination or a frame count as clicks, unless the visitor is a bot or asked not to be tracked; see
 * counting.ts.
 */
export type Decision =
  | { kind: "destination"; status: number; url: string; source: DestinationSource }
  | { kind: "frame" | "preview"; url: string; source: DestinationSource }
  | { kind: "fallback"; url: string; page: PageName }
  | { kind: "page"; page: PageName; status: 200 | 404 | 410 };

/** A redirect to the link's destination. */
export type RedirectDecision = Extract<Decision, { kind: "destination" }>;

/** A decision for the link's destination, in whatever form. */
export type DestinationDecision = Extract<Decision, { kind: "destination" | "frame" | "preview" }>;

/** A decision that does not lead to the link's destination: a fallback or a page. */
export type RefusalDecision = Exclude<Decision, DestinationDecision>;
