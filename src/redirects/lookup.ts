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

/** What a redirect needs to know of a domain. Its URLs are Location values: absolute and ASCII. */
export type RedirectDomain = Pick<
  DomainsTable,
  | "id"
  | "slug"
  | "status"
  | "failingSince"
  | "expiredUrl"
  | "notFoundUrl"
  | "assetLinks"
  | "appleAppSiteAssociation"
  | "hstsMaxAgeSeconds"
> & {
  isInstance: boolean;
  isCaseSensitive: boolean;
  honorDoNotTrack: boolean;
  /** True when visitors over HTTP are sent to HTTPS, once the domain has a certificate. */
  httpsRedirect: boolean;
  /** Shown on the domain's pages for visitors. */
  logo: PageLogo | null;
  /** True when a link of the domain has forwardPath, so that an unknown path may belong to one. */
  hasForwarding: boolean;
  /** The keys that the operator has blocked; undefined for none. */
  blocked: BlockedKeys | undefined;
};

/** What a redirect needs to know of a link. Its URLs are Location values: absolute and ASCII. */
export type RedirectLink = Pick<
  LinksTable,
  "id" | "workspaceId" | "key" | "passwordHash" | "startsAt" | "expiresAt" | "expiredUrl" | "disabledAt" | "maxClicks"
> & {
  /** True when the operator has blocked the link itself, its creator or its workspace. */
  isBlocked: boolean;
  /** "" for a root link without a destination, `blockedUrl` for one on a blocked host. */
  url: string;
  redirectStatus: number;
  forwardPath: boolean;
  proxy: boolean;
  rewrite: boolean;
  /** True when the site at `url` is known to refuse frames. */
  refusesFrame: boolean;
  /** The title of a framed link; null for others. */
  title: string | null;
  doIndex: boolean;
  /** Destinations for some visitors; see targeting-rules.ts. */
  targetingRules: readonly TargetingRule[];
  /** The decision for every visit without a query, if it depends on nothing else; most links have one. */
  plainDecision: RedirectDecision | undefined;
  /** The redirect to `url`, built once. */
  answer: Answer;
  /** The redirects to the link's other destinations, each built for its first visitor. */
  otherAnswers: Map<DestinationSource, { answer: Answer; url: Shared<string> }> | undefined;
  /** What the link's clicks have in common, built for the first click on the domain with this slug. */
  clickTarget: Shared<ClickTarget> | undefined;
  clickTargetSlug: string;
};

/** A link's preview, as its owner wrote it. */
export type LinkPreview = Pick<LinksTable, "title" | "description" | "image" | "video">;

/**
 * Finds domains by host and links by key.
 * Guarantee: a lookup sees every change that was answered before it. Answers synchronously where it can, so that most
 * redirects finish in one tick.
 */
export type Lookup = {
  /** The domain that serves a host name (lower case, without port); undefined for none. */
  domain(host: string): RedirectDomain | undefined | Promise<RedirectDomain | undefined>;
  /** The link of a domain with this folded key. */
  link(domainId: string, foldedKey: string): RedirectLink | undefined | Promise<RedirectLink | undefined>;
  /** True when a deleted link had this folded key. Only called when `link` found none. */
  isDeleted(domainId: string, foldedKey: string): boolean | Promise<boolean>;
  /** The link of the first of these folded keys that has one with forwardPath. */
  forwardingLink(
    domainId: string,
    foldedKeys: readonly string[],
  ): RedirectLink | undefined | Promise<RedirectLink | undefined>;
  /** The link's preview, which is not cached, since images are large. All null for a missing link. */
  preview(linkId: string): Promise<LinkPreview>;
  /** The operator's current blocks. */
  blocks(): Blocks | Promise<Blocks>;
  close(): void;
};

/** The columns the two lookups read. */
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
  "httpsRedirect",
  "hstsMaxAgeSeconds",
  "createdAt",
  "updatedAt",
] as const;
export type RedirectDomainRow = Pick<DomainsTable, (typeof domainColumns)[number]> & {
  /** The engines return these two as different types. */
  hasLogo: boolean | number | null;
  hasForwarding: boolean | number;
};

/** SQL: true when a domain has an uploaded logo; the logo itself is too large to cache. */
export const hasLogo = `substr(domains.logo, 1, 5) = 'data:'`;
/** SQL: true when a domain has a link with forwardPath; a small index answers it. */
export const hasForwarding = `EXISTS (SELECT 1 FROM links WHERE links."domainId" = domains.id AND links."forwardPath" = 1)`;

/** SQL: true when the row's workspace was not deleted. */
export function isKept(table: "links" | "domains"): string {
  return `NOT EXISTS (SELECT 1 FROM erasures WHERE erasures."workspaceId" = ${table}."workspaceId")`;
}

/**
 * SQL: true when a deleted link had the folded key on the domain. A row that exists although no lookup finds it
 * belongs to a deleted workspace and counts as deleted too.
 */
export function isDeletedKey(domainId: string, foldedKey: string): string {
  const condition = `"domainId" = ${domainId} AND "foldedKey" = ${foldedKey}`;
  return `(EXISTS (SELECT 1 FROM "releasedKeys" WHERE ${condition} AND "isDeleted" = 1)
    OR EXISTS (SELECT 1 FROM links WHERE ${condition}))`;
}

/** The columns of links that the lookups read. */
export const linkColumns = [
  ...(["id", "workspaceId", "domainId", "userId", "key", "url", "passwordHash", "framing"] as const),
  ...redirectFields,
];
/** A row of those columns. */
export type LookupRow = Pick<Selectable<LinksTable>, (typeof linkColumns)[number]>;

/** The columns of links that a preview is made of. */
export const previewColumns = ["title", "description", "image", "video"] as const;
/** The preview of a link that was deleted since its lookup. */
export const noPreview: LinkPreview = { title: null, description: null, image: null, video: null };

/**
 * Of the domains that share a slug, the one that serves it: the verified one, else the oldest pending one.
 * The caller checks with `isServing` whether a pending one may redirect.
 */
export function chooseDomain(rows: readonly RedirectDomainRow[]): RedirectDomainRow | undefined {
  const oldestFirst = [...rows].sort(
    (left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1),
  );
  return oldestFirst.find((row) => row.status !== "pending") ?? oldestFirst[0];
}

/** True when links of the domain redirect now. */
export function isServing(domain: RedirectDomain, isUnverifiedAllowed: boolean, now: number): boolean {
  return isUnverifiedAllowed || linksWork(domain, now);
}

/** Prefix of the paths of logos on the domain itself; no link has such a key. */
const logoPath = "/.well-known/waypost/logo-";

/** The domain as redirects use it. A blocked domain redirects nowhere, and no domain redirects to a blocked host. */
export function redirectDomain(row: RedirectDomainRow, blocks: Blocks): RedirectDomain {
  const blocked = blocks.blockedKeysOn(row.slug);
  const fallback = (url: string | null) =>
    url === null || blocked === "all" || blocks.hasHostOf(url) ? null : locationUrl(url);
  const { caseSensitive, honorDoNotTrack, httpsRedirect, isInstance, createdAt: _, updatedAt, ...others } = row;
  const { hasLogo: isUploaded, ...same } = others;
  return {
    ...same,
    blocked,
    expiredUrl: fallback(row.expiredUrl),
    notFoundUrl: fallback(row.notFoundUrl),
    hasForwarding: Boolean(row.hasForwarding),
    isInstance: isInstance === 1,
    isCaseSensitive: caseSensitive === 1,
    honorDoNotTrack: honorDoNotTrack === 1,
    httpsRedirect: httpsRedirect === 1,
    // A new image updates the domain and so gets a new path: browsers may cache it for ever.
    logo: isUploaded ? { path: `${logoPath}${updatedAt.toString(36)}`, name: row.slug } : null,
  };
}

/** The redirect status of a link that sets none. */
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
  link.isBlocked = blocks.blocksLink(row);
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

/** A link that always sends every visitor to `url`, which is absolute and ASCII, as redirects use it. */
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
  // Written out, since every visit of an uncached link builds one. What every visit reads comes first, close in memory.
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

/** True when the link always sends every visitor to its URL. */
function isPlain(link: RedirectLink): boolean {
  const { startsAt, expiresAt, disabledAt, maxClicks, passwordHash } = link;
  const isOpen = [startsAt, expiresAt, disabledAt, maxClicks, passwordHash].every((value) => value === null);
  const isLeading = !link.isBlocked && link.url !== "" && link.url !== blockedUrl;
  return isOpen && isLeading && link.targetingRules.length === 0 && !link.proxy && !link.rewrite;
}
