import { isBlockedKey } from "../access/blocks.ts";
import type { HeaderFields } from "../base/header-fields.ts";
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
import {
  blocked,
  type Decision,
  decide,
  decideDeleted,
  decideUnknown,
  type FallbackDecision,
  isPlainVisit,
  unverified,
  type Visitor,
} from "./destination.ts";
import { hasParameter } from "./forward-query.ts";
import { frameAnswer } from "./framed-page.ts";
import { isServing, type Lookup, type RedirectDomain, type RedirectLink } from "./lookup.ts";
import type { PasswordError } from "./page-texts.ts";
import { pageAnswer } from "./pages.ts";
import { type CheckPassword, locked, type PasswordCheck, passwordErrorStatus } from "./password-check.ts";
import { previewAnswer } from "./preview-page.ts";

/** What a redirect works with; opened by the app. */
export type RedirectDeps = {
  lookup: Lookup;
  spool: Pick<Spool, "append" | "afterTick">;
  clickLimits: ClickLimits;
  geo: Pick<Geo, "locate">;
  hashVisitor: VisitorHasher;
  texts: TextBudget;
  clientAddress: ClientAddress;
  checkPassword: CheckPassword;
  isUnverifiedAllowed: boolean;
  /** Where the service is reached, and links of the instance's own domain. */
  appUrl: URL;
  now: () => number;
  /** Told once for every answer, for the metrics. */
  onAnswer(outcome: Outcome): void;
  /** Told when an answer goes out, with the time it took. */
  onSent(milliseconds: number): void;
  /** Told of what no visitor can do anything about. */
  fail(error: unknown): void;
};

/** What became of a visit. */
export type Outcome = Decision["kind"] | "unavailable";

/** A request that may be a visit of a short link, taken apart. */
export type RedirectRequest = {
  method: string;
  headers: HeaderFields;
  /** The address at the other end of the connection. */
  peer: string;
  /** The path without its leading slash, still percent-encoded. */
  path: string;
  /** The query with its "?", or "". */
  query: string;
  /** Reads the password out of a form that was sent; null for none. Absent where no body is read. */
  formPassword?: () => Promise<string | null>;
  /** Creates the signal that aborts when the visitor disconnects; most visits need none. */
  signal?: () => AbortSignal;
};

/** A link and the domain that it was visited on. */
type Place = { domain: RedirectDomain; link: RedirectLink; rest: string };
/** A visitor at a place. */
type Visit = Place & { short: RedirectRequest; visitor: Visitor; note: PasswordError | undefined };

/**
 * Answers a visitor of a short link, in the caller's turn wherever nothing has to be waited for. The caller sends the
 * answer after the turn (Spool.afterTurn): then its click is in the spool; a full spool answers all the same.
 */
export function redirect(deps: RedirectDeps, domain: RedirectDomain, short: RedirectRequest): Answer | Promise<Answer> {
  // For most domains the clock is not looked at, which takes 40 ns here.
  if (domain.status !== "verified" && !isServing(domain, deps.isUnverifiedAllowed, deps.now())) {
    return isReading(short) ? answerWithout(deps, domain, short, unverified) : notAllowed;
  }
  const key = foldedKeyOf(short.path, domain);
  const found = key === undefined ? undefined : deps.lookup.link(domain.id, key);
  return found instanceof Promise ? followFound(deps, domain, short, found) : follow(deps, domain, short, found);
}

/** As all that waits, a function of its own: in those that answer at once no variable has to outlive its call. */
async function followFound(
  deps: RedirectDeps,
  domain: RedirectDomain,
  short: RedirectRequest,
  found: Promise<RedirectLink | undefined>,
): Promise<Answer> {
  return await follow(deps, domain, short, await found);
}

const notAllowed = answerOf(405, { Allow: "GET, HEAD" });
/** The form of a password is sent by POST, and nothing else is. */
const notAllowedBesideForm = answerOf(405, { Allow: "GET, HEAD, POST" });

function isReading({ method }: RedirectRequest): boolean {
  return method === "GET" || method === "HEAD";
}

function follow(
  deps: RedirectDeps,
  domain: RedirectDomain,
  short: RedirectRequest,
  link: RedirectLink | undefined,
): Answer | Promise<Answer> {
  if (link !== undefined) return meet(deps, { domain, link, rest: "" }, short);
  return domain.hasForwarding && isReading(short)
    ? followForwarding(deps, domain, short)
    : followMiss(deps, domain, short);
}

/** The path is no key; the beginning of it may be one of a link that passes the rest on. */
async function followForwarding(deps: RedirectDeps, domain: RedirectDomain, short: RedirectRequest): Promise<Answer> {
  const candidates = forwardingKeys(short.path, domain);
  const keys = candidates.map(({ key }) => key);
  const link = keys.length === 0 ? undefined : await deps.lookup.forwardingLink(domain.id, keys);
  const foldedKey = link === undefined ? undefined : foldKey(link.key, domain.isCaseSensitive);
  const rest = candidates.find(({ key }) => key === foldedKey)?.rest;
  if (link === undefined || rest === undefined) return await followMiss(deps, domain, short);
  return await meet(deps, { domain, link, rest }, short);
}

/** No link has the key, and none forwards the path: it may have a mark behind it, or a link may have had it. */
function followMiss(deps: RedirectDeps, domain: RedirectDomain, short: RedirectRequest): Answer | Promise<Answer> {
  const key = foldedKeyOf(short.path, domain);
  if (key === undefined)
    return isReading(short) ? answerWithout(deps, domain, short, decideUnknown(domain)) : notAllowed;
  const bareKey = withoutTrailingPunctuation(key);
  if (bareKey === undefined) return answerAbsent(deps, domain, short, key);
  return after(deps.lookup.link(domain.id, bareKey), (link) =>
    link === undefined ? answerAbsent(deps, domain, short, bareKey) : meet(deps, { domain, link, rest: "" }, short),
  );
}

function answerAbsent(
  deps: RedirectDeps,
  domain: RedirectDomain,
  short: RedirectRequest,
  key: string,
): Answer | Promise<Answer> {
  if (!isReading(short)) return notAllowed;
  return after(deps.lookup.isDeleted(domain.id, key), (isDeleted) =>
    answerWithout(deps, domain, short, isDeleted ? decideDeleted(domain) : decideUnknown(domain)),
  );
}

/** Goes on with a value in the same turn where it is there, and else when it comes. */
function after<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

function meet(deps: RedirectDeps, place: Place, short: RedirectRequest): Answer | Promise<Answer> {
  const address = deps.clientAddress(short.peer, short.headers["x-forwarded-for"] ?? null);
  const { domain, link, rest } = place;
  if (domain.blocked !== undefined && isBlockedKey(domain.blocked, link.key)) {
    return isReading(short) ? answerWithout(deps, domain, short, blocked) : notAllowed;
  }
  if (link.passwordHash !== null) {
    const isAllowed = isReading(short) || short.method === "POST";
    return isAllowed ? meetLocked(deps, place, short, address, link.passwordHash) : notAllowedBesideForm;
  }
  if (!isReading(short)) return notAllowed;
  // sendPlain records every visit; a visitor who wants no tracking takes the general path.
  const isCounted = short.headers["dub-no-track"] === undefined;
  return isCounted && isPlainVisit(link, rest, short.query)
    ? sendPlain(deps, place, short, address)
    : send(deps, place, short, address, locked);
}

async function meetLocked(
  deps: RedirectDeps,
  place: Place,
  short: RedirectRequest,
  address: string,
  passwordHash: string,
): Promise<Answer> {
  const password = await givenPassword(short);
  const given = { password, address, signal: short.signal?.() };
  const unlocking = await deps.checkPassword({ id: place.link.id, passwordHash }, given, deps.now());
  return await send(deps, place, short, address, unlocking);
}

async function givenPassword({ query, formPassword }: RedirectRequest): Promise<string | null> {
  const inForm = await formPassword?.();
  return inForm ?? (hasParameter(query, "pw") ? new URLSearchParams(query).get("pw") : null);
}

function send(
  deps: RedirectDeps,
  { domain, link, rest }: Place,
  short: RedirectRequest,
  address: string,
  { isUnlocked, note }: PasswordCheck,
): Answer | Promise<Answer> {
  const { headers, query } = short;
  const visitor: Visitor = {
    now: deps.now(),
    query,
    rest,
    address,
    userAgent: headers["user-agent"] ?? "",
    acceptLanguage: headers["accept-language"] ?? "",
    place: () => deps.geo.locate(address),
    isUnlocked,
    isUsedUp: false,
  };
  const visit = { domain, link, rest, short, visitor, note };
  const decision = decide(link, domain, visitor);
  const { maxClicks } = link;
  return maxClicks === null || !dependsOnLimit(decision)
    ? record(deps, visit, decision)
    : sendWithinLimit(deps, visit, decision, maxClicks);
}

/**
 * Records and answers most visits. What is known of a plain decision is not looked up in it, nor in the link's texts:
 * among many links each look at one more of their objects waits for memory, 1 to 2 % of a redirect.
 */
function sendPlain(deps: RedirectDeps, place: Place, short: RedirectRequest, address: string): Answer {
  recordClick(deps, place, short, { time: deps.now(), address, url: undefined, trigger: "link" });
  deps.onAnswer("destination");
  return place.link.answer;
}

/** The one kind of link that asks the database before its answer; see links/click-limit.ts. */
async function sendWithinLimit(
  deps: RedirectDeps,
  visit: Visit,
  decision: Decision,
  maxClicks: number,
): Promise<Answer> {
  const { domain, link, short, visitor } = visit;
  const { clickLimits } = deps;
  const isClick = whyNotCounted(decision, short) === undefined;
  let isUsedUp: boolean;
  try {
    // Who is no human, or only sees the form, uses nothing up; that it is used up holds for them too.
    isUsedUp = isClick ? !(await clickLimits.take(link.id, maxClicks)) : await clickLimits.isUsedUp(link.id, maxClicks);
  } catch (error) {
    deps.fail(error);
    deps.onAnswer("unavailable");
    return pageAnswer("unavailable", 503, { acceptLanguage: short.headers["accept-language"], logo: domain.logo });
  }
  return await record(deps, visit, isUsedUp ? decide(link, domain, { ...visitor, isUsedUp }) : decision);
}

/** Records what leads on to the destination, whoever it was decided for, and then answers. */
function record(deps: RedirectDeps, visit: Visit, decision: Decision): Answer | Promise<Answer> {
  const { short, visitor } = visit;
  const { query } = short;
  if (!isRecorded(decision, short)) return answer(deps, visit, decision);
  recordClick(deps, visit, short, {
    time: visitor.now,
    address: visitor.address,
    url: decision.kind === "destination" ? (otherOf(visit, decision)?.url ?? decision.url) : decision.url,
    trigger: hasParameter(query, "qr", "1") ? "qr" : "link",
  });
  return answer(deps, visit, decision);
}

/** What of a click is not the link's, the domain's or the request's. */
type OfVisit = Pick<ClickDetails, "time" | "address" | "url" | "trigger">;

function recordClick(
  deps: RedirectDeps,
  { domain, link }: Place,
  { method, headers }: RedirectRequest,
  { time, address, url, trigger }: OfVisit,
): void {
  const target = targetOf(link, domain);
  const { honorDoNotTrack } = domain;
  // A dropped click is counted by the spool; the visitor is answered all the same.
  deps.spool.append(capture(deps, { time, target, url, trigger, method, headers, address, honorDoNotTrack }));
}

/** Made with a link's first click, and anew when its domain has been renamed. */
function targetOf(link: RedirectLink, { id: domainId, slug }: RedirectDomain): Shared<ClickTarget> {
  if (link.clickTarget !== undefined && link.clickTargetSlug === slug) return link.clickTarget;
  const { id: linkId, workspaceId, key, url } = link;
  link.clickTarget = clickTarget({ workspaceId, linkId, domainId, domain: slug, key, url });
  link.clickTargetSlug = slug;
  return link.clickTarget;
}

function answer(deps: RedirectDeps, visit: Visit, decision: Decision): Answer | Promise<Answer> {
  const { domain, link, short, note } = visit;
  switch (decision.kind) {
    case "destination":
      deps.onAnswer(decision.kind);
      return sendOn(visit, decision);
    case "frame":
      deps.onAnswer(decision.kind);
      return frameAnswer({ ...shown(visit, decision), title: link.title });
    case "preview":
      deps.onAnswer(decision.kind);
      return showPreview(deps, visit, decision);
    case "fallback":
    case "page":
      return answerWithout(deps, domain, short, decision, note);
  }
}

function sendOn(visit: Visit, decision: SentOn): Answer {
  const { link, short } = visit;
  const { url, status } = decision;
  if (short.method === "POST") return sendTo(url, seeOther, link.doIndex);
  if (url === link.url) return link.answer;
  return otherOf(visit, decision)?.answer ?? sendTo(url, status, link.doIndex);
}

type SentOn = Extract<Decision, { kind: "destination" }>;

/** What is made once for those of a link's destinations that are not its url; undefined where this visitor's is its own. */
function otherOf({ link, short, rest }: Visit, { url, status, source }: SentOn) {
  if (url === link.url || short.query.length > 1 || rest !== "") return undefined;
  // Of a link's destinations each is an object of its own, so there are no more of them here than it has.
  const known = link.otherAnswers?.get(source);
  if (known !== undefined) return known;
  const other = { answer: sendTo(url, status, link.doIndex), url: clickUrl(url) };
  link.otherAnswers ??= new Map();
  link.otherAnswers.set(source, other);
  return other;
}

async function showPreview(deps: RedirectDeps, visit: Visit, decision: { url: string }): Promise<Answer> {
  const { domain, link } = visit;
  const place = { domain: domain.slug, key: link.key, isOnInstanceDomain: domain.isInstance };
  const preview = await deps.lookup.preview(link.id);
  const shortLink = shortLinkOf(place, deps.appUrl);
  return previewAnswer({ ...shown(visit, decision), ...preview, linkId: link.id, shortLink });
}

function shown({ link, short }: Visit, { url }: { url: string }) {
  return { url, isIndexed: link.doIndex, acceptLanguage: short.headers["accept-language"] };
}

/** After a form, so that no browser sends the password on to the destination. */
const seeOther = 303;

/** Answers a visitor who is not led where a link leads. */
function answerWithout(
  deps: RedirectDeps,
  { logo }: RedirectDomain,
  { method, headers }: RedirectRequest,
  decision: FallbackDecision,
  note?: PasswordError,
): Answer {
  deps.onAnswer(note === "busy" ? "unavailable" : decision.kind);
  if (decision.kind === "fallback") return sendTo(decision.url, method === "POST" ? seeOther : 302, false);
  const status = passwordErrorStatus(note) ?? decision.status;
  return pageAnswer(decision.page, status, { acceptLanguage: headers["accept-language"], note, logo });
}
