import { invalid } from "../base/problem.ts";
import { continentOf } from "../clicks/continents.ts";
import { normalizeDestination } from "./destination-url.ts";

/**
 * Rules of a link: destinations for some of its visitors. The first rule in the list whose conditions all hold decides.
 */

/** Rules that one link may have. */
export const rulesMax = 50;
/** Values that one condition may list. */
export const ruleValuesMax = 50;
/** Characters of one value, and of a name or value of the query. */
export const ruleValueCharactersMax = 255;
/** Query parameters that one rule may name. */
const ruleParametersMax = 20;
/** Characters of all rules of a link together, as JSON: a listing carries the rules of each link. */
const rulesCharactersMax = 64 * 1024;

/** The properties of a visitor that a condition can compare with values. */
const ruleFields = ["country", "region", "continent", "device", "os", "browser", "language"] as const;
type RuleField = (typeof ruleFields)[number];

/** The conditions of a rule; all must hold. One value of a list suffices. Instants are milliseconds since the epoch. */
export type RuleConditions = { [Field in RuleField]?: string | string[] | undefined } & {
  /** Query parameters of the visit, and the values they must have. */
  query?: Record<string, string> | undefined;
  /** Holds before this instant. */
  before?: number | undefined;
  /** Holds from this instant on. */
  after?: number | undefined;
};

/** A destination, and the conditions of the visitors who get it. */
export type Rule = { when: RuleConditions; url: string };

/** The rules as JSON; null for an empty list. Throws "unprocessable_entity" and names the first bad field. */
export function readRules(rules: Rule[], appSchemes: readonly string[]): string | null {
  if (rules.length === 0) return null;
  if (rules.length > rulesMax) throw invalid("rules", `must have at most ${rulesMax} rules.`);
  const read = rules.map(({ when, url }, index) => ({
    when: readConditions(when, `rules.${index}.when`),
    url: normalizeDestination(url, `rules.${index}.url`, appSchemes),
  }));
  const json = JSON.stringify(read);
  if (json.length > rulesCharactersMax)
    throw invalid("rules", `must have at most ${rulesCharactersMax} characters in total.`);
  return json;
}

/** TABLE of the stored forms of values: undefined for an invalid value, and a description of a valid one. */
const readers: Record<RuleField, { read(value: string): string | undefined; right: string }> = {
  country: {
    read: (value) => (continentOf(value.toUpperCase()) === "" ? undefined : value.toUpperCase()),
    right: "an ISO 3166-1 country code such as DE",
  },
  region: {
    read: (value) => (/^[a-z]{2}-[a-z0-9]{1,3}$/i.test(value) ? value.toUpperCase() : undefined),
    right: "an ISO 3166-2 code such as US-CA",
  },
  continent: {
    read: (value) => ["AF", "AN", "AS", "EU", "NA", "OC", "SA"].find((known) => known === value.toUpperCase()),
    right: "one of AF, AN, AS, EU, NA, OC, SA",
  },
  device: {
    read: (value) => ["Desktop", "Mobile", "Tablet"].find((known) => known.toLowerCase() === value.toLowerCase()),
    right: "one of Desktop, Mobile, Tablet",
  },
  os: { read: (value) => value, right: "the name of an operating system such as iOS" },
  browser: { read: (value) => value, right: "the name of a browser such as Firefox" },
  language: {
    read: (value) => (/^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i.test(value) ? value.toLowerCase() : undefined),
    right: "a language such as de or pt-br",
  },
};

function readConditions(when: RuleConditions, field: string): RuleConditions {
  const { query, before, after } = when;
  const read: RuleConditions = {};
  for (const name of ruleFields) {
    const values = when[name];
    if (values !== undefined) read[name] = readValues(values, name, `${field}.${name}`);
  }
  if (query !== undefined) read.query = readParameters(query, `${field}.query`);
  if (before !== undefined) read.before = before;
  if (after !== undefined) read.after = after;
  if (before !== undefined && after !== undefined && before <= after) {
    throw invalid(`${field}.before`, "must be later than after; otherwise no visit matches.");
  }
  if (Object.keys(read).length === 0) {
    throw invalid(field, "must have at least one condition; visitors who match no rule get the link's url.");
  }
  return read;
}

function readValues(values: string | string[], name: RuleField, field: string): string | string[] {
  if (typeof values === "string") return readValue(values, name, field);
  if (values.length === 0 || values.length > ruleValuesMax) {
    throw invalid(field, `must have 1 to ${ruleValuesMax} values.`);
  }
  return values.map((value) => readValue(value, name, field));
}

function readValue(value: string, name: RuleField, field: string): string {
  const { read, right } = readers[name];
  const written = value.trim();
  const stored = written === "" || written.length > ruleValueCharactersMax ? undefined : read(written);
  if (stored === undefined) throw invalid(field, `must be ${right}, or a list of these.`);
  return stored;
}

function readParameters(query: Record<string, string>, field: string): Record<string, string> {
  const entries = Object.entries(query);
  if (entries.length === 0 || entries.length > ruleParametersMax) {
    throw invalid(field, `must have 1 to ${ruleParametersMax} parameters.`);
  }
  for (const [name, value] of entries) {
    if (name === "" || name.length > ruleValueCharactersMax || value.length > ruleValueCharactersMax) {
      throw invalid(field, `names must have 1 to ${ruleValueCharactersMax} characters, and values at most that many.`);
    }
  }
  return Object.fromEntries(entries);
}
