import { botKind } from "../clicks/bots.ts";
import { passPath } from "../links/destination-url.ts";
import type { Decision, PageName, RefusalDecision } from "./decision.ts";
import { forwardQuery } from "./forward-query.ts";
import { blockedUrl } from "./location-url.ts";
import type { RedirectDomain, RedirectLink } from "./lookup.ts";
import type { RedirectRequest } from "./redirect-request.ts";
import { chooseDestination, type Destination, type DestinationSource } from "./targeting-rules.ts";
import type { VisitorAttributes } from "./visitor-attributes.ts";

/** A request and the link that its host and path name. */
export type Match = {
  request: RedirectRequest;
  domain: RedirectDomain;
  link: RedirectLink;
  /** The path after the link's key with its slash, still percent-encoded; "" for none. */
  rest: string;
};

const gone = 410;

/** What a visitor of a blocked link gets. */
export const blocked: RefusalDecision = { kind: "page", page: "blocked", status: gone };

/**
 * Decides what a visitor of a link gets. Pure. In this order:
 * 1. A link without a destination, or with a path after its key that it does not forward, counts as missing.
 * 2. The link may be blocked by the operator, disabled, not started, expired or used up.
 * 3. The password must be right.
 * 4. The targeting rules choose the destination, which gets the rest of the path and the query.
 * 5. The destination is shown as a preview, in a frame, or by a redirect.
 */
export function decide(match: Omit<Match, "request">, visitor: VisitorAttributes): Decision {
  const { link, rest } = match;
  const { plainDecision } = link;
  if (plainDecision === undefined || rest !== "") return decideInFull(match, visitor);
  return isPlainVisit(link, rest, visitor.query)
    ? plainDecision
    : { ...plainDecision, url: forwardQuery(link.url, visitor.query) };
}

/** True when `decide` returns the link's plain decision for this rest and query, as for most redirects. */
export function isPlainVisit({ plainDecision }: RedirectLink, rest: string, query: string): boolean {
  return plainDecision !== undefined && rest === "" && query.length < 2;
}

/** Decides what a visitor gets for a key that no link has. Pure. */
export function decideUnknown(domain: RedirectDomain): RefusalDecision {
  if (domain.notFoundUrl !== null) return { kind: "fallback", url: domain.notFoundUrl, page: "notFound" };
  return { kind: "page", page: "notFound", status: 404 };
}

/** Decides what a visitor of a deleted link gets. Pure. */
export function decideDeleted(domain: RedirectDomain): RefusalDecision {
  return goneDecision("deleted", domain);
}

/** What a visitor of an unverified domain gets. */
export const unverified: RefusalDecision = { kind: "page", page: "unverified", status: 404 };

function decideInFull({ link, domain, rest }: Omit<Match, "request">, visitor: VisitorAttributes): Decision {
  if (link.url === "" || (rest !== "" && !link.forwardPath)) return decideUnknown(domain);
  if (link.isBlocked) return blocked;
  const { now } = visitor;
  // The owner has disabled the link, so its expiredUrl does not apply.
  if (link.disabledAt !== null && link.disabledAt <= now) return goneDecision("disabled", domain);
  if (link.startsAt !== null && link.startsAt > now) return endedDecision("notStarted", link, domain);
  if (link.expiresAt !== null && link.expiresAt <= now) return endedDecision("expired", link, domain);
  if (link.maxClicks !== null && visitor.isUsedUp) return endedDecision("usedUp", link, domain);
  if (link.passwordHash !== null && !visitor.passwordCheck.isUnlocked) return askForPassword;
  const { url, source } = chooseDestination(link.targetingRules, visitor) ?? { url: link.url, source: linkSource };
  if (url === blockedUrl) return blocked;
  return presentationOf(link, visitor, { url: forwardQuery(passPath(url, rest), visitor.query), source });
}

const askForPassword: RefusalDecision = { kind: "page", page: "password", status: 200 };
const linkSource: DestinationSource = { kind: "url" };

/** A redirect to the domain's notFoundUrl, or without one a page that says the link is gone. */
function goneDecision(page: PageName, { notFoundUrl }: RedirectDomain): RefusalDecision {
  return notFoundUrl === null ? { kind: "page", page, status: gone } : { kind: "fallback", url: notFoundUrl, page };
}

function endedDecision(page: PageName, link: RedirectLink, domain: RedirectDomain): RefusalDecision {
  const url = link.expiredUrl ?? domain.expiredUrl;
  if (url === blockedUrl) return blocked;
  return url === null ? { kind: "page", page, status: gone } : { kind: "fallback", url, page };
}

function presentationOf(link: RedirectLink, { userAgent }: VisitorAttributes, destination: Destination): Decision {
  if (link.proxy && botKind(userAgent) === "preview") return { kind: "preview", ...destination };
  if (link.rewrite && fitsFrame(link, destination)) return { kind: "frame", ...destination };
  return { kind: "destination", status: link.redirectStatus, ...destination };
}

/** A frame cannot show an app. Only the link's own URL was checked for refusing frames, not its other destinations. */
function fitsFrame({ refusesFrame }: RedirectLink, { url, source }: Destination): boolean {
  return /^https?:/.test(url) && !(refusesFrame && source.kind === "url");
}
