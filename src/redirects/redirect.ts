import { isBlockedKey } from "../access/blocks.ts";
import { isReading } from "../base/is-reading.ts";
import { whenReady } from "../base/when-ready.ts";
import type { CertificateSource } from "../certificates/certificate-source.ts";
import type { ClientAddress } from "../clicks/address.ts";
import { type ClickDetails, capture, clickTarget, clickUrl } from "../clicks/capture.ts";
import type { ClickTarget, Shared } from "../clicks/click.ts";
import type { Geo } from "../clicks/geo.ts";
import type { Spool } from "../clicks/spool.ts";
import type { TextBudget } from "../clicks/text-budget.ts";
import type { VisitorHasher } from "../clicks/visitor.ts";
import type { ClickLimits } from "../links/click-limit.ts";
import { foldKey } from "../links/key.ts";
import { shortLinkOf } from "../links/short-link.ts";
import { foldedKeyOf, forwardingKeys, withoutTrailingPunctuation } from "../links/visited-key.ts";
import { type Answer, answerOf, sendTo } from "./answer.ts";
import { dependsOnLimit, isRecorded, whyNotCounted } from "./counting.ts";
import type { Decision, RedirectDecision, RefusalDecision } from "./decision.ts";
import { blocked, decide, decideDeleted, decideUnknown, isPlainVisit, type Match, unverified } from "./destination.ts";
import { hasParameter } from "./forward-query.ts";
import { frameAnswer } from "./framed-page.ts";
import { isServing, type Lookup, type RedirectDomain, type RedirectLink } from "./lookup.ts";
import { pageAnswer } from "./pages.ts";
import {
  type CheckPassword,
  locked,
  type PasswordCheck,
  type PasswordError,
  passwordErrorStatus,
  tooLong,
} from "./password-check.ts";
import { previewAnswer } from "./preview-page.ts";
import type { RedirectRequest } from "./redirect-request.ts";
import { VisitorAttributes } from "./visitor-attributes.ts";

/** What redirects depend on; see open-redirects.ts. */
export type RedirectDeps = {
  lookup: Lookup;
  spool: Pick<Spool, "append" | "afterTick">;
  clickLimits: ClickLimits;
  geo: Pick<Geo, "locate">;
  hashVisitor: VisitorHasher;
  texts: TextBudget;
  clientAddress: ClientAddress;
  /** True for the address of a trusted proxy. */
  isTrusted(address: string): boolean;
  certificates: CertificateSource;
  checkPassword: CheckPassword;
  isUnverifiedAllowed: boolean;
  /** The service's own URL, which links of the instance's domain begin with. */
  appUrl: URL;
  now: () => number;
  /** Called once for every answer, for the metrics. */
  onAnswer(outcome: Outcome): void;
  /** Called when an answer is sent, with the time it took. */
  onSent(milliseconds: number): void;
  /** Called with errors that no visitor can do anything about. */
  fail(error: unknown): void;
};

/** The kind of answer that a visitor got. */
export type Outcome = Decision["kind"] | "unavailable";

/**
 * Answers a visitor of a short link, synchronously unless it must wait for a database or a password check. Guarantee: a
 * caller that sends the answer after Spool.afterTick sends it when the click is written. A full spool drops the click,
 * and the visitor is answered all the same.
 */
export function redirect(
  deps: RedirectDeps,
  domain: RedirectDomain,
  request: RedirectRequest,
): Answer | Promise<Answer> {
  // Most domains are verified; reading the clock for them would cost 40 ns.
  if (domain.status !== "verified" && !isServing(domain, deps.isUnverifiedAllowed, deps.now())) {
    return isReading(request) ? fallbackAnswer(deps, domain, request, unverified) : notAllowed;
  }
  const key = foldedKeyOf(request.path, domain);
  const link = key === undefined ? undefined : deps.lookup.link(domain.id, key);
  return link instanceof Promise
    ? handlePendingLookup(deps, domain, request, link)
    : handleLookup(deps, domain, request, link);
}

/** A function apart, like all that waits: variables of a synchronous function need not outlive its call. */
async function handlePendingLookup(
  deps: RedirectDeps,
  domain: RedirectDomain,
  request: RedirectRequest,
  link: Promise<RedirectLink | undefined>,
): Promise<Answer> {
  return await handleLookup(deps, domain, request, await link);
}

const notAllowed = answerOf(405, { Allow: "GET, HEAD" });
/** Only the password form is sent by POST. */
const notAllowedForProtected = answerOf(405, { Allow: "GET, HEAD, POST" });

function handleLookup(
  deps: RedirectDeps,
  domain: RedirectDomain,
  request: RedirectRequest,
  link: RedirectLink | undefined,
): Answer | Promise<Answer> {
  if (link !== undefined) return handleLink(deps, { request, domain, link, rest: "" });
  return domain.hasForwarding && isReading(request)
    ? handleForwarding(deps, domain, request)
    : handleMiss(deps, domain, request);
}

/** No link has the path as its key, but a link whose key the path begins with may forward the rest. */
async function handleForwarding(deps: RedirectDeps, domain: RedirectDomain, request: RedirectRequest): Promise<Answer> {
  const candidates = forwardingKeys(request.path, domain);
  const keys = candidates.map(({ key }) => key);
  const link = keys.length === 0 ? undefined : await deps.lookup.forwardingLink(domain.id, keys);
  const foldedKey = link === undefined ? undefined : foldKey(link.key, domain.isCaseSensitive);
  const rest = candidates.find(({ key }) => key === foldedKey)?.rest;
  if (link === undefined || rest === undefined) return await handleMiss(deps, domain, request);
  return await handleLink(deps, { request, domain, link, rest });
}

/** No link has the key or forwards the path: the key may have trailing punctuation, or its link may be deleted. */
function handleMiss(deps: RedirectDeps, domain: RedirectDomain, request: RedirectRequest): Answer | Promise<Answer> {
  const key = foldedKeyOf(request.path, domain);
  if (key === undefined) {
    return isReading(request) ? fallbackAnswer(deps, domain, request, decideUnknown(domain)) : notAllowed;
  }
  const trimmedKey = withoutTrailingPunctuation(key);
  if (trimmedKey === undefined) return answerAbsent(deps, domain, request, key);
  return whenReady(deps.lookup.link(domain.id, trimmedKey), (link) =>
    link === undefined
      ? answerAbsent(deps, domain, request, trimmedKey)
      : handleLink(deps, { request, domain, link, rest: "" }),
  );
}

function answerAbsent(
  deps: RedirectDeps,
  domain: RedirectDomain,
  request: RedirectRequest,
  key: string,
): Answer | Promise<Answer> {
  if (!isReading(request)) return notAllowed;
  return whenReady(deps.lookup.isDeleted(domain.id, key), (isDeleted) =>
    fallbackAnswer(deps, domain, request, isDeleted ? decideDeleted(domain) : decideUnknown(domain)),
  );
}

function handleLink(deps: RedirectDeps, match: Match): Answer | Promise<Answer> {
  const { request, domain, link, rest } = match;
  const address = deps.clientAddress(request.peer, request.headers["x-forwarded-for"] ?? null);
  if (domain.blocked !== undefined && isBlockedKey(domain.blocked, link.key)) {
    return isReading(request) ? fallbackAnswer(deps, domain, request, blocked) : notAllowed;
  }
  if (link.passwordHash !== null) {
    const isAllowed = isReading(request) || request.method === "POST";
    return isAllowed ? handleProtectedLink(deps, match, address, link.passwordHash) : notAllowedForProtected;
  }
  if (!isReading(request)) return notAllowed;
  // answerPlain records every visit; a visitor with Do Not Track takes the general path.
  const isCounted = request.headers["dub-no-track"] === undefined;
  return isCounted && isPlainVisit(link, rest, request.query)
    ? answerPlain(deps, match, address)
    : answerInFull(deps, match, address, locked);
}

async function handleProtectedLink(
  deps: RedirectDeps,
  match: Match,
  address: string,
  passwordHash: string,
): Promise<Answer> {
  const { request, link } = match;
  const form = await request.formPassword?.();
  if (form?.kind === "tooLong") return await answerInFull(deps, match, address, tooLong);
  const given = { password: form?.password ?? passwordInQuery(request), address, signal: request.signal?.() };
  const passwordCheck = await deps.checkPassword({ id: link.id, passwordHash }, given, deps.now());
  return await answerInFull(deps, match, address, passwordCheck);
}

function passwordInQuery({ query }: RedirectRequest): string | null {
  return hasParameter(query, "pw") ? new URLSearchParams(query).get("pw") : null;
}

function answerInFull(
  deps: RedirectDeps,
  match: Match,
  address: string,
  passwordCheck: PasswordCheck,
): Answer | Promise<Answer> {
  const visitor = new VisitorAttributes(match.request, { now: deps.now(), address, passwordCheck }, deps.geo);
  const decision = decide(match, visitor);
  const { maxClicks } = match.link;
  return maxClicks === null || !dependsOnLimit(decision)
    ? recordAndAnswer(deps, match, visitor, decision)
    : answerWithinLimit(deps, match, visitor, decision, maxClicks);
}

/**
 * Records and answers most visits. It reads neither the plain decision nor the link's texts: with very many links every
 * further object read waits for memory, which costs 1 to 2 % of a redirect.
 */
function answerPlain(deps: RedirectDeps, match: Match, address: string): Answer {
  recordClick(deps, match, { time: deps.now(), address, url: undefined, trigger: "link" });
  deps.onAnswer("destination");
  return match.link.answer;
}

/** Only links with maxClicks ask the database before they answer; see links/click-limit.ts. */
async function answerWithinLimit(
  deps: RedirectDeps,
  match: Match,
  visitor: VisitorAttributes,
  decision: Decision,
  maxClicks: number,
): Promise<Answer> {
  const { request, domain, link } = match;
  const { clickLimits } = deps;
  const isClick = whyNotCounted(decision, request) === undefined;
  try {
    // Bots, and visitors who only see the password form, use up no click but are refused when none is left.
    visitor.isUsedUp = isClick
      ? !(await clickLimits.take(link.id, maxClicks))
      : await clickLimits.isUsedUp(link.id, maxClicks);
  } catch (error) {
    deps.fail(error);
    deps.onAnswer("unavailable");
    return pageAnswer("unavailable", 503, { acceptLanguage: request.headers["accept-language"], logo: domain.logo });
  }
  return await recordAndAnswer(deps, match, visitor, visitor.isUsedUp ? decide(match, visitor) : decision);
}

/** Records every decision for the destination, also those for bots, and then answers. */
function recordAndAnswer(
  deps: RedirectDeps,
  match: Match,
  visitor: VisitorAttributes,
  decision: Decision,
): Answer | Promise<Answer> {
  const { request } = match;
  if (isRecorded(decision, request)) {
    recordClick(deps, match, {
      time: visitor.now,
      address: visitor.address,
      url: decision.kind === "destination" ? (sharedAnswer(match, decision)?.url ?? decision.url) : decision.url,
      trigger: hasParameter(request.query, "qr", "1") ? "qr" : "link",
    });
  }
  return answerDecision(deps, match, visitor, decision);
}

/** The details of a click that are neither the link's nor the domain's nor the request's. */
type VisitDetails = Pick<ClickDetails, "time" | "address" | "url" | "trigger">;

function recordClick(
  deps: RedirectDeps,
  { request, domain, link }: Match,
  { time, address, url, trigger }: VisitDetails,
): void {
  // While a password was checked or a database was read, the connection may have ended or got an error.
  if (request.hasEnded?.()) return;
  const { method, headers } = request;
  const target = clickTargetOf(link, domain);
  const { honorDoNotTrack } = domain;
  // The spool counts a dropped click; the visitor is answered all the same.
  deps.spool.append(capture(deps, { time, target, url, trigger, method, headers, address, honorDoNotTrack }));
}

/** Creates the target with a link's first click, and again after its domain was renamed. */
function clickTargetOf(link: RedirectLink, { id: domainId, slug }: RedirectDomain): Shared<ClickTarget> {
  if (link.clickTarget !== undefined && link.clickTargetSlug === slug) return link.clickTarget;
  const { id: linkId, workspaceId, key, url } = link;
  link.clickTarget = clickTarget({ workspaceId, linkId, domainId, domain: slug, key, url });
  link.clickTargetSlug = slug;
  return link.clickTarget;
}

function answerDecision(
  deps: RedirectDeps,
  match: Match,
  { passwordCheck }: VisitorAttributes,
  decision: Decision,
): Answer | Promise<Answer> {
  const { request, domain, link } = match;
  switch (decision.kind) {
    case "destination":
      deps.onAnswer(decision.kind);
      return redirectTo(match, decision);
    case "frame":
      deps.onAnswer(decision.kind);
      return frameAnswer({ ...destinationPage(match, decision), title: link.title });
    case "preview":
      deps.onAnswer(decision.kind);
      return showPreview(deps, match, decision);
    case "fallback":
    case "page":
      return fallbackAnswer(deps, domain, request, decision, passwordCheck.error);
  }
}

function redirectTo(match: Match, decision: RedirectDecision): Answer {
  const { link, request } = match;
  const { url, status } = decision;
  if (request.method === "POST") return sendTo(url, seeOther, link.doIndex);
  if (url === link.url) return link.answer;
  return sharedAnswer(match, decision)?.answer ?? sendTo(url, status, link.doIndex);
}

/**
 * The cached answer of a targeting rule's destination; undefined where the URL carries this visitor's query or path.
 */
function sharedAnswer({ link, request, rest }: Match, { url, status, source }: RedirectDecision) {
  if (url === link.url || request.query.length > 1 || rest !== "") return undefined;
  // Each destination of a link has one `source` object, which bounds the map.
  const cached = link.otherAnswers?.get(source);
  if (cached !== undefined) return cached;
  const shared = { answer: sendTo(url, status, link.doIndex), url: clickUrl(url) };
  link.otherAnswers ??= new Map();
  link.otherAnswers.set(source, shared);
  return shared;
}

async function showPreview(deps: RedirectDeps, match: Match, decision: { url: string }): Promise<Answer> {
  const { domain, link } = match;
  const address = { domain: domain.slug, key: link.key, isOnInstanceDomain: domain.isInstance };
  const preview = await deps.lookup.preview(link.id);
  const shortLink = shortLinkOf(address, deps.appUrl);
  return previewAnswer({ ...destinationPage(match, decision), ...preview, linkId: link.id, shortLink });
}

function destinationPage({ link, request }: Match, { url }: { url: string }) {
  return { url, isIndexed: link.doIndex, acceptLanguage: request.headers["accept-language"] };
}

/** Answers a posted form, so that no browser sends the password on to the destination. */
const seeOther = 303;

/** Answers a visitor who does not get the link's destination. */
function fallbackAnswer(
  deps: RedirectDeps,
  { logo }: RedirectDomain,
  { method, headers }: RedirectRequest,
  decision: RefusalDecision,
  passwordError?: PasswordError,
): Answer {
  deps.onAnswer(passwordError === "busy" ? "unavailable" : decision.kind);
  if (decision.kind === "fallback") return sendTo(decision.url, method === "POST" ? seeOther : 302, false);
  const status = passwordErrorStatus(passwordError) ?? decision.status;
  return pageAnswer(decision.page, status, { acceptLanguage: headers["accept-language"], passwordError, logo });
}
