/**
 * The destinations a link has for some of its visitors, compiled once when the link is looked up.
 *
 * 1. They are asked in this order, and the first that fits decides: the link's rules in theirs, `ios`, `android`, `geo`,
 *    the variants of its test, and at last the link's url, which fits everybody. So rules, the most exact of them, can
 *    say otherwise for anybody, and a test splits those whom nothing else sends elsewhere.
 * 2. What a visitor is (place, agent, languages) is found out when a condition asks for it, and once for all of them.
 * 3. Within a rule the cheap conditions come first: the clock, and the place, which the click is asked for anyway.
 */

import { languagesOf } from "../base/accept-language.ts";
import { LruCache } from "../base/lru-cache.ts";
import { type Agent, parseAgent } from "../clicks/agent.ts";
import type { Place } from "../clicks/click.ts";
import type { LinksTable } from "../database/schema.ts";
import { addUtm, readUtm } from "../links/destination-url.ts";
import type { Rule, RuleConditions } from "../links/link-rules.ts";
import type { TestVariant } from "../links/test-variants.ts";

/** What of a visitor decides among a link's destinations. */
export type Traits = {
  now: number;
  /** The query with its "?", or "". */
  query: string;
  address: string;
  userAgent: string;
  /** The Accept-Language header, or "". */
  acceptLanguage: string;
  place(): Place;
};

/** Which of a link's destinations was chosen; an index counts from 0. */
export type DestinationSource =
  | { kind: "url" | "ios" | "android" }
  | { kind: "rule" | "testVariant"; index: number }
  | { kind: "geo"; country: string };

/** A destination, and which one of the link's it is. */
export type Destination = { url: string; source: DestinationSource };

/** Gives the visitor's destination, or undefined where it has none for them. */
export type TargetingRule = (look: Look) => Destination | undefined;

/** The columns that choices are compiled from. */
export type TargetingColumns = Pick<
  LinksTable,
  "id" | "url" | "rules" | "ios" | "android" | "geo" | "testVariants" | "testStartedAt" | "testCompletedAt"
>;

/** The first choice that fits the visitor, of choosers that compileChoices has made; undefined for the link's url. */
export function chooseDestination(targetingRules: readonly TargetingRule[], traits: Traits): Destination | undefined {
  const look = new Look(traits);
  for (const chooser of targetingRules) {
    const destination = chooser(look);
    if (destination !== undefined) return destination;
  }
  return undefined;
}

/**
 * The choosers of a link in their order; `toPlainLocation` makes a url as stored one that a header can hold. It makes others
 * only where `version` is another one too.
 */
export function compileTargetingRules(
  row: TargetingColumns,
  toPlainLocation: (url: string) => string,
  version: string,
): readonly TargetingRule[] {
  const { rules, ios, android, geo, testVariants } = row;
  if (rules === null && ios === null && android === null && geo === null && testVariants === null) return [];
  // Written in here and not when the link is saved, so that reading it gives what was sent.
  const utm = readUtm(row.url);
  const toLocation = (url: string) => toPlainLocation(addUtm(url, utm));
  // The three texts of JSON were written by links/fields.ts, in these shapes.
  return [
    ...(rules === null ? [] : compileRules(rules, version + JSON.stringify(utm), toLocation)),
    ...(ios === null ? [] : [osRule("iOS", lazyDestination(ios, { kind: "ios" }, toLocation))]),
    ...(android === null ? [] : [osRule("Android", lazyDestination(android, { kind: "android" }, toLocation))]),
    ...(geo === null ? [] : [countryRule(JSON.parse(geo) as Record<string, string>, toLocation)]),
    ...(testVariants === null ? [] : [testRule(row, JSON.parse(testVariants) as TestVariant[], toLocation)]),
  ];
}

/** A choice that is made for the first visitor who gets it: a link may have hundreds, and most visitors get the same. */
function lazyDestination(
  url: string,
  source: DestinationSource,
  toLocation: (url: string) => string,
): () => Destination {
  let destination: Destination | undefined;
  return () => {
    destination ??= { url: toLocation(url), source };
    return destination;
  };
}

/** Lists of rules remembered, of which the links of a campaign share one; twice as many at most. */
const cachedRuleListsMax = 1_000;
const cachedRuleLists = new LruCache<string, readonly TargetingRule[]>(cachedRuleListsMax);

/** `toLocationName` tells apart the functions that make other urls of the same ones. */
function compileRules(
  rules: string,
  toLocationName: string,
  toLocation: (url: string) => string,
): readonly TargetingRule[] {
  const name = toLocationName + rules;
  const known = cachedRuleLists.get(name);
  if (known !== undefined) return known;
  const targetingRules = (JSON.parse(rules) as Rule[]).map((rule, index) => linkRule(rule, index, toLocation));
  cachedRuleLists.set(name, targetingRules);
  return targetingRules;
}

/** A visitor being looked at. */
class Look {
  readonly traits: Traits;
  #place: Place | undefined;
  #agent: Agent | undefined;
  #language: string | undefined;
  #parameters: URLSearchParams | undefined;

  constructor(traits: Traits) {
    this.traits = traits;
  }

  get place(): Place {
    this.#place ??= this.traits.place();
    return this.#place;
  }

  get agent(): Agent {
    this.#agent ??= parseAgent(this.traits.userAgent);
    return this.#agent;
  }

  /** The language the visitor wants most, "" for none. A link is in some language too, so no lesser one will do. */
  get language(): string {
    this.#language ??= languagesOf(this.traits.acceptLanguage)[0] ?? "";
    return this.#language;
  }

  get parameters(): URLSearchParams {
    this.#parameters ??= new URLSearchParams(this.traits.query);
    return this.#parameters;
  }
}

type Condition = (look: Look) => boolean;

function linkRule({ when, url }: Rule, index: number, toLocation: (url: string) => string): TargetingRule {
  const conditions = compileConditions(when);
  const destination = lazyDestination(url, { kind: "rule", index }, toLocation);
  return (look) => {
    for (const holds of conditions) if (!holds(look)) return undefined;
    return destination();
  };
}

function osRule(os: string, destination: () => Destination): TargetingRule {
  return (look) => (look.agent.os === os ? destination() : undefined);
}

function countryRule(geo: Record<string, string>, toLocation: (url: string) => string): TargetingRule {
  const destinations = new Map<string, Destination>();
  return ({ place: { country } }) => {
    const known = destinations.get(country);
    const url = known === undefined && Object.hasOwn(geo, country) ? geo[country] : undefined;
    if (url === undefined) return known;
    const destination: Destination = { url: toLocation(url), source: { kind: "geo", country } };
    destinations.set(country, destination);
    return destination;
  };
}

function compileConditions(when: RuleConditions): readonly Condition[] {
  const { before, after, query, language, device, os, browser, country, region, continent } = when;
  const conditions: Condition[] = [];
  if (after !== undefined) conditions.push(({ traits }) => traits.now >= after);
  if (before !== undefined) conditions.push(({ traits }) => traits.now < before);
  if (country !== undefined) conditions.push(oneOf(country, ({ place }) => place.country));
  if (continent !== undefined) conditions.push(oneOf(continent, ({ place }) => place.continent));
  if (region !== undefined) conditions.push(oneOf(region, ({ place }) => place.region));
  if (query !== undefined) conditions.push(queryCondition(query));
  if (language !== undefined) conditions.push(languageCondition(listOf(language)));
  if (device !== undefined) conditions.push(oneOf(device, ({ agent }) => agent.device));
  if (os !== undefined) conditions.push(oneOfNames(os, ({ agent }) => agent.os));
  if (browser !== undefined) conditions.push(oneOfNames(browser, ({ agent }) => agent.browser));
  return conditions;
}

function listOf(values: string | readonly string[]): readonly string[] {
  return typeof values === "string" ? [values] : values;
}

/** What is unknown of a visitor is "", which no rule lists. */
function oneOf(values: string | readonly string[], read: (look: Look) => string): Condition {
  if (typeof values === "string") return (look) => read(look) === values;
  return (look) => values.includes(read(look));
}

/** Names of systems and browsers are written in any case. */
function oneOfNames(values: string | readonly string[], read: (look: Look) => string): Condition {
  const wanted = new Set(listOf(values).map((value) => value.toLowerCase()));
  return (look) => wanted.has(read(look).toLowerCase());
}

function queryCondition(query: Record<string, string>): Condition {
  const wanted = Object.entries(query);
  // The query is only taken apart where there is one.
  return (look) => look.traits.query !== "" && wanted.every(([name, value]) => look.parameters.has(name, value));
}

/** "de" fits de-AT too, as in RFC 4647, 3.3.1. */
function languageCondition(ranges: readonly string[]): Condition {
  return ({ language }) =>
    ranges.some(
      (range) => language.startsWith(range) && (language.length === range.length || language[range.length] === "-"),
    );
}

/**
 * The variants of a test, each for its share of the visitors while the test runs. A test without a start has begun,
 * and one without an end goes on. Shares that do not add up to 100 % are parts of their sum.
 */
function testRule(
  { id, testStartedAt, testCompletedAt }: TargetingColumns,
  variants: readonly TestVariant[],
  toLocation: (url: string) => string,
): TargetingRule {
  const sum = variants.reduce((total, { percentage }) => total + percentage, 0);
  let sharesBefore = 0;
  const parts = variants.map(({ url, percentage }, index) => {
    sharesBefore += percentage;
    const destination = lazyDestination(url, { kind: "testVariant", index }, toLocation);
    return { destination, below: (sharesBefore / sum) * hashes };
  });
  return ({ traits }) => {
    if (testStartedAt !== null && testStartedAt > traits.now) return undefined;
    if (testCompletedAt !== null && testCompletedAt <= traits.now) return undefined;
    const hash = visitorNumber(id, traits);
    return (parts.find(({ below }) => hash < below) ?? parts.at(-1))?.destination();
  };
}

const hashes = 2 ** 32;

/**
 * A number below `hashes` that is always the same for a visitor of a link, so that a visitor meets one variant, without
 * a cookie and with nothing kept. xxHash32 gives the same on every machine and in every release.
 */
function visitorNumber(linkId: string, { address, userAgent }: Traits): number {
  return Bun.hash.xxHash32(`${linkId}\n${address}\n${userAgent}`);
}
