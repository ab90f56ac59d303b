import { botKind } from "../clicks/bots.ts";
import { passPath } from "../links/destination-url.ts";
import { type Choice, type Chosen, choose, type Traits } from "./choices.ts";
import type { DomainTarget, LinkTarget } from "./lookup.ts";
import { passQuery } from "./passing.ts";
import { blockedUrl } from "./sendable-url.ts";

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
  | { kind: "destination"; status: number; url: string; chosen: Chosen }
  | { kind: "frame" | "preview"; url: string; chosen: Chosen }
  | { kind: "fallback"; url: string; page: PageName }
  | { kind: "page"; page: PageName; status: 200 | 404 | 410 };

/** A decision that does not lead where the link leads. */
export type NotLed = Extract<Decision, { kind: "fallback" | "page" }>;

const gone = 410;

/** What a visitor of a blocked link gets. */
export const blocked: NotLed = { kind: "page", page: "blocked", status: gone };

/**
 * Decides what a visitor of a link gets. Pure. In this order:
 * 1. A link without a destination, or one that does not forward what stands behind its key: as if there were none.
 * 2. Blocked by the operator, switched off, not started, expired, used up.
 * 3. Its password.
 * 4. Which of its destinations, see choices.ts; the path behind the key and the query are passed on to it.
 * 5. How it is shown: as a preview, in a frame, or by sending the visitor there.
 */
export function decide(link: LinkTarget, domain: DomainTarget, visitor: Visitor): Decision {
  const { plain } = link;
  if (plain === undefined || visitor.rest !== "") return decideWithCare(link, domain, visitor);
  return isPlainVisit(link, visitor.rest, visitor.query)
    ? plain
    : { ...plain, url: passQuery(link.url, visitor.query) };
}

/**
 * Whether `decide` sends a visitor with this rest and query to the link's own url, by its plain decision. Most redirects
 * ask no more.
 */
export function isPlainVisit({ plain }: LinkTarget, rest: string, query: string): boolean {
  return plain !== undefined && rest === "" && query.length < 2;
}

/** Decides what a visitor of a key that does not exist gets. Pure. */
export function decideUnknown(domain: DomainTarget): NotLed {
  if (domain.notFoundUrl !== null) return { kind: "fallback", url: domain.notFoundUrl, page: "notFound" };
  return { kind: "page", page: "notFound", status: 404 };
}

/** Decides what a visitor of a deleted link gets. Pure. */
export function decideDeleted(domain: DomainTarget): NotLed {
  return instead("deleted", domain);
}

/** What a visitor of a domain gets that is not proven. */
export const unverified: NotLed = { kind: "page", page: "unverified", status: 404 };

function decideWithCare(link: LinkTarget, domain: DomainTarget, visitor: Visitor): Decision {
  if (link.url === "" || (visitor.rest !== "" && !link.forwardPath)) return decideUnknown(domain);
  if (link.isBlocked) return blocked;
  const { now } = visitor;
  // A disabled link sends nobody on at its own word, so its expiredUrl does not count here.
  if (link.disabledAt !== null && link.disabledAt <= now) return instead("disabled", domain);
  if (link.startsAt !== null && link.startsAt > now) return ended("notStarted", link, domain);
  if (link.expiresAt !== null && link.expiresAt <= now) return ended("expired", link, domain);
  if (link.maxClicks !== null && visitor.isUsedUp) return ended("usedUp", link, domain);
  if (link.passwordHash !== null && !visitor.isUnlocked) return { kind: "page", page: "password", status: 200 };
  const { url, chosen } = choose(link.choosers, visitor) ?? ownUrl(link);
  if (url === blockedUrl) return blocked;
  return show(link, visitor, { url: passQuery(passPath(url, visitor.rest), visitor.query), chosen });
}

/** On to where the domain sends those who ask for what is not there, else a page that says it is gone. */
function instead(page: PageName, { notFoundUrl }: DomainTarget): NotLed {
  return notFoundUrl === null ? { kind: "page", page, status: gone } : { kind: "fallback", url: notFoundUrl, page };
}

function ended(page: PageName, link: LinkTarget, domain: DomainTarget): NotLed {
  const url = link.expiredUrl ?? domain.expiredUrl;
  if (url === blockedUrl) return blocked;
  return url === null ? { kind: "page", page, status: gone } : { kind: "fallback", url, page };
}

function ownUrl({ url }: LinkTarget): Choice {
  return { url, chosen: ownChosen };
}

const ownChosen: Chosen = { kind: "url" };

function show(link: LinkTarget, { userAgent }: Visitor, choice: Choice): Decision {
  if (link.proxy && botKind(userAgent) === "preview") return { kind: "preview", ...choice };
  if (link.rewrite && fitsFrame(link, choice)) return { kind: "frame", ...choice };
  return { kind: "destination", status: link.redirectStatus, ...choice };
}

/** An app cannot be shown in a frame; of other destinations than its url, nobody has asked whether they refuse to be. */
function fitsFrame({ refusesFrame }: LinkTarget, { url, chosen }: Choice): boolean {
  return /^https?:/.test(url) && !(refusesFrame && chosen.kind === "url");
}
