import { requestBotKind } from "./bots.ts";
import { type CapturedClick, clickHeaderMax, clickUrlMax, type Trigger } from "./click.ts";
import type { Geo } from "./geo.ts";
import type { VisitorHasher } from "./visitor.ts";

/** What the redirect knows when it has decided to send a visitor on. */
export type ClickFacts = {
  time: number;
  workspaceId: number;
  linkId: string;
  domain: string;
  key: string;
  url: string;
  trigger: Trigger;
  method: string;
  headers: Headers;
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
  const agent = headers.get("user-agent") ?? "";
  const place = geo.locate(address);
  const isAnonymous = facts.honorDoNotTrack && (headers.get("dnt") === "1" || headers.get("sec-gpc") === "1");
  return {
    id: Bun.randomUUIDv7(),
    time: facts.time,
    workspaceId: facts.workspaceId,
    linkId: facts.linkId,
    domain: facts.domain,
    key: facts.key,
    url: facts.url.slice(0, clickUrlMax),
    country: place.country,
    region: isAnonymous ? "" : place.region,
    city: isAnonymous ? "" : place.city,
    continent: place.continent,
    referer: (headers.get("referer") ?? "").slice(0, clickHeaderMax),
    agent: agent.slice(0, clickHeaderMax),
    language: firstLanguage(headers.get("accept-language")),
    trigger: facts.trigger,
    bot: requestBotKind(requestFacts(facts.method, headers)),
    visitor: isAnonymous ? "" : hashVisitor(address, agent),
  };
}

/** Browsers send their languages best first, so the first primary tag is the visitor's. */
function firstLanguage(header: string | null): string {
  const tag = header === null ? undefined : /^\s*([a-zA-Z]{2,3})\b/.exec(header)?.[1];
  return tag === undefined ? "" : tag.toLowerCase();
}

function requestFacts(method: string, headers: Headers): Parameters<typeof requestBotKind>[0] {
  return {
    method,
    secPurpose: headers.get("sec-purpose"),
    purpose: headers.get("purpose") ?? headers.get("x-purpose") ?? headers.get("x-moz"),
  };
}
