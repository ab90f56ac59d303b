/**
 * From the click as captured to the click as stored.
 *
 * 1. Every text leaves here as well-formed Unicode without NUL: stores are UTF-8, and PostgreSQL, DuckDB and
 *    ClickHouse each refuse or cut one of the two, which would hold up the whole batch.
 * 2. Nothing here throws for any captured click: one bad referrer must not cost the clicks spooled behind it.
 */
import { LruCache } from "../base/lru-cache.ts";
import { parseAgent } from "./agent.ts";
import { botKind } from "./bots.ts";
import { type Click, clickUrlMax, type SpooledClick } from "./click.ts";

/** Characters kept of each utm_ parameter. */
export const utmMax = 255;
/** Referrers remembered, at most twice as many, of up to clickHeaderMax characters. */
const recentReferrersMax = 5_000;

/**
 * The click as a store holds it. What capture saw of the request being no human's stands over what the user agent
 * says of itself.
 * Guarantee: never throws; the same captured click gives the same click.
 */
export function enrich(captured: SpooledClick): Click {
  const agent = parseAgent(captured.agent);
  const referrer = recentReferrer(captured.referer);
  // Most destinations carry no utm parameter, and reading an address costs more than all the rest.
  const query = captured.url.includes("utm_") ? URL.parse(captured.url)?.searchParams : undefined;
  return {
    id: captured.id,
    time: captured.time,
    workspaceId: captured.workspaceId,
    linkId: harmless(captured.linkId),
    domainId: harmless(captured.domainId),
    domain: harmless(captured.domain),
    key: harmless(captured.key),
    url: harmless(captured.url),
    country: harmless(captured.country),
    region: harmless(captured.region),
    city: harmless(captured.city),
    continent: harmless(captured.continent),
    device: agent.device,
    browser: agent.browser,
    os: agent.os,
    referer: referrer.referer,
    refererUrl: referrer.refererUrl,
    language: harmless(captured.language),
    trigger: captured.trigger,
    bot: captured.bot || botKind(captured.agent),
    visitor: harmless(captured.visitor),
    utm_source: utm(query, "utm_source"),
    utm_medium: utm(query, "utm_medium"),
    utm_campaign: utm(query, "utm_campaign"),
    utm_term: utm(query, "utm_term"),
    utm_content: utm(query, "utm_content"),
  };
}

/** Whether a human clicked: what `bot` of the enriched click says, without the rest of the work. */
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

/** TABLE of schemes a referrer can have; Android names the app a link was opened from by the last two. */
const referrerSchemes: ReadonlySet<string> = new Set(["http:", "https:", "android-app:", "ios-app:"]);

/**
 * Host and address of a Referer header. The host is lower case, in ASCII (punycode), without "www." and port; the
 * address is without query, fragment and credentials. Both are "" when the header is not the address of a page.
 */
export function parseReferrer(header: string): Referrer {
  const url = URL.parse(harmless(header).trim());
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

function utm(query: URLSearchParams | undefined, name: string): string {
  const value = harmless(query?.get(name) ?? "").trim();
  if (value.length <= utmMax) return value;
  // A pair of surrogates cut in two would leave a lone one.
  return value.slice(0, utmMax).replace(/[\uD800-\uDBFF]$/, "");
}

function harmless(text: string): string {
  if (text.includes("\0")) return text.replaceAll("\0", "").toWellFormed();
  return text.isWellFormed() ? text : text.toWellFormed();
}
