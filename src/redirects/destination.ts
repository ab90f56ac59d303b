import { botKind } from "../clicks/bots.ts";
import { passPath } from "../links/destination-url.ts";
import { forwardQuery } from "./forward-query.ts";
import { blockedUrl } from "./location-url.ts";
import type { RedirectDomain, RedirectLink } from "./lookup.ts";
import { chooseDestination, type Destination, type DestinationSource, type Traits } from "./targeting-rules.ts";

/** What a decision looks at, besides the link and the domain. */
export type Visitor = Traits & {
  /** What stands in the path behind the link's key, with its slash; "" for nothing. Still percent-encoded. */
  rest: string;
  /** Whether the link's password was given and fits; only asked of links that have one. */
  isUnlocked: boolean;
  /** Whether the link's clicks are used up; only asked of links that have maxClicks. */
  isUsedUp: boolean;
};

/** The pages shown in place of a destination. */
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
 * destination: on to where the link leads.
 * frame: where the link leads, shown inside a page of ours.
 * preview: a page that says to a program what the link is about; people never get it.
 * fallback: on to where the link or its domain sends visitors whom the link does not serve; `page` says why.
 * page: a page of ours, with its status.
 * A destination or a frame is a click when a human gets it; see counting.ts.
 */
export type Decision =
  | { kind: "destination"; status: number; url: string; source: DestinationSource }
  | { kind: "frame" | "preview"; url: string; source: DestinationSource }
  | { kind: "fallback"; url: string; page: PageName }
  | { kind: "page"; page: PageName; status: 200 | 404 | 410 };

/** A decision that does not lead where the link leads. */
export type FallbackDecision = Extract<Decision, { kind: "fallback" | "page" }>;

const gone = 410;

/** What a visitor of a blocked link gets. */
export const blocked: FallbackDecision = { kind: "page", page: "blocked", status: gone };

/**
 * Decides what a visitor of a link gets. Pure. In this order:
 * 1. A link without a destination, or one that does not forward what stands behind its key: as if there were none.
 * 2. Blocked by the operator, switched off, not started, expired, used up.
 * 3. Its password.
 * 4. Which of its destinations, see choices.ts; the path behind the key and the query are passed on to it.
 * 5. How it is shown: as a preview, in a frame, or by sending the visitor there.
 */
export function decide(link: RedirectLink, domain: RedirectDomain, visitor: Visitor): Decision {
  const { plainDecision } = link;
  if (plainDecision === undefined || visitor.rest !== "") return decideInFull(link, domain, visitor);
  return isPlainVisit(link, visitor.rest, visitor.query)
    ? plainDecision
    : { ...plainDecision, url: forwardQuery(link.url, visitor.query) };
}

/**
 * Whether `decide` sends a visitor with this rest and query to the link's own url, by its plain decision. Most redirects
 * ask no more.
 */
export function isPlainVisit({ plainDecision }: RedirectLink, rest: string, query: string): boolean {
  return plainDecision !== undefined && rest === "" && query.length < 2;
}

/** Decides what a visitor of a key that does not exist gets. Pure. */
export function decideUnknown(domain: RedirectDomain): FallbackDecision {
  if (domain.notFoundUrl !== null) return { kind: "fallback", url: domain.notFoundUrl, page: "notFound" };
  return { kind: "page", page: "notFound", status: 404 };
}

/** Decides what a visitor of a deleted link gets. Pure. */
export function decideDeleted(domain: RedirectDomain): FallbackDecision {
  return goneOrFallback("deleted", domain);
}

/** What a visitor of a domain gets that is not proven. */
export const unverified: FallbackDecision = { kind: "page", page: "unverified", status: 404 };

function decideInFull(link: RedirectLink, domain: RedirectDomain, visitor: Visitor): Decision {
  if (link.url === "" || (visitor.rest !== "" && !link.forwardPath)) return decideUnknown(domain);
  if (link.isBlocked) return blocked;
  const { now } = visitor;
  // A disabled link sends nobody on at its own word, so its expiredUrl does not count here.
  if (link.disabledAt !== null && link.disabledAt <= now) return goneOrFallback("disabled", domain);
  if (link.startsAt !== null && link.startsAt > now) return endedDecision("notStarted", link, domain);
  if (link.expiresAt !== null && link.expiresAt <= now) return endedDecision("expired", link, domain);
  if (link.maxClicks !== null && visitor.isUsedUp) return endedDecision("usedUp", link, domain);
  if (link.passwordHash !== null && !visitor.isUnlocked) return { kind: "page", page: "password", status: 200 };
  const { url, source } = chooseDestination(link.targetingRules, visitor) ?? linkDestination(link);
  if (url === blockedUrl) return blocked;
  return presentationOf(link, visitor, { url: forwardQuery(passPath(url, visitor.rest), visitor.query), source });
}

/** On to where the domain sends those who ask for what is not there, else a page that says it is gone. */
function goneOrFallback(page: PageName, { notFoundUrl }: RedirectDomain): FallbackDecision {
  return notFoundUrl === null ? { kind: "page", page, status: gone } : { kind: "fallback", url: notFoundUrl, page };
}

function endedDecision(page: PageName, link: RedirectLink, domain: RedirectDomain): FallbackDecision {
  const url = link.expiredUrl ?? domain.expiredUrl;
  if (url === blockedUrl) return blocked;
  return url === null ? { kind: "page", page, status: gone } : { kind: "fallback", url, page };
}

function linkDestination({ url }: RedirectLink): Destination {
  return { url, source: linkSource };
}

const linkSource: DestinationSource = { kind: "url" };

function presentationOf(link: RedirectLink, { userAgent }: Visitor, destination: Destination): Decision {
  if (link.proxy && botKind(userAgent) === "preview") return { kind: "preview", ...destination };
  if (link.rewrite && fitsFrame(link, destination)) return { kind: "frame", ...destination };
  return { kind: "destination", status: link.redirectStatus, ...destination };
}

/** An app cannot be shown in a frame; of other destinations than its url, nobody has asked whether they refuse to be. */
function fitsFrame({ refusesFrame }: RedirectLink, { url, source }: Destination): boolean {
  return /^https?:/.test(url) && !(refusesFrame && source.kind === "url");
}
