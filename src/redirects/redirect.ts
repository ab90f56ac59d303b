import type { HeaderFields } from "../base/header-fields.ts";
import type { ClientAddress } from "../clicks/address.ts";
import { parseAgent } from "../clicks/agent.ts";
import { capture } from "../clicks/capture.ts";
import type { Geo } from "../clicks/geo.ts";
import type { Spool } from "../clicks/spool.ts";
import type { VisitorHasher } from "../clicks/visitor.ts";
import { rootKey } from "../domains/domains.ts";
import { foldKey, keyCharactersMax } from "../links/key.ts";
import { Answer, sendTo } from "./answer.ts";
import { type Decision, decide, decideUnknown, hasParameter } from "./destination.ts";
import { answers, type DomainTarget, type LinkTarget, type Lookup } from "./lookup.ts";
import type { PasswordNote } from "./page-texts.ts";
import { pageAnswer } from "./pages.ts";
import { type Gate, locked, type Unlocking } from "./password.ts";

/** What a redirect works with; opened by the app. */
export type RedirectDeps = {
  lookup: Lookup;
  spool: Pick<Spool, "append">;
  geo: Pick<Geo, "locate">;
  hashVisitor: VisitorHasher;
  clientAddress: ClientAddress;
  openGate: Gate;
  isUnverifiedAllowed: boolean;
  now: () => number;
  /** Told once for every answer, when it goes out, for the metrics. */
  onAnswer(outcome: Decision["kind"], startedAt: number): void;
};

/** A request that may be a visit of a short link, taken apart. */
export type ShortRequest = {
  method: string;
  headers: HeaderFields;
  /** The address at the other end of the connection. */
  peer: string;
  /** The path without its leading slash, still percent-encoded. */
  path: string;
  /** The query with its "?", or "". */
  query: string;
  /** When the request came in, by performance.now(). */
  startedAt: number;
};

/**
 * Answers a visitor of a short link. Stays in the caller's turn wherever nothing has to be waited for but the spool.
 * Guarantee: when the answer goes out, its click is in the spool; a full spool answers all the same.
 */
export function redirect(deps: RedirectDeps, domain: DomainTarget, short: ShortRequest): Answer | Promise<Answer> {
  const { method } = short;
  if (method !== "GET" && method !== "HEAD") return notAllowed;
  if (!answers(domain, deps.isUnverifiedAllowed, deps.now())) {
    deps.onAnswer("page", short.startedAt);
    return pageAnswer("unverified", 404, { acceptLanguage: short.headers["accept-language"] });
  }
  const key = foldedKey(short.path, domain);
  const found = key === undefined ? undefined : deps.lookup.link(domain.id, key);
  return found instanceof Promise
    ? found.then((link) => follow(deps, domain, short, link))
    : follow(deps, domain, short, found);
}

const notAllowed = new Answer(405, { Allow: "GET, HEAD" });

function follow(
  deps: RedirectDeps,
  domain: DomainTarget,
  short: ShortRequest,
  link: LinkTarget | undefined,
): Answer | Promise<Answer> {
  if (link === undefined) return answer(deps, domain, short, decideUnknown(domain));
  const address = deps.clientAddress(short.peer, short.headers["x-forwarded-for"] ?? null);
  const { id, passwordHash } = link;
  const place = { domain, link };
  if (passwordHash === null) return send(deps, place, short, address, locked);
  return deps
    .openGate({ id, passwordHash }, short.query, address, deps.now())
    .then((unlocking) => send(deps, place, short, address, unlocking));
}

function send(
  deps: RedirectDeps,
  { domain, link }: { domain: DomainTarget; link: LinkTarget },
  short: ShortRequest,
  address: string,
  { isUnlocked, note }: Unlocking,
): Answer | Promise<Answer> {
  const { method, headers, query } = short;
  const now = deps.now();
  const decision = decide(link, domain, {
    now,
    query,
    country: () => deps.geo.locate(address).country,
    os: () => parseAgent(headers["user-agent"] ?? "").os,
    isUnlocked,
  });
  if (decision.kind !== "destination" || hasParameter(query, "dub-no-track")) {
    return answer(deps, domain, short, decision, link, note);
  }
  const click = capture(deps, {
    time: now,
    workspaceId: link.workspaceId,
    linkId: link.id,
    domainId: domain.id,
    domain: domain.slug,
    key: link.key,
    url: decision.url,
    trigger: hasParameter(query, "qr", "1") ? "qr" : "link",
    method,
    headers,
    address,
    honorDoNotTrack: domain.honorDoNotTrack,
  });
  // A dropped click is counted by the spool; the visitor is answered all the same.
  return deps.spool.append(click).then(() => answer(deps, domain, short, decision, link));
}

function answer(
  deps: RedirectDeps,
  { logo }: DomainTarget,
  { startedAt, headers, query }: ShortRequest,
  decision: Decision,
  link?: LinkTarget,
  note?: PasswordNote,
): Answer {
  deps.onAnswer(decision.kind, startedAt);
  switch (decision.kind) {
    case "destination":
      return decision.url === link?.url ? link.answer : sendTo(decision.url, decision.status, link?.doIndex ?? false);
    case "fallback":
      return sendTo(decision.url, 302, false);
    case "page":
      return pageAnswer(decision.page, note === "tooMany" ? 429 : decision.status, {
        acceptLanguage: headers["accept-language"],
        note,
        logo,
        query,
      });
  }
}

/** Visitors may write a character as a letter and its marks, where the stored key has it in one. */
const decodedCharactersMax = keyCharactersMax * 3;
/** Each unit of it in three bytes of UTF-8, percent-encoded. */
const pathCharactersMax = decodedCharactersMax * 9;

/** Most keys are written as they are folded, on domains of either kind. */
const plainKey = /^[a-z0-9-]{1,190}$/;

function foldedKey(path: string, domain: DomainTarget): string | undefined {
  if (path === "") return rootKey;
  if (plainKey.test(path)) return path;
  // What no link can have is not looked up, and so never remembered: a flood of long paths must not fill the memory.
  if (path.length > pathCharactersMax) return undefined;
  const key = path.includes("%") ? decoded(path) : path;
  if (key === undefined || key.length > decodedCharactersMax) return undefined;
  // PostgreSQL refuses even to compare a text with a NUL in it.
  if (key.includes("\0")) return undefined;
  // Keys are stored without outer slashes; people and programs add one behind an address.
  const folded = foldKey(key.endsWith("/") ? key.replace(/\/+$/, "") : key, domain.isCaseSensitive);
  // The root link is reached by the bare domain alone.
  return folded === rootKey || (domain.isCaseSensitive && foldKey(key, false) === rootKey) ? undefined : folded;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    // No link has a key that is no text, so the visitor gets the answer for unknown keys.
    return undefined;
  }
}
