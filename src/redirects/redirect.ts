import type { ClientAddress } from "../clicks/address.ts";
import { parseAgent } from "../clicks/agent.ts";
import { capture } from "../clicks/capture.ts";
import type { Geo } from "../clicks/geo.ts";
import type { Spool } from "../clicks/spool.ts";
import type { VisitorHasher } from "../clicks/visitor.ts";
import { rootKey } from "../domains/domains.ts";
import { foldKey } from "../links/key.ts";
import { type Decision, decide, decideUnknown, hasParameter } from "./destination.ts";
import { answers, type DomainTarget, type LinkTarget, type Lookup } from "./lookup.ts";
import { type PasswordNote, pageResponse } from "./pages.ts";
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

/** A visitor's request to a short domain, taken apart by the server. */
export type ShortRequest = {
  request: Request;
  /** The address at the other end of the connection. */
  peer: string;
  domain: DomainTarget;
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
export function redirect(deps: RedirectDeps, short: ShortRequest): Response | Promise<Response> {
  const { method } = short.request;
  if (method !== "GET" && method !== "HEAD")
    return new Response(null, { status: 405, headers: { Allow: "GET, HEAD" } });
  const { domain } = short;
  if (!answers(domain, deps.isUnverifiedAllowed, deps.now())) {
    deps.onAnswer("page", short.startedAt);
    return pageResponse("unverified", 404);
  }
  const key = decodeKey(short.path);
  const found = key === undefined ? undefined : deps.lookup.link(domain.id, foldKey(key, domain.isCaseSensitive));
  return found instanceof Promise ? found.then((link) => follow(deps, short, link)) : follow(deps, short, found);
}

function follow(deps: RedirectDeps, short: ShortRequest, link: LinkTarget | undefined): Response | Promise<Response> {
  if (link === undefined) return answer(deps, short, decideUnknown(short.domain));
  const address = deps.clientAddress(short.peer, short.request.headers.get("x-forwarded-for"));
  const { id, passwordHash } = link;
  if (passwordHash === null) return send(deps, short, link, address, locked);
  return deps
    .openGate({ id, passwordHash }, short.query, address, deps.now())
    .then((unlocking) => send(deps, short, link, address, unlocking));
}

function send(
  deps: RedirectDeps,
  short: ShortRequest,
  link: LinkTarget,
  address: string,
  { isUnlocked, note }: Unlocking,
): Response | Promise<Response> {
  const { request, domain, query } = short;
  const now = deps.now();
  const decision = decide(link, domain, {
    now,
    query,
    country: () => deps.geo.locate(address).country,
    os: () => parseAgent(request.headers.get("user-agent") ?? "").os,
    isUnlocked,
  });
  if (decision.kind !== "destination" || hasParameter(query, "dub-no-track")) {
    return answer(deps, short, decision, link, note);
  }
  const click = capture(deps, {
    time: now,
    workspaceId: link.workspaceId,
    linkId: link.id,
    domain: domain.slug,
    key: link.key,
    url: decision.url,
    trigger: hasParameter(query, "qr", "1") ? "qr" : "link",
    method: request.method,
    headers: request.headers,
    address,
    honorDoNotTrack: domain.honorDoNotTrack,
  });
  // A dropped click is counted by the spool; the visitor is answered all the same.
  return deps.spool.append(click).then(() => answer(deps, short, decision, link));
}

function answer(
  deps: RedirectDeps,
  { startedAt }: ShortRequest,
  decision: Decision,
  link?: LinkTarget,
  note?: PasswordNote,
): Response {
  deps.onAnswer(decision.kind, startedAt);
  switch (decision.kind) {
    case "destination":
      return sendTo(decision.url, decision.status, link?.doIndex ?? false);
    case "fallback":
      return sendTo(decision.url, 302, false);
    case "page":
      return pageResponse(decision.page, note === "tooMany" ? 429 : decision.status, note);
  }
}

/** Never cached, 301 and 308 included: so that repeats are counted and a change of the link takes effect. */
function sendTo(url: string, status: number, isIndexed: boolean): Response {
  // Pairs, because Bun takes half as long over them as over an object of three (1.4.5, measured).
  const headers: [string, string][] = [
    ["Location", url],
    ["Cache-Control", "private, no-store"],
  ];
  if (!isIndexed) headers.push(["X-Robots-Tag", "noindex"]);
  return new Response(null, { status, headers });
}

function decodeKey(path: string): string | undefined {
  if (path === "") return rootKey;
  const key = path.includes("%") ? decoded(path) : path;
  // The root link is reached by the bare domain alone. PostgreSQL refuses even to compare a text with a NUL in it.
  return key === undefined || foldKey(key, false) === rootKey || key.includes("\0") ? undefined : key;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    // No link has a key that is no text, so the visitor gets the answer for unknown keys.
    return undefined;
  }
}
