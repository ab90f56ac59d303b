import { Blocks } from "../../src/access/blocks.ts";
import type { Visitor } from "../../src/redirects/destination.ts";
import { type LookupRow, type RedirectDomain, type RedirectLink, redirectLink } from "../../src/redirects/lookup.ts";

/** A link as redirects see it, that sets nothing but its url and the columns given. */
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

/** A proven domain that sets nothing but what is given. */
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
    hasForwarding: false,
    blocked: undefined,
    logo: null,
    ...settings,
  };
}

/** The instant at which visitors come where a test says nothing else. */
export const visitedAt = Date.UTC(2026, 10, 21, 12);

const somewhere = { country: "DE", region: "DE-BE", city: "Berlin", continent: "EU" };

/** A person in Berlin with Firefox on Windows who reads German, but for what is given. */
export function visitorWith(
  traits: Partial<Omit<Visitor, "place">> & { place?: Partial<typeof somewhere> } = {},
): Visitor {
  const { place, ...rest } = traits;
  return {
    now: visitedAt,
    query: "",
    rest: "",
    address: "203.0.113.7",
    userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
    acceptLanguage: "de-DE,de;q=0.9,en;q=0.8",
    isUnlocked: false,
    isUsedUp: false,
    ...rest,
    place: () => ({ ...somewhere, ...place }),
  };
}
