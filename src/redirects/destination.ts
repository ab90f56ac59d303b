import type { DomainTarget, LinkTarget } from "./lookup.ts";

/** What a decision looks at, besides the link and the domain. */
export type Visit = {
  now: number;
  /** The query with its "?", or "". */
  query: string;
  /** ISO country code, "" for unknown. Asked for only where a link has rules for it. */
  country: () => string;
  /** "iOS", "Android" and others. Asked for only where a link has rules for it. */
  os: () => string;
  /** Whether the link's password was given and fits; only asked of links that have one. */
  isUnlocked: boolean;
};

/** The pages shown in place of a redirect. */
export type PageName = "password" | "expired" | "usedUp" | "notStarted" | "disabled" | "notFound" | "unverified";

/**
 * What a visitor gets.
 * destination: on to where the link leads; the only one that is a click.
 * fallback: on to where the link or its domain sends visitors that the link does not serve.
 * page: a page of ours, with its status.
 */
export type Decision =
  | { kind: "destination"; status: number; url: string }
  | { kind: "fallback"; url: string }
  | { kind: "page"; page: PageName; status: 200 | 404 | 410 };

const gone = 410;
/** Parameters that speak to us; they are not passed on. */
const ownParameters = new Set(["qr", "pw", "dub-no-track"]);

/** Decides where a visitor of a link goes. Pure. */
export function decide(link: LinkTarget, domain: DomainTarget, visit: Visit): Decision {
  const expiredUrl = link.expiredUrl ?? domain.expiredUrl;
  const ended = (page: PageName): Decision =>
    expiredUrl === null ? { kind: "page", page, status: gone } : { kind: "fallback", url: expiredUrl };

  if (link.url === "") return decideUnknown(domain);
  if (link.disabledAt !== null && link.disabledAt <= visit.now) return ended("disabled");
  if (link.startsAt !== null && link.startsAt > visit.now) return ended("notStarted");
  if (link.expiresAt !== null && link.expiresAt <= visit.now) return ended("expired");
  if (link.passwordHash !== null && !visit.isUnlocked) return { kind: "page", page: "password", status: 200 };
  return { kind: "destination", status: link.redirectStatus, url: passQuery(targetUrl(link, visit), visit.query) };
}

/** Decides what a visitor of a key that does not exist gets. Pure. */
export function decideUnknown(domain: DomainTarget): Decision {
  if (domain.notFoundUrl !== null) return { kind: "fallback", url: domain.notFoundUrl };
  return { kind: "page", page: "notFound", status: 404 };
}

function targetUrl(link: LinkTarget, visit: Visit): string {
  if (link.ios !== null && visit.os() === "iOS") return link.ios;
  if (link.android !== null && visit.os() === "Android") return link.android;
  const byCountry = link.geo?.[visit.country()];
  return byCountry ?? link.url;
}

/**
 * The destination with the visit's parameters; where both have a name, the visitor's values replace the link's. What
 * stays of the link's own query stays as it is written, since some destinations have it signed.
 */
export function passQuery(url: string, query: string): string {
  if (query.length < 2) return url;
  const passed = [...new URLSearchParams(query)].filter(([name]) => !ownParameters.has(name));
  if (passed.length === 0) return url;
  const replaced = new Set(passed.map(([name]) => name));
  const [beforeFragment, fragment] = cutAt(url, "#");
  const [base, ownQuery] = cutAt(beforeFragment, "?");
  const kept = ownQuery
    .slice(1)
    .split("&")
    .filter((pair) => pair !== "" && !replaced.has(nameOfPair(pair)));
  return `${base}?${[...kept, new URLSearchParams(passed).toString()].join("&")}${fragment}`;
}

/** The text before the first mark, and the rest with the mark; the rest is "" where there is none. */
function cutAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at)];
}

function nameOfPair(pair: string): string {
  const [name = ""] = new URLSearchParams(pair).keys();
  return name;
}

/** Whether the query carries a parameter with this value, or with any. */
export function hasParameter(query: string, name: string, value?: string): boolean {
  // Most visits have none, and need no parsing.
  if (query === "" || !query.includes(name)) return false;
  const parameters = new URLSearchParams(query);
  return value === undefined ? parameters.has(name) : parameters.get(name) === value;
}
