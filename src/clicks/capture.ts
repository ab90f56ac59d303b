import type { HeaderFields } from "../base/header-fields.ts";
import { Recent } from "../base/recent.ts";
import { requestBotKind } from "./bots.ts";
import { type CapturedClick, clickHeaderMax, clickUrlMax, type Trigger } from "./click.ts";
import type { Geo } from "./geo.ts";
import type { VisitorHasher } from "./visitor.ts";

/** What the redirect knows when it has decided to send a visitor on. */
export type ClickFacts = {
  time: number;
  workspaceId: number;
  linkId: string;
  domainId: string;
  domain: string;
  key: string;
  url: string;
  trigger: Trigger;
  method: string;
  headers: HeaderFields;
  /** The visitor's address: it goes into the place and the visitor hash, and nowhere else. */
  address: string;
  honorDoNotTrack: boolean;
};

type Deps = { geo: Pick<Geo, "locate">; hashVisitor: VisitorHasher };

/**
 * The click of one answer. Here the address is dropped, before anything touches a disk.
 * Where the domain honours Do Not Track and the visitor asks for it, visitor hash, region and city stay empty.
 */
export function capture({ geo, hashVisitor }: Deps, facts: ClickFacts): CapturedClick {
  const { headers, address } = facts;
  const agent = headers["user-agent"] ?? "";
  const place = geo.locate(address);
  const isAnonymous = facts.honorDoNotTrack && (headers.dnt === "1" || headers["sec-gpc"] === "1");
  return {
    id: Bun.randomUUIDv7(),
    time: facts.time,
    workspaceId: facts.workspaceId,
    linkId: facts.linkId,
    domainId: facts.domainId,
    domain: facts.domain,
    key: facts.key,
    url: facts.url.slice(0, clickUrlMax),
    country: place.country,
    region: isAnonymous ? "" : place.region,
    city: isAnonymous ? "" : place.city,
    continent: place.continent,
    referer: withoutQuery(headers.referer ?? "").slice(0, clickHeaderMax),
    agent: agent.slice(0, clickHeaderMax),
    language: firstLanguage(headers["accept-language"] ?? ""),
    trigger: facts.trigger,
    bot: requestBotKind(requestFacts(facts.method, headers)),
    visitor: isAnonymous ? "" : hashVisitor(address, agent),
  };
}

/** Queries of referrers can tell who somebody is, and nothing asks for them: they never reach the disk. */
function withoutQuery(referer: string): string {
  if (!referer.includes("?") && !referer.includes("#")) return referer;
  return referer.slice(0, referer.search(/[?#]/));
}

/** Headers remembered, of which there are few; twice as many at most. */
const recentLanguagesMax = 1_000;
/** What is looked at of a header: the first language is at its beginning. */
const languageHeaderMax = 100;
const languages = new Recent<string, string>(recentLanguagesMax);

/** Browsers send their languages best first, so the first primary tag is the visitor's. */
function firstLanguage(fullHeader: string): string {
  const header = fullHeader.slice(0, languageHeaderMax);
  const known = languages.get(header);
  if (known !== undefined) return known;
  const language = /^\s*([a-zA-Z]{2,3})\b/.exec(header)?.[1]?.toLowerCase() ?? "";
  languages.set(header, language);
  return language;
}

/** What of a request tells whether a human waits for its answer. */
export function requestFacts(method: string, headers: HeaderFields): Parameters<typeof requestBotKind>[0] {
  return {
    method,
    secPurpose: headers["sec-purpose"] ?? null,
    purpose: headers.purpose ?? headers["x-purpose"] ?? headers["x-moz"] ?? null,
  };
}
