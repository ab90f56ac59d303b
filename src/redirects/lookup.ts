import type { DomainsTable, LinksTable } from "../database/schema.ts";
import { linksWork } from "../domains/domain.ts";
import { type Answer, sendTo } from "./answer.ts";
import type { PageLogo } from "./pages.ts";

/** What a redirect needs to know of a domain. Its urls are absolute and ASCII, as a Location header needs them. */
export type DomainTarget = Pick<
  DomainsTable,
  "id" | "slug" | "status" | "failingSince" | "expiredUrl" | "notFoundUrl" | "assetLinks" | "appleAppSiteAssociation"
> & {
  isInstance: boolean;
  isCaseSensitive: boolean;
  honorDoNotTrack: boolean;
  /** Shown on the pages that visitors of it meet. */
  logo: PageLogo | null;
};

/** What a redirect needs to know of a link. Its urls are absolute and ASCII, as a Location header needs them. */
export type LinkTarget = Pick<
  LinksTable,
  | "id"
  | "workspaceId"
  | "key"
  | "passwordHash"
  | "startsAt"
  | "expiresAt"
  | "expiredUrl"
  | "disabledAt"
  | "ios"
  | "android"
> & {
  /** "" for a root link without a destination. */
  url: string;
  redirectStatus: number;
  /** Country code to URL. */
  geo: Readonly<Record<string, string>> | null;
  doIndex: boolean;
  /** The answer to a visitor who is sent to `url` itself, made once. */
  answer: Answer;
};

/**
 * Finds domains by host and links by key, as the database is at the moment of the call: a change that was answered is
 * seen by the next look-up. Answers at once where it can, so that most redirects never leave their turn.
 */
export type Lookup = {
  /** The domain that answers for a host name (without port, lower case); undefined when none does. */
  domain(host: string): DomainTarget | undefined | Promise<DomainTarget | undefined>;
  /** The link of a domain with this folded key. */
  link(domainId: string, foldedKey: string): LinkTarget | undefined | Promise<LinkTarget | undefined>;
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
export type DomainRow = Pick<DomainsTable, (typeof domainColumns)[number]> & {
  /** As engines answer `hasLogo`. */
  hasLogo: boolean | number | null;
};

/** SQL that tells whether a domain's logo was uploaded; the logo itself is too long to be remembered. */
export const hasLogo = `substr(domains.logo, 1, 5) = 'data:'`;

/** The columns of links that the look-ups read. */
export const linkColumns = [
  "id",
  "workspaceId",
  "key",
  "url",
  "passwordHash",
  "startsAt",
  "expiresAt",
  "expiredUrl",
  "disabledAt",
  "redirectStatus",
  "ios",
  "android",
  "geo",
  "doIndex",
] as const;
/** A row of those columns. */
export type LinkRow = Pick<LinksTable, (typeof linkColumns)[number]>;

/**
 * Of the domains that share a slug, the one that answers: the one proven, else the oldest pending.
 * Whether a pending one may redirect is the caller's to decide, with `answers`.
 */
export function chooseDomain(rows: readonly DomainRow[]): DomainRow | undefined {
  const oldestFirst = [...rows].sort(
    (left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1),
  );
  return oldestFirst.find((row) => row.status !== "pending") ?? oldestFirst[0];
}

/** Whether links on the domain redirect now. */
export function answers(domain: DomainTarget, isUnverifiedAllowed: boolean, now: number): boolean {
  return isUnverifiedAllowed || linksWork(domain, now);
}

/** What paths of logos begin with, on the domain itself; no link has such a key. */
export const logoPath = "/.well-known/waypost/logo-";

/** The domain as redirects use it. */
export function domainTarget(row: DomainRow): DomainTarget {
  const { caseSensitive, honorDoNotTrack, isInstance, hasLogo: isUploaded, createdAt: _, updatedAt, ...same } = row;
  return {
    ...same,
    expiredUrl: sendableOrNull(row.expiredUrl),
    notFoundUrl: sendableOrNull(row.notFoundUrl),
    isInstance: isInstance === 1,
    isCaseSensitive: caseSensitive === 1,
    honorDoNotTrack: honorDoNotTrack === 1,
    // Another image is another change of the domain, and so has another path: browsers may keep it for good.
    logo: isUploaded ? { path: `${logoPath}${updatedAt.toString(36)}`, name: row.slug } : null,
  };
}

const defaultStatus = 302;

/** The link as redirects use it. */
export function linkTarget(row: LinkRow): LinkTarget {
  const url = row.url === "" ? "" : sendable(row.url);
  const redirectStatus = row.redirectStatus ?? defaultStatus;
  const doIndex = row.doIndex === 1;
  return {
    ...row,
    url,
    expiredUrl: sendableOrNull(row.expiredUrl),
    ios: sendableOrNull(row.ios),
    android: sendableOrNull(row.android),
    redirectStatus,
    geo: row.geo === null ? null : sendableByCountry(row.geo),
    doIndex,
    answer: sendTo(url, redirectStatus, doIndex),
  };
}

function sendableByCountry(geo: string): Record<string, string> {
  // Written by our own code from a checked object of texts.
  const urls = JSON.parse(geo) as Record<string, string>;
  return Object.fromEntries(Object.entries(urls).map(([country, url]) => [country, sendable(url)]));
}

function sendableOrNull(url: string | null): string | null {
  return url === null ? null : sendable(url);
}

/** A url as stored, which is as people write it, in the form that a header can hold. */
function sendable(url: string): string {
  return new URL(url).href;
}
