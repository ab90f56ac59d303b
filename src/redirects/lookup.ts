import type { Selectable } from "kysely";
import type { BlockedKeys, Blocks } from "../access/blocks.ts";
import type { ClickTarget, Shared } from "../clicks/click.ts";
import type { DomainsTable, LinksTable } from "../database/schema.ts";
import { linksWork } from "../domains/domain.ts";
import { redirectFields } from "../links/fields.ts";
import { type Answer, sendTo } from "./answer.ts";
import type { RedirectDecision } from "./decision.ts";
import { blockedUrl, locationUrl } from "./location-url.ts";
import { compileTargetingRules, type DestinationSource, type TargetingRule } from "./targeting-rules.ts";

/** A domain's uploaded logo, as its pages show it. */
export type PageLogo = {
  /** The path on the domain itself; each upload gets another one. */
  path: string;
  /** The image's alternative text. */
  name: string;
};

/** What a redirect needs to know of a domain. Its urls are absolute and ASCII, as a Location header needs them. */
export type RedirectDomain = Pick<
  DomainsTable,
  "id" | "slug" | "status" | "failingSince" | "expiredUrl" | "notFoundUrl" | "assetLinks" | "appleAppSiteAssociation"
> & {
  isInstance: boolean;
  isCaseSensitive: boolean;
  honorDoNotTrack: boolean;
  /** Shown on the pages that visitors of it meet. */
  logo: PageLogo | null;
  /** Whether a link of it passes on what stands in the path behind its key, so that unknown paths may be one's. */
  hasForwarding: boolean;
  /** What the operator has blocked on it; undefined for nothing. */
  blocked: BlockedKeys | undefined;
};

/** What a redirect needs to know of a link. Its urls are absolute and ASCII, as a Location header needs them. */
export type RedirectLink = Pick<
  LinksTable,
  "id" | "workspaceId" | "key" | "passwordHash" | "startsAt" | "expiresAt" | "expiredUrl" | "disabledAt" | "maxClicks"
> & {
  /** Whether the operator has blocked it, whatever its place and its targets are. */
  isBlocked: boolean;
  /** "" for a root link without a destination, `blockedUrl` for one on a blocked host. */
  url: string;
  redirectStatus: number;
  forwardPath: boolean;
  proxy: boolean;
  rewrite: boolean;
  /** Whether `url` is known to stay empty in a frame. */
  refusesFrame: boolean;
  /** Its title, where a page of ours shows it around the destination. */
  title: string | null;
  doIndex: boolean;
  /** Destinations for some visitors; see targeting-rules.ts. */
  targetingRules: readonly TargetingRule[];
  /** The decision about every visitor who brings no query, where no more has to be asked: most links have one. */
  plainDecision: RedirectDecision | undefined;
  /** The answer to a visitor who is sent to `url` itself, made once. */
  answer: Answer;
  /** What those get who are sent to another of its destinations, each made with the first of them. */
  otherAnswers: Map<DestinationSource, { answer: Answer; url: Shared<string> }> | undefined;
  /** What its clicks have in common, made with the first on the domain of this slug. */
  clickTarget: Shared<ClickTarget> | undefined;
  clickTargetSlug: string;
};

/** What a link is about, as its owner says for previews. */
export type LinkPreview = Pick<LinksTable, "title" | "description" | "image" | "video">;

/**
 * Finds domains by host and links by key, as the database is at the moment of the call: a change that was answered is
 * seen by the next look-up. Answers at once where it can, so that most redirects never leave their turn.
 */
export type Lookup = {
  /** The domain that answers for a host name (without port, lower case); undefined when none does. */
  domain(host: string): RedirectDomain | undefined | Promise<RedirectDomain | undefined>;
  /** The link of a domain with this folded key. */
  link(domainId: string, foldedKey: string): RedirectLink | undefined | Promise<RedirectLink | undefined>;
  /** Whether a link that was deleted had this folded key, and no link has it now. Asked where `link` found none. */
  isDeleted(domainId: string, foldedKey: string): boolean | Promise<boolean>;
  /** The link of the first of these folded keys that has one with forwardPath. */
  forwardingLink(
    domainId: string,
    foldedKeys: readonly string[],
  ): RedirectLink | undefined | Promise<RedirectLink | undefined>;
  /** What the link is about; images are long, so they are not kept with the link. All null for one that is gone. */
  preview(linkId: string): Promise<LinkPreview>;
  /** What the operator has blocked. */
  blocks(): Blocks | Promise<Blocks>;
  close(): void;
};

/** The columns the two look-ups read. */
export const domainColumns = [
  "id",
  "slug",
  "status",
  "failingSince",
  "expiredUrl",
  "notFoundUrl",
  "assetLinks",
  "appleAppSiteAssociation",
  "isInstance",
  "caseSensitive",
  "honorDoNotTrack",
  "createdAt",
  "updatedAt",
] as const;
export type RedirectDomainRow = Pick<DomainsTable, (typeof domainColumns)[number]> & {
  /** As engines answer `hasLogo` and `hasForwarding`. */
  hasLogo: boolean | number | null;
  hasForwarding: boolean | number;
};

/** SQL that tells whether a domain's logo was uploaded; the logo itself is too long to be remembered. */
export const hasLogo = `substr(domains.logo, 1, 5) = 'data:'`;
/** SQL that tells whether a domain has a link with forwardPath; a small index answers it. */
export const hasForwarding = `EXISTS (SELECT 1 FROM links WHERE links."domainId" = domains.id AND links."forwardPath" = 1)`;

/** SQL that tells whether a row is not of a workspace that was deleted. */
export function isKept(table: "links" | "domains"): string {
  return `NOT EXISTS (SELECT 1 FROM erasures WHERE erasures."workspaceId" = ${table}."workspaceId")`;
}

/**
 * SQL that tells whether the parameters, a domain and a folded key, name a key of a deleted link. A link that is there
 * although no look-up finds it is one of a deleted workspace, whose key is not given up yet.
 */
export function isDeletedKey(domainId: string, foldedKey: string): string {
  const place = `"domainId" = ${domainId} AND "foldedKey" = ${foldedKey}`;
  return `(EXISTS (SELECT 1 FROM "releasedKeys" WHERE ${place} AND "isDeleted" = 1)
    OR EXISTS (SELECT 1 FROM links WHERE ${place}))`;
}

/** The columns of links that the look-ups read. */
export const linkColumns = [
  ...(["id", "workspaceId", "domainId", "userId", "key", "url", "passwordHash", "framing"] as const),
  ...redirectFields,
];
/** A row of those columns. */
export type LookupRow = Pick<Selectable<LinksTable>, (typeof linkColumns)[number]>;

/** The columns of links that a preview is made of. */
export const previewColumns = ["title", "description", "image", "video"] as const;
/** The preview of a link that was deleted meanwhile. */
export const noPreview: LinkPreview = { title: null, description: null, image: null, video: null };

/**
 * Of the domains that share a slug, the one that answers: the one proven, else the oldest pending.
 * Whether a pending one may redirect is the caller's to decide, with `answers`.
 */
export function chooseDomain(rows: readonly RedirectDomainRow[]): RedirectDomainRow | undefined {
  const oldestFirst = [...rows].sort(
    (left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1),
  );
  return oldestFirst.find((row) => row.status !== "pending") ?? oldestFirst[0];
}

/** Whether links on the domain redirect now. */
export function isServing(domain: RedirectDomain, isUnverifiedAllowed: boolean, now: number): boolean {
  return isUnverifiedAllowed || linksWork(domain, now);
}

/** What paths of logos begin with, on the domain itself; no link has such a key. */
export const logoPath = "/.well-known/waypost/logo-";

/** The domain as redirects use it. Nobody is sent on by a blocked domain, nor to a blocked host. */
export function redirectDomain(row: RedirectDomainRow, blocks: Blocks): RedirectDomain {
  const blocked = blocks.onDomain(row.slug);
  const fallback = (url: string | null) =>
    url === null || blocked === "all" || blocks.hasHostOf(url) ? null : locationUrl(url);
  const { caseSensitive, honorDoNotTrack, isInstance, hasLogo: isUploaded, createdAt: _, updatedAt, ...same } = row;
  return {
    ...same,
    blocked,
    expiredUrl: fallback(row.expiredUrl),
    notFoundUrl: fallback(row.notFoundUrl),
    hasForwarding: Boolean(row.hasForwarding),
    isInstance: isInstance === 1,
    isCaseSensitive: caseSensitive === 1,
    honorDoNotTrack: honorDoNotTrack === 1,
    // Another image is another change of the domain, and so has another path: browsers may keep it for good.
    logo: isUploaded ? { path: `${logoPath}${updatedAt.toString(36)}`, name: row.slug } : null,
  };
}

/** How visitors are sent on whose link does not say. */
export const defaultStatus = 302;

/** The link as redirects use it. */
export function redirectLink(row: LookupRow, blocks: Blocks): RedirectLink {
  const toLocation = (url: string) => (blocks.hasHostOf(url) ? blockedUrl : locationUrl(url));
  const isFramed = row.rewrite === 1;
  const link = plainRedirectLink({
    ...{ id: row.id, workspaceId: row.workspaceId, key: row.key },
    url: row.url === "" ? "" : toLocation(row.url),
    redirectStatus: row.redirectStatus ?? defaultStatus,
    forwardPath: row.forwardPath === 1,
    doIndex: row.doIndex === 1,
  });
  link.isBlocked = blocks.hasLink(row);
  link.passwordHash = row.passwordHash;
  link.startsAt = row.startsAt;
  link.expiresAt = row.expiresAt;
  link.expiredUrl = row.expiredUrl === null ? null : toLocation(row.expiredUrl);
  link.disabledAt = row.disabledAt;
  link.maxClicks = row.maxClicks;
  link.proxy = row.proxy === 1;
  link.rewrite = isFramed;
  link.refusesFrame = isFramed && row.framing === "refused";
  link.title = isFramed ? row.title : null;
  link.targetingRules = compileTargetingRules(row, toLocation, blocks.revision);
  if (!isPlain(link)) link.plainDecision = undefined;
  return link;
}

const noTargetingRules: readonly TargetingRule[] = [];

/** What redirects use of a link that sends every visitor to its url, at any time; the url is absolute and ASCII. */
export function plainRedirectLink({
  id,
  workspaceId,
  key,
  url,
  redirectStatus,
  forwardPath,
  doIndex,
}: Pick<
  RedirectLink,
  "id" | "workspaceId" | "key" | "url" | "redirectStatus" | "forwardPath" | "doIndex"
>): RedirectLink {
  // Field by field: it is made for each visit of a link that is not remembered. What every visit asks for lies together.
  return {
    id,
    url,
    passwordHash: null,
    maxClicks: null,
    plainDecision: { kind: "destination", status: redirectStatus, url, source: { kind: "url" } },
    answer: sendTo(url, redirectStatus, doIndex),
    clickTarget: undefined,
    clickTargetSlug: "",
    otherAnswers: undefined,
    workspaceId,
    key,
    redirectStatus,
    forwardPath,
    doIndex,
    isBlocked: false,
    startsAt: null,
    expiresAt: null,
    expiredUrl: null,
    disabledAt: null,
    proxy: false,
    rewrite: false,
    refusesFrame: false,
    title: null,
    targetingRules: noTargetingRules,
  };
}

/** Whether it sends every visitor to its url, at any time. */
function isPlain(link: RedirectLink): boolean {
  const { startsAt, expiresAt, disabledAt, maxClicks, passwordHash } = link;
  const isOpen = [startsAt, expiresAt, disabledAt, maxClicks, passwordHash].every((value) => value === null);
  const isLeading = !link.isBlocked && link.url !== "" && link.url !== blockedUrl;
  return isOpen && isLeading && link.targetingRules.length === 0 && !link.proxy && !link.rewrite;
}
