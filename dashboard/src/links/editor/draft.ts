import type { Schemas } from "../../../../sdk/client.ts";
import { fieldValueOf, instantAt } from "../../base/time-text.ts";
import { shareMax, shareMin } from "../bounds.ts";
import { type DraftFieldName, type DraftFieldOf, draftFields, edgeOf, isOfKind } from "../link-fields.ts";
import type { Link } from "../links-api.ts";
import { type RuleDraft, ruleDraftOf, ruleOf } from "./rule-draft.ts";
import { readUtm } from "./utm.ts";

type Fields = Schemas["LinkChanges"];

/** The placeholder of a password that is set; sending it back changes nothing. */
export const passwordPlaceholder = "********";

/** TABLE of the values of custom fields, as the form holds them. */
type CustomValues = {
  url: string;
  domain: string;
  key: string;
  tagIds: string[];
  password: string;
  redirectStatus: string;
  rules: RuleDraft[];
  geo: { country: string; url: string }[];
  testVariants: { url: string; percentage: string }[];
};

/** A link as its form holds it: texts as typed, "" for unset fields, times as days or local times. */
export type Draft = {
  [Name in DraftFieldName]: Name extends DraftFieldOf<"custom">
    ? CustomValues[Name]
    : Name extends DraftFieldOf<"flag">
      ? boolean
      : string;
};

/** The form of a new link. A domain of "" is the API's default. */
export function newDraft(): Draft {
  return emptyDraft;
}

/**
 * The form of an existing link. The same link always gives the same form, so that changesOf finds what a person
 * changed.
 */
export function draftOf(link: Link): Draft {
  return draftWith((name) => (isOfKind(name, "custom") ? custom[name].read(link) : typedValue(name, link[name])));
}

function draftWith(read: (name: DraftFieldName) => unknown): Draft {
  // Every name gets the value of its kind.
  return Object.fromEntries(draftFields.map((name) => [name, read(name)])) as unknown as Draft;
}

/** The value of a field that is not custom, as a person would type it. */
function typedValue(name: DraftFieldName, value: unknown): string | boolean {
  if (isOfKind(name, "flag")) return value === true;
  if (value === null || value === undefined) return "";
  return isOfKind(name, "instant") ? fieldValueOf(String(value), edgeOf(name)) : String(value);
}

/**
 * The form of a new link like another one, without the fields that must be unique and without the password, which
 * cannot be read.
 */
export function copyOf(link: Link): Draft {
  return { ...draftOf(link), key: "", externalId: "", password: "", archived: false };
}

/** The API body of a changed form: only the fields that differ. */
export function changesOf(before: Draft, after: Draft): Fields {
  const changes: Fields = {};
  for (const name of draftFields) {
    if (JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      Object.assign(changes, writtenFields(name, after));
  }
  return changes;
}

function writtenFields(name: DraftFieldName, draft: Draft): Fields {
  if (isOfKind(name, "custom")) return custom[name].write(draft);
  if (isOfKind(name, "flag")) return { [name]: draft[name] };
  const text = draft[name];
  // Invalid instants are sent unchanged and refused; null would remove the stored one.
  if (isOfKind(name, "instant")) return { [name]: instantAt(text, edgeOf(name)) ?? orNull(text) };
  if (isOfKind(name, "number")) return { [name]: text.trim() === "" ? null : Number(text) };
  return { [name]: orNull(text) };
}

/** The API body of a new link. A domain of "" is the default one, a key of "" a random one. */
export function creationOf(draft: Draft): Schemas["NewLink"] {
  const { domain, key, ...fields } = changesOf(emptyDraft, draft);
  return {
    ...fields,
    url: draft.url,
    ...(domain !== undefined && domain !== "" && { domain }),
    ...(key !== undefined && key !== "" && { key }),
  };
}

const orNull = (text: string) => (text.trim() === "" ? null : text.trim());
const statuses = [301, 302, 307, 308] as const;

/** How a custom field is read from a link, and what its form writes. */
type Conversion<Name extends DraftFieldName> = {
  unset: Draft[Name];
  read(link: Link): Draft[Name];
  write(draft: Draft): Fields;
};

/** TABLE of the conversions of custom fields. */
const custom: { [Name in DraftFieldOf<"custom">]: Conversion<Name> } = {
  url: {
    unset: "",
    read: ({ url }) => url,
    // The UTM parameters are written too; otherwise removed ones would return to the URL.
    write: ({ url }) => ({ url, ...utmOf(url) }),
  },
  domain: { unset: "", read: ({ domain }) => domain, write: ({ domain }) => ({ domain }) },
  key: { unset: "", read: ({ key }) => key, write: ({ key }) => ({ key: key.trim() }) },
  tagIds: { unset: [], read: ({ tags }) => tags.map(({ id }) => id), write: ({ tagIds }) => ({ tagIds }) },
  password: {
    unset: "",
    read: ({ password }) => (password === null ? "" : passwordPlaceholder),
    write: ({ password }) => ({ password: password === "" ? null : password }),
  },
  redirectStatus: {
    unset: "",
    read: ({ redirectStatus }) => (redirectStatus === undefined ? "" : String(redirectStatus)),
    write: ({ redirectStatus }) => ({
      redirectStatus: statuses.find((status) => String(status) === redirectStatus) ?? null,
    }),
  },
  rules: {
    unset: [],
    read: ({ rules }) => rules?.map(ruleDraftOf) ?? [],
    write: ({ rules }) => ({ rules: rules.length === 0 ? null : rules.map(ruleOf) }),
  },
  geo: {
    unset: [],
    read: ({ geo }) => Object.entries(geo ?? {}).map(([country, url]) => ({ country, url })),
    write: ({ geo }) => ({
      geo: geo.length === 0 ? null : Object.fromEntries(geo.map(({ country, url }) => [country.trim(), url])),
    }),
  },
  testVariants: {
    unset: [],
    read: ({ testVariants }) =>
      testVariants?.map(({ url, percentage }) => ({ url, percentage: String(percentage) })) ?? [],
    write: ({ testVariants }) => ({
      testVariants:
        testVariants.length === 0
          ? null
          : testVariants.map(({ url, percentage }) => ({ url, percentage: Number(percentage) })),
    }),
  },
};

const emptyDraft = draftWith((name) => (isOfKind(name, "custom") ? custom[name].unset : typedValue(name, null)));

function utmOf(url: string): Fields {
  return Object.fromEntries(Object.entries(readUtm(url)).map(([name, value]) => [name, value === "" ? null : value]));
}

/** A country that is listed twice, which the API cannot store; undefined for none. */
export function duplicateCountry(geo: Draft["geo"]): string | undefined {
  const codes = geo.map(({ country }) => country.trim());
  return codes.find((code, index) => code !== "" && codes.indexOf(code) !== index);
}

/** The sum that the shares of a test must have. */
export const percentTotal = 100;

/** The sum of the shares of a test. */
export function percentageSum(variants: Draft["testVariants"]): number {
  return variants.reduce((sum, { percentage }) => sum + (Number(percentage) || 0), 0);
}

/** Divides 100 percent among the variants, as equally as whole numbers allow. */
export function divideEvenly(variants: Draft["testVariants"]): Draft["testVariants"] {
  const share = Math.floor(percentTotal / variants.length);
  const rest = percentTotal - share * variants.length;
  return variants.map(({ url }, index) => ({ url, percentage: String(share + (index < rest ? 1 : 0)) }));
}

type Variants = Draft["testVariants"];

/** Of two variants, gives the other one what a changed share leaves; changes nothing else. */
export function complemented(before: readonly Variants[number][], after: Variants): Variants {
  const changed = after.findIndex(({ percentage }, index) => percentage !== before[index]?.percentage);
  const share = Number(after[changed]?.percentage);
  const isShare = Number.isInteger(share) && share >= shareMin && share <= shareMax;
  if (after.length !== 2 || before.length !== 2 || !isShare) return after;
  const left = String(percentTotal - share);
  return after.map((variant, index) => (index === changed ? variant : { ...variant, percentage: left }));
}

const randomKeyLength = 7;
/** Without characters that look alike, as the API's own random keys. */
const readable = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";

/** A random key. */
export function randomKey(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(randomKeyLength));
  return Array.from(numbers, (number) => readable[number % readable.length]).join("");
}
