import { acceptLanguageCharactersMax, languagesOf } from "../base/accept-language.ts";
import type { HeaderFields } from "../base/header-fields.ts";
import { LruCache, ownKey } from "../base/lru-cache.ts";
import { requestBotKind } from "./bots.ts";
import {
  type CapturedClick,
  type ClickTarget,
  clickHeaderMax,
  clickUrlMax,
  type Place,
  Shared,
  type Trigger,
} from "./click.ts";
import type { Geo } from "./geo.ts";
import { freeCharacters, type TextBudget } from "./text-budget.ts";
import { noVisitor, type VisitorHasher } from "./visitor.ts";

/** The visitor's request, and the redirect that answers it. */
export type ClickDetails = {
  time: number;
  /** The same object for all clicks of a link, until the link changes. */
  target: Shared<ClickTarget>;
  /** The destination in the answer: from clickUrl if other clicks share it; undefined for the target's URL. */
  url: string | Shared<string> | undefined;
  trigger: Trigger;
  method: string;
  headers: HeaderFields;
  /** The visitor's address: it goes into the place and the visitor hash, and nowhere else. */
  address: string;
  honorDoNotTrack: boolean;
};

type Deps = { geo: Pick<Geo, "locate">; hashVisitor: VisitorHasher; texts: TextBudget };

/** The target that the clicks of a link share. */
export function clickTarget(target: ClickTarget): Shared<ClickTarget> {
  return new Shared({ ...target, url: target.url.slice(0, clickUrlMax) });
}

/** A destination that some of the link's visitors share. */
export function clickUrl(url: string): Shared<string> {
  return new Shared(url.slice(0, clickUrlMax));
}

/**
 * Returns the click of one redirect, without the visitor's address, which never reaches the disk.
 * If the domain honors Do Not Track and the visitor requests it, the visitor hash, region and city are empty.
 */
export function capture({ geo, hashVisitor, texts }: Deps, details: ClickDetails): CapturedClick {
  const { headers, address, target } = details;
  const agent = headers["user-agent"] ?? "";
  const place = geo.locate(address);
  const isAnonymous = details.honorDoNotTrack && (headers.dnt === "1" || headers["sec-gpc"] === "1");
  const visitor = isAnonymous ? noVisitor : hashVisitor(address, agent, details.time);
  return {
    time: details.time,
    target,
    url: urlOf(details, texts),
    place: isAnonymous ? sharedCountry(place) : sharedPlace(place),
    referer: sharedReferer(headers.referer ?? "", details, texts),
    agent: sharedAgent(agent, details, texts),
    language: sharedLanguage(headers["accept-language"] ?? ""),
    trigger: details.trigger,
    bot: requestBotKind(botSignals(details.method, headers)),
    visitorHigh: visitor.high,
    visitorLow: visitor.low,
  };
}

/** The destination to record. Beyond the budget, one with a visitor's query or path is recorded as the target's URL. */
function urlOf({ url, target, address, time }: ClickDetails, texts: TextBudget): CapturedClick["url"] {
  if (typeof url !== "string") return url;
  const text = url.length > clickUrlMax ? url.slice(0, clickUrlMax) : url;
  return text === target.value.url || !texts.allowsText(address, text, time) ? undefined : text;
}

/** Size of each cache of shared values; at most twice as many. */
const cachedMax = 5_000;
const places = new LruCache<Place, Shared<Place>>(cachedMax);
const countries = new LruCache<string, Shared<Place>>(cachedMax);
// Their keys are copies, which keep no packet in memory: http1/header-value-cache.ts copies short fields, and `cut`
// copies the others.
const agents = new LruCache<string, Shared<string>>(cachedMax, { keepsKeys: true });
const referers = new LruCache<string, Shared<string>>(cachedMax, { keepsKeys: true });
const languages = new LruCache<string, Shared<string>>(cachedMax, { keepsKeys: true });

function sharedPlace(place: Place): Shared<Place> {
  return places.get(place) ?? cache(places, place, place);
}

function sharedCountry({ country, continent }: Place): Shared<Place> {
  return countries.get(country) ?? cache(countries, country, { country, region: "", city: "", continent });
}

/**
 * The characters of a user agent that are stored beyond the budget. Nearly all real ones are shorter, and these are
 * enough to recognize browsers and bots.
 */
const agentCharactersMin = 256;

function sharedAgent(header: string, details: ClickDetails, texts: TextBudget): Shared<string> {
  const agent = cut(header, clickHeaderMax);
  return agents.get(agent) ?? cacheText(agents, agent, agentCharactersMin, details, texts);
}

/** Caches a text that no recent click had. Cuts it to `charactersMin` beyond the visitor's budget. */
function cacheText(
  recent: LruCache<string, Shared<string>>,
  text: string,
  charactersMin: number,
  { address, time }: ClickDetails,
  texts: TextBudget,
): Shared<string> {
  if (text.length <= charactersMin || texts.allows(address, text.length, time)) return cache(recent, text, text);
  const short = cut(text, charactersMin);
  return recent.get(short) ?? cache(recent, short, short);
}

/** Cuts a long header, and copies the result: a substring would keep the header's whole packet in memory. */
function cut(header: string, charactersMax: number): string {
  return header.length > charactersMax ? ownKey(header.slice(0, charactersMax)) : header;
}

function sharedReferer(header: string, details: ClickDetails, texts: TextBudget): Shared<string> {
  const referer = withoutQuery(header);
  return referers.get(referer) ?? cacheText(referers, referer, freeCharacters, details, texts);
}

function sharedLanguage(fullHeader: string): Shared<string> {
  const header = cut(fullHeader, acceptLanguageCharactersMax);
  return languages.get(header) ?? cache(languages, header, primaryLanguage(header));
}

function cache<Key, Value>(recent: LruCache<Key, Shared<Value>>, key: Key, value: Value): Shared<Value> {
  const shared = new Shared(value);
  recent.set(key, shared);
  return shared;
}

/** Queries of referrers can identify a person, and no report needs them: they never reach the disk. */
function withoutQuery(referer: string): string {
  const end = referer.includes("?") || referer.includes("#") ? referer.search(/[?#]/) : referer.length;
  return cut(referer, Math.min(end, clickHeaderMax));
}

/** The language with the greatest weight, as rules read the header; without its region, "" for none. */
function primaryLanguage(header: string): string {
  const primaries = languagesOf(header).map((tag) => tag.replace(/-.*$/, ""));
  return primaries.find((primary) => primary.length === 2 || primary.length === 3) ?? "";
}

/** The parts of a request that show whether a human waits for the answer. */
export function botSignals(method: string, headers: HeaderFields): Parameters<typeof requestBotKind>[0] {
  return {
    method,
    secPurpose: headers["sec-purpose"] ?? null,
    purpose: headers.purpose ?? headers["x-purpose"] ?? headers["x-moz"] ?? null,
  };
}
