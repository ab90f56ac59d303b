import { Problem } from "../base/problem.ts";
import { Recent } from "../base/recent.ts";
import { minuteMs } from "../base/time.ts";
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

export type RedirectDeps = {
  lookup: Lookup;
  spool: Pick<Spool, "append">;
  geo: Pick<Geo, "locate">;
  hashVisitor: VisitorHasher;
  clientAddress: ClientAddress;
  isUnverifiedAllowed: boolean;
  now: () => number;
  /** Told once for every answer, for the metrics. */
  onAnswer(outcome: RedirectOutcome): void;
};

export type RedirectOutcome = Decision["kind"] | "dropped";

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
};

/**
 * Answers a visitor of a short link.
 * Guarantee: when the answer goes out, its click is in the spool; a full spool answers all the same.
 */
export async function redirect(deps: RedirectDeps, short: ShortRequest): Promise<Response> {
  const { request, domain, query } = short;
  if (request.method !== "GET" && request.method !== "HEAD") {
    return new Response(null, { status: 405, headers: { Allow: "GET, HEAD" } });
  }
  const now = deps.now();
  if (!answers(domain, deps.isUnverifiedAllowed, now)) {
    deps.onAnswer("page");
    return pageResponse("unverified", 404);
  }

  const key = decodeKey(short.path);
  const found = key === undefined ? undefined : deps.lookup.link(domain.id, foldKey(key, domain.isCaseSensitive));
  const link = found instanceof Promise ? await found : found;
  if (link === undefined) return respond(deps, decideUnknown(domain));

  const address = deps.clientAddress(short.peer, request.headers.get("x-forwarded-for"));
  const unlocking = link.passwordHash === null ? locked : await unlock(link, query, address, now);
  const decision = decide(link, domain, {
    now,
    query,
    country: () => deps.geo.locate(address).country,
    os: () => parseAgent(request.headers.get("user-agent") ?? "").os,
    isUnlocked: unlocking.isUnlocked,
  });
  if (decision.kind === "destination" && !hasParameter(query, "dub-no-track")) {
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
    if ((await deps.spool.append(click)) === "dropped") deps.onAnswer("dropped");
  }
  return respond(deps, decision, link, unlocking.note);
}

function respond(deps: RedirectDeps, decision: Decision, link?: LinkTarget, note?: PasswordNote): Response {
  deps.onAnswer(decision.kind);
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
  const headers: Record<string, string> = { Location: url, "Cache-Control": "private, no-store" };
  if (!isIndexed) headers["X-Robots-Tag"] = "noindex";
  return new Response(null, { status, headers });
}

function decodeKey(path: string): string | undefined {
  if (path === "") return rootKey;
  // The root link is reached by the bare domain alone.
  if (path === rootKey) return undefined;
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    // No link has a key that is no text, so the visitor gets the answer for unknown keys.
    return undefined;
  }
}

type Unlocking = { isUnlocked: boolean; note?: PasswordNote };
const locked: Unlocking = { isUnlocked: false };

const attemptsMax = 10;
const attemptsPeriodMs = minuteMs;
/** Verifying costs 64 MiB and tens of milliseconds each; a flood must not take the machine. */
const verifyingMax = 4;
const attempts = new Recent<string, { count: number; endsAt: number }>(10_000);
let verifying = 0;

async function unlock(link: LinkTarget, query: string, address: string, now: number): Promise<Unlocking> {
  const password = new URLSearchParams(query).get("pw");
  if (password === null || link.passwordHash === null) return locked;
  const attempt = `${link.id} ${address}`;
  const before = attempts.get(attempt);
  const period = before === undefined || before.endsAt <= now ? { count: 0, endsAt: now + attemptsPeriodMs } : before;
  if (period.count >= attemptsMax || verifying >= verifyingMax) return { isUnlocked: false, note: "tooMany" };
  attempts.set(attempt, { ...period, count: period.count + 1 });
  verifying++;
  try {
    const fits = await Bun.password.verify(password, link.passwordHash);
    return fits ? { isUnlocked: true } : { isUnlocked: false, note: "wrong" };
  } catch (error) {
    throw new Problem("internal_server_error", "The password of this link cannot be checked.", { cause: error });
  } finally {
    verifying--;
  }
}
