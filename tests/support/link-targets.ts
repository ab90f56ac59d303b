import { Blocks } from "../../src/access/blocks.ts";
import { type LookupRow, type RedirectDomain, type RedirectLink, redirectLink } from "../../src/redirects/lookup.ts";
import { VisitorAttributes } from "../../src/redirects/visitor-attributes.ts";

/** A link as redirects see it, with only its URL and the given columns set. */
export function targetWith(columns: Partial<LookupRow> = {}, blocks = new Blocks("", [])): RedirectLink {
  const row: LookupRow = {
    id: "link_1",
    workspaceId: 1,
    domainId: "dom_1",
    userId: "user_1",
    key: "spring",
    url: "https://example.com/to",
    passwordHash: null,
    startsAt: null,
    expiresAt: null,
    expiredUrl: null,
    disabledAt: null,
    maxClicks: null,
    redirectStatus: null,
    forwardPath: 0,
    rules: null,
    ios: null,
    android: null,
    geo: null,
    testVariants: null,
    testStartedAt: null,
    testCompletedAt: null,
    proxy: 0,
    rewrite: 0,
    framing: null,
    title: null,
    doIndex: 0,
    ...columns,
  };
  return redirectLink(row, blocks);
}

/** A verified domain with only the given settings. */
export function domainWith(settings: Partial<RedirectDomain> = {}): RedirectDomain {
  return {
    id: "dom_1",
    slug: "go.example.com",
    status: "verified",
    failingSince: null,
    expiredUrl: null,
    notFoundUrl: null,
    assetLinks: null,
    appleAppSiteAssociation: null,
    isInstance: false,
    isCaseSensitive: false,
    honorDoNotTrack: false,
    httpsRedirect: true,
    hstsMaxAgeSeconds: null,
    hasForwarding: false,
    blocked: undefined,
    logo: null,
    ...settings,
  };
}

/** The default instant of visits. */
export const visitedAt = Date.UTC(2026, 10, 21, 12);

const somewhere = { country: "DE", region: "DE-BE", city: "Berlin", continent: "EU" };

/** The properties of a visitor that a test sets. */
export type TestVisitor = {
  now?: number;
  query?: string;
  address?: string;
  userAgent?: string;
  acceptLanguage?: string;
  isUnlocked?: boolean;
  isUsedUp?: boolean;
  place?: Partial<typeof somewhere>;
};

/** A visitor in Berlin with Firefox on Windows and German, except for the given attributes. */
export function visitorWith(attributes: TestVisitor = {}): VisitorAttributes {
  const {
    userAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
    acceptLanguage = "de-DE,de;q=0.9,en;q=0.8",
  } = attributes;
  const {
    now = visitedAt,
    query = "",
    address = "203.0.113.7",
    isUnlocked = false,
    isUsedUp = false,
    place,
  } = attributes;
  const headers = { "user-agent": userAgent, "accept-language": acceptLanguage };
  const visit = { now, address, passwordCheck: { isUnlocked } };
  const visitor = new VisitorAttributes({ headers, query }, visit, { locate: () => ({ ...somewhere, ...place }) });
  visitor.isUsedUp = isUsedUp;
  return visitor;
}
