/**
 * Turns captured clicks into stored clicks.
 *
 * 1. Every text of an enriched click is well-formed Unicode without NUL. Stores use UTF-8, and PostgreSQL, DuckDB and
 *    ClickHouse each reject or cut texts with a lone surrogate or a NUL, which would block the whole batch.
 * 2. No function here throws for a captured click: one bad referrer must not block the clicks after it in the spool.
 */
import { LruCache } from "../base/lru-cache.ts";
import { parseAgent } from "./agent.ts";
import { botKind } from "./bots.ts";
import { type Click, clickUrlMax, type SpooledClick } from "./click.ts";

/** The most characters of each utm_ parameter that are stored. */
export const utmMax = 255;
/** Size of the cache of referrers, of up to clickHeaderMax characters each; at most twice as many. */
const recentReferrersMax = 5_000;
/** Size of the cache of URLs with utm parameters; at most twice as many, together 4 MB. */
const recentUrlsMax = 2_000;
/** Longer URLs are parsed each time: they hold ids of single clicks, and would only replace those that come again. */
const recentUrlCharactersMax = 512;

/**
 * Enriches a captured click. The kind of bot that the request shows takes precedence over that of the user agent.
 * Guarantee: never throws; the same captured click gives the same click.
 */
export function enrich(captured: SpooledClick): Click {
  const agent = parseAgent(captured.agent);
  const referrer = recentReferrer(captured.referer);
  return {
    id: captured.id,
    time: captured.time,
    workspaceId: captured.workspaceId,
    linkId: storable(captured.linkId),
    domainId: storable(captured.domainId),
    domain: storable(captured.domain),
    key: storable(captured.key),
    url: storable(captured.url),
    country: storable(captured.country),
    region: storable(captured.region),
    city: storable(captured.city),
    continent: storable(captured.continent),
    device: agent.device,
    browser: agent.browser,
    os: agent.os,
    referer: referrer.referer,
    refererUrl: referrer.refererUrl,
    language: storable(captured.language),
    trigger: captured.trigger,
    bot: captured.bot || botKind(captured.agent),
    visitor: storable(captured.visitor),
    ...recentUtm(captured.url),
  };
}

/** True for a human's click, for which the enriched click has an empty `bot`. Does not enrich the click. */
export function isHuman({ bot, agent }: Pick<SpooledClick, "bot" | "agent">): boolean {
  return bot === "" && botKind(agent) === "";
}

const referrers = new LruCache<string, Referrer>(recentReferrersMax);

function recentReferrer(header: string): Referrer {
  if (header === "") return noReferrer;
  const known = referrers.get(header);
  if (known !== undefined) return known;
  const referrer = parseReferrer(header);
  referrers.set(header, referrer);
  return referrer;
}

/** The two forms in which a referrer is stored; both "" when there is none. */
export type Referrer = { referer: string; refererUrl: string };

const noReferrer: Referrer = { referer: "", refererUrl: "" };

/** TABLE of the schemes of referrers; the last two name the app in which the link was opened. */
const referrerSchemes: ReadonlySet<string> = new Set(["http:", "https:", "android-app:", "ios-app:"]);

/**
 * Returns the host and the URL of a Referer header. The host is in lower case and ASCII (punycode), without "www." and
 * port; the URL is without query, fragment and credentials. Both are "" when the header is not the URL of a page or an
 * app.
 */
export function parseReferrer(header: string): Referrer {
  const url = URL.parse(storable(header).trim());
  if (url === null || url.hostname === "" || !referrerSchemes.has(url.protocol)) return noReferrer;
  const host = url.host.toLowerCase();
  return {
    referer: withoutWww(url.hostname.toLowerCase()),
    refererUrl: `${url.protocol}//${host}${url.pathname}`.slice(0, clickUrlMax),
  };
}

/** "www.example.com" is the site example.com, but "www.com" is a site of that name. */
function withoutWww(host: string): string {
  return /^www\.[^.]+\../.test(host) ? host.slice("www.".length) : host;
}

/** The utm_ parameters of a click's URL. */
type Utm = Pick<Click, "utm_source" | "utm_medium" | "utm_campaign" | "utm_term" | "utm_content">;

const noUtm: Utm = { utm_source: "", utm_medium: "", utm_campaign: "", utm_term: "", utm_content: "" };

const utmOfUrls = new LruCache<string, Utm>(recentUrlsMax);

/** Cached, because parsing a URL takes as long as storing the click. */
function recentUtm(url: string): Utm {
  // Most destinations have no utm parameter.
  if (!url.includes("utm_")) return noUtm;
  if (url.length > recentUrlCharactersMax) return parseUtm(url);
  const known = utmOfUrls.get(url);
  if (known !== undefined) return known;
  const utm = parseUtm(url);
  utmOfUrls.set(url, utm);
  return utm;
}

function parseUtm(url: string): Utm {
  const query = URL.parse(url)?.searchParams;
  if (query === undefined) return noUtm;
  return {
    utm_source: utmValue(query, "utm_source"),
    utm_medium: utmValue(query, "utm_medium"),
    utm_campaign: utmValue(query, "utm_campaign"),
    utm_term: utmValue(query, "utm_term"),
    utm_content: utmValue(query, "utm_content"),
  };
}

function utmValue(query: URLSearchParams, name: keyof Utm): string {
  const value = storable(query.get(name) ?? "").trim();
  if (value.length <= utmMax) return value;
  // Removes the lone surrogate that is left when the cut splits a pair.
  return value.slice(0, utmMax).replace(/[\uD800-\uDBFF]$/, "");
}

/** Removes NULs and replaces lone surrogates. */
function storable(text: string): string {
  if (text.includes("\0")) return text.replaceAll("\0", "").toWellFormed();
  return text.isWellFormed() ? text : text.toWellFormed();
}
