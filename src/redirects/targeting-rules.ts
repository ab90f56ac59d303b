/**
 * The targeting rules of a link, compiled once when the link is looked up: they choose destinations for some visitors.
 *
 * 1. The first rule that fits the visitor wins, in this order: the link's own rules, `ios`, `android`, `geo`, the
 *    variants of its A/B test; without any, the link's URL. So own rules, the most exact ones, override the others, and
 *    a test splits only the visitors that no other rule sends elsewhere.
 * 2. A visitor's place, agent and language are found out when a condition needs them, once per visit.
 * 3. Within a rule the cheap conditions come first: the clock, then the place, which the click needs anyway.
 */

import { LruCache } from "../base/lru-cache.ts";
import type { LinksTable } from "../database/schema.ts";
import { addUtm, readUtm } from "../links/destination-url.ts";
import type { Rule, RuleConditions } from "../links/link-rules.ts";
import type { TestVariant } from "../links/test-variants.ts";
import type { VisitorAttributes } from "./visitor-attributes.ts";

/** Where a link names a destination; an index counts from 0. */
export type DestinationSource =
  | { kind: "url" | "ios" | "android" }
  | { kind: "rule" | "testVariant"; index: number }
  | { kind: "geo"; country: string };

/** A destination and where the link names it. */
export type Destination = { url: string; source: DestinationSource };

/** Returns the visitor's destination, or undefined when the rule does not fit. */
export type TargetingRule = (visitor: VisitorAttributes) => Destination | undefined;

/** The columns that hold targeting rules. */
export type TargetingColumns = Pick<
  LinksTable,
  "id" | "url" | "rules" | "ios" | "android" | "geo" | "testVariants" | "testStartedAt" | "testCompletedAt"
>;

/** The destination of the first rule that fits the visitor; undefined for the link's own URL. */
export function chooseDestination(
  targetingRules: readonly TargetingRule[],
  visitor: VisitorAttributes,
): Destination | undefined {
  for (const rule of targetingRules) {
    const destination = rule(visitor);
    if (destination !== undefined) return destination;
  }
  return undefined;
}

/**
 * Compiles the targeting rules of a link, in their order. `toPlainLocation` turns a stored URL into a Location value; a
 * function that returns other values must come with another `version`.
 */
export function compileTargetingRules(
  row: TargetingColumns,
  toPlainLocation: (url: string) => string,
  version: string,
): readonly TargetingRule[] {
  const { rules, ios, android, geo, testVariants } = row;
  if (rules === null && ios === null && android === null && geo === null && testVariants === null) return [];
  // Added here and not when the link is saved, so that the API returns what the client sent.
  const utm = readUtm(row.url);
  const toLocation = (url: string) => toPlainLocation(addUtm(url, utm));
  // Validated when the link was saved, so the three JSON texts have these shapes.
  return [
    ...(rules === null ? [] : compileRules(rules, version + JSON.stringify(utm), toLocation)),
    ...(ios === null ? [] : [osRule("iOS", lazyDestination(ios, { kind: "ios" }, toLocation))]),
    ...(android === null ? [] : [osRule("Android", lazyDestination(android, { kind: "android" }, toLocation))]),
    ...(geo === null ? [] : [countryRule(JSON.parse(geo) as Record<string, string>, toLocation)]),
    ...(testVariants === null ? [] : [testRule(row, JSON.parse(testVariants) as TestVariant[], toLocation)]),
  ];
}

/** A destination built for its first visitor: a link may have hundreds, and most visitors get the same one. */
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

/** The size of the cache of compiled rule lists, which the links of a campaign share. */
const cachedRuleListsMax = 1_000;
const cachedRuleLists = new LruCache<string, readonly TargetingRule[]>(cachedRuleListsMax);

/** Functions that return different values for one URL must come with different versions. */
function compileRules(rules: string, version: string, toLocation: (url: string) => string): readonly TargetingRule[] {
  const cacheKey = version + rules;
  const known = cachedRuleLists.get(cacheKey);
  if (known !== undefined) return known;
  const targetingRules = (JSON.parse(rules) as Rule[]).map((rule, index) => linkRule(rule, index, toLocation));
  cachedRuleLists.set(cacheKey, targetingRules);
  return targetingRules;
}

type Condition = (visitor: VisitorAttributes) => boolean;

function linkRule({ when, url }: Rule, index: number, toLocation: (url: string) => string): TargetingRule {
  const conditions = compileConditions(when);
  const destination = lazyDestination(url, { kind: "rule", index }, toLocation);
  return (visitor) => {
    for (const holds of conditions) if (!holds(visitor)) return undefined;
    return destination();
  };
}

function osRule(os: string, destination: () => Destination): TargetingRule {
  return (visitor) => (visitor.agent.os === os ? destination() : undefined);
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
  if (after !== undefined) conditions.push(({ now }) => now >= after);
  if (before !== undefined) conditions.push(({ now }) => now < before);
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

/** An unknown value is "", which no rule lists. */
function oneOf(values: string | readonly string[], read: (visitor: VisitorAttributes) => string): Condition {
  if (typeof values === "string") return (visitor) => read(visitor) === values;
  return (visitor) => values.includes(read(visitor));
}

/** Rules may spell names of systems and browsers in any case. */
function oneOfNames(values: string | readonly string[], read: (visitor: VisitorAttributes) => string): Condition {
  const wanted = new Set(listOf(values).map((value) => value.toLowerCase()));
  return (visitor) => wanted.has(read(visitor).toLowerCase());
}

function queryCondition(query: Record<string, string>): Condition {
  const wanted = Object.entries(query);
  // Only a query that exists is parsed.
  return (visitor) => visitor.query !== "" && wanted.every(([name, value]) => visitor.hasParameter(name, value));
}

/** "de" also fits de-AT (RFC 4647, 3.3.1). */
function languageCondition(ranges: readonly string[]): Condition {
  return ({ language }) =>
    ranges.some(
      (range) => language.startsWith(range) && (language.length === range.length || language[range.length] === "-"),
    );
}

/**
 * An A/B test: while it runs, each variant gets its share of the visitors. A test without a start has started, and one
 * without an end continues. Shares that do not add up to 100 % are scaled to do so.
 */
function testRule(
  { id, testStartedAt, testCompletedAt }: TargetingColumns,
  variants: readonly TestVariant[],
  toLocation: (url: string) => string,
): TargetingRule {
  const sum = variants.reduce((total, { percentage }) => total + percentage, 0);
  let sharesBefore = 0;
  const ranges = variants.map(({ url, percentage }, index) => {
    sharesBefore += percentage;
    const destination = lazyDestination(url, { kind: "testVariant", index }, toLocation);
    return { destination, below: (sharesBefore / sum) * hashes };
  });
  return (visitor) => {
    if (testStartedAt !== null && testStartedAt > visitor.now) return undefined;
    if (testCompletedAt !== null && testCompletedAt <= visitor.now) return undefined;
    const hash = visitorNumber(id, visitor);
    return (ranges.find(({ below }) => hash < below) ?? ranges.at(-1))?.destination();
  };
}

const hashes = 2 ** 32;

/**
 * A number below `hashes`, always the same for a visitor of a link: so each visitor sees one variant, without a cookie
 * or stored state. xxHash32 gives the same value on every machine and in every release.
 */
function visitorNumber(linkId: string, { address, userAgent }: VisitorAttributes): number {
  return Bun.hash.xxHash32(`${linkId}\n${address}\n${userAgent}`);
}
