import type { Actor } from "../access/actor.ts";
import { isBlockedKey } from "../access/blocks.ts";
import type { BotKind } from "../clicks/click.ts";
import { continentOf } from "../clicks/continents.ts";
import type { Db } from "../database/database.ts";
import { findLinkRow } from "../links/find-links.ts";
import { hasDotSegments } from "../links/visited-key.ts";
import { dependsOnLimit, type NotCounted, whyNotCounted } from "./counting.ts";
import type { Decision, PageName } from "./decision.ts";
import { blocked, decide, decideUnknown, type Match, unverified } from "./destination.ts";
import { hasParameter } from "./forward-query.ts";
import { isServing, type RedirectLink } from "./lookup.ts";
import { locked, type PasswordCheck, passwordErrorStatus } from "./password-check.ts";
import type { Outcome, RedirectDeps } from "./redirect.ts";
import type { DestinationSource } from "./targeting-rules.ts";
import { VisitorAttributes } from "./visitor-attributes.ts";

/** A visitor as the caller describes them; a missing property was not sent or is not known. */
type VisitorDescription = {
  method?: "GET" | "HEAD" | undefined;
  userAgent?: string | undefined;
  /** The Accept-Language header. */
  language?: string | undefined;
  /** The Sec-Purpose header. */
  purpose?: string | undefined;
  /** With or without its "?". */
  query?: string | undefined;
  /** The path after the link's key, with or without its slash. */
  path?: string | undefined;
  password?: string | undefined;
  /** Default: now. */
  at?: number | undefined;
  /** The address's place applies where no other place is given. */
  address?: string | undefined;
  country?: string | undefined;
  region?: string | undefined;
  city?: string | undefined;
  continent?: string | undefined;
};

/** What a visitor of a link would get, and why. */
export type Resolution = {
  status: number;
  outcome: Outcome;
  /** Where the visitor is sent; null for a page. */
  url: string | null;
  /** The page shown, or the page that a fallback URL replaces. */
  page: PageName | null;
  /** The source of the chosen destination. */
  matched: DestinationSource | null;
  isCounted: boolean;
  notCounted: NotCounted["reason"] | null;
  bot: BotKind | null;
};

type Deps = { db: Db; now: () => number; redirects: Omit<RedirectDeps, "spool"> };

/**
 * Tells what a visitor of the link would get, by the same function that redirects decide with (`decide`).
 * Guarantee: changes nothing: it records no click and uses up none of maxClicks. Wrong passwords are limited as for
 * visitors.
 * Throws "not_found".
 */
export async function resolveLink(
  { db, now, redirects }: Deps,
  actor: Actor,
  linkId: string,
  described: VisitorDescription,
): Promise<Resolution> {
  const { domainId, domain: slug, foldedKey } = await findLinkRow(db, actor.workspaceId, linkId);
  const domain = await redirects.lookup.domain(slug);
  const at = described.at ?? now();
  // Where several workspaces hold the slug, only one of them serves it.
  if (domain?.id !== domainId || !isServing(domain, redirects.isUnverifiedAllowed, at)) {
    return resolution(unverified, { reason: "unverified" });
  }
  const link = await redirects.lookup.link(domainId, foldedKey);
  const rest = withMark(described.path ?? "", "/");
  if (link === undefined || hasDotSegments(rest)) return resolution(decideUnknown(domain), { reason: "notFound" });
  if (isBlockedKey(domain.blocked, link.key)) return resolution(blocked, { reason: "blocked" });

  const query = withMark(described.query ?? "", "?");
  const passwordCheck = await checkPassword(redirects, link, {
    actor,
    now: now(),
    query,
    password: described.password,
  });
  const headers = {
    "user-agent": described.userAgent,
    "accept-language": described.language,
    "sec-purpose": described.purpose,
  };
  const visit = { now: at, address: described.address ?? "", passwordCheck };
  const locate = () => placeOf(redirects, described);
  const visitor = new VisitorAttributes({ headers, query }, visit, { locate });
  const decision = await decideWithinLimit(redirects, { domain, link, rest }, visitor);
  if (decision === undefined) return unavailable;
  const notCounted = whyNotCounted(decision, { method: described.method ?? "GET", query, headers });
  const resolved = resolution(decision, notCounted);
  if (resolved.page !== "password") return resolved;
  return { ...resolved, status: passwordErrorStatus(passwordCheck.error) ?? resolved.status };
}

async function checkPassword(
  { checkPassword: check }: Pick<RedirectDeps, "checkPassword">,
  { id, passwordHash }: RedirectLink,
  { actor, now, query, password }: { actor: Actor; now: number; query: string; password: string | undefined },
): Promise<PasswordCheck> {
  if (passwordHash === null) return locked;
  const inQuery = hasParameter(query, "pw") ? new URLSearchParams(query).get("pw") : null;
  // Limited per user, so that guessing is no faster here than on the password page.
  const given = { password: password ?? inQuery, address: `user ${actor.userId}` };
  return await check({ id, passwordHash }, given, now);
}

/** Undefined when the database fails to tell whether the link is used up. */
async function decideWithinLimit(
  { clickLimits, fail }: Pick<RedirectDeps, "clickLimits" | "fail">,
  match: Omit<Match, "request">,
  visitor: VisitorAttributes,
): Promise<Decision | undefined> {
  const { link } = match;
  const decision = decide(match, visitor);
  if (link.maxClicks === null || !dependsOnLimit(decision)) return decision;
  try {
    visitor.isUsedUp = await clickLimits.isUsedUp(link.id, link.maxClicks);
    return visitor.isUsedUp ? decide(match, visitor) : decision;
  } catch (error) {
    fail(error);
    return undefined;
  }
}

const unavailable: Resolution = {
  ...{ status: 503, outcome: "unavailable", page: "unavailable", notCounted: "unavailable" },
  ...{ url: null, matched: null, isCounted: false, bot: null },
};

function resolution(decision: Decision, notCounted: NotCounted | undefined): Resolution {
  return {
    status: statusOf(decision),
    outcome: decision.kind,
    url: decision.kind === "page" ? null : decision.url,
    page: "page" in decision ? decision.page : null,
    matched: "source" in decision ? decision.source : null,
    isCounted: notCounted === undefined,
    notCounted: notCounted?.reason ?? null,
    bot: notCounted?.reason === "bot" ? notCounted.bot : null,
  };
}

function statusOf(decision: Decision): number {
  if ("status" in decision) return decision.status;
  return decision.kind === "fallback" ? 302 : 200;
}

function placeOf(
  { geo }: Pick<RedirectDeps, "geo">,
  { address, country, region, city, continent }: VisitorDescription,
) {
  const found = geo.locate(address ?? "");
  const named = country ?? region?.slice(0, 2);
  if (named === undefined) return { ...found, city: city ?? found.city, continent: continent ?? found.continent };
  return { country: named, region: region ?? "", city: city ?? "", continent: continent ?? continentOf(named) };
}

function withMark(text: string, mark: string): string {
  return text === "" || text.startsWith(mark) ? text : `${mark}${text}`;
}
