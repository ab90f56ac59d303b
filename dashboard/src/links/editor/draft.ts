import type { Schemas } from "../../../../sdk/client.ts";
import { localTime } from "../../base/local-time.ts";
import type { Link } from "../links-api.ts";
import { instantOf, type RuleDraft, ruleDraftOf, ruleOf } from "./rule-draft.ts";
import { readUtm } from "./utm.ts";

type Fields = Schemas["LinkChanges"];

/** The placeholder of a password that is set; sending it back changes nothing. */
export const passwordPlaceholder = "********";

/** A link as its form holds it: texts as typed, "" for unset fields, times in local time. */
export type Draft = {
  url: string;
  domain: string;
  key: string;
  externalId: string;
  tenantId: string;
  comments: string;
  tagIds: string[];
  folderId: string;
  password: string;
  startsAt: string;
  expiresAt: string;
  expiredUrl: string;
  maxClicks: string;
  redirectStatus: string;
  forwardPath: boolean;
  rules: RuleDraft[];
  ios: string;
  android: string;
  geo: { country: string; url: string }[];
  testVariants: { url: string; percentage: string }[];
  testStartedAt: string;
  testCompletedAt: string;
  title: string;
  description: string;
  image: string;
  video: string;
  proxy: boolean;
  rewrite: boolean;
  doIndex: boolean;
  trackConversion: boolean;
  archived: boolean;
};

/** The form of a new link. A domain of "" is the API's default. */
export function newDraft(): Draft {
  return emptyDraft;
}

const emptyDraft: Draft = {
  url: "",
  domain: "",
  key: "",
  externalId: "",
  tenantId: "",
  comments: "",
  tagIds: [],
  folderId: "",
  password: "",
  startsAt: "",
  expiresAt: "",
  expiredUrl: "",
  maxClicks: "",
  redirectStatus: "",
  forwardPath: false,
  rules: [],
  ios: "",
  android: "",
  geo: [],
  testVariants: [],
  testStartedAt: "",
  testCompletedAt: "",
  title: "",
  description: "",
  image: "",
  video: "",
  proxy: false,
  rewrite: false,
  doIndex: false,
  trackConversion: false,
  archived: false,
};

/**
 * The form of an existing link. The same link always gives the same form, so that changesOf finds what a person
 * changed.
 */
export function draftOf(link: Link): Draft {
  return {
    url: link.url,
    domain: link.domain,
    key: link.key,
    externalId: link.externalId ?? "",
    tenantId: link.tenantId ?? "",
    comments: link.comments ?? "",
    tagIds: link.tags.map(({ id }) => id),
    folderId: link.folderId ?? "",
    password: link.password === null ? "" : passwordPlaceholder,
    startsAt: link.startsAt === undefined ? "" : localTime(link.startsAt),
    expiresAt: timeOf(link.expiresAt),
    expiredUrl: link.expiredUrl ?? "",
    maxClicks: link.maxClicks === undefined ? "" : String(link.maxClicks),
    redirectStatus: link.redirectStatus === undefined ? "" : String(link.redirectStatus),
    forwardPath: link.forwardPath ?? false,
    rules: link.rules?.map(ruleDraftOf) ?? [],
    ios: link.ios ?? "",
    android: link.android ?? "",
    geo: Object.entries(link.geo ?? {}).map(([country, url]) => ({ country, url })),
    testVariants: link.testVariants?.map(({ url, percentage }) => ({ url, percentage: String(percentage) })) ?? [],
    testStartedAt: timeOf(link.testStartedAt),
    testCompletedAt: timeOf(link.testCompletedAt),
    title: link.title ?? "",
    description: link.description ?? "",
    image: link.image ?? "",
    video: link.video ?? "",
    proxy: link.proxy,
    rewrite: link.rewrite,
    doIndex: link.doIndex,
    trackConversion: link.trackConversion,
    archived: link.archived,
  };
}

/**
 * The form of a new link like another one, without the fields that must be unique and without the password, which
 * cannot be read.
 */
export function copyOf(link: Link): Draft {
  return { ...draftOf(link), key: "", externalId: "", password: "", archived: false };
}

function timeOf(instant: string | null): string {
  return instant === null ? "" : localTime(instant);
}

/** The API body of a changed form: only the fields that differ. */
export function changesOf(before: Draft, after: Draft): Fields {
  const changes: Fields = {};
  const isChanged = (name: keyof Draft) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  for (const name of Object.keys(writers)) {
    if (isWritten(name) && isChanged(name)) Object.assign(changes, writers[name](after));
  }
  return changes;
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
/** Invalid moments are sent unchanged and refused; null would remove the stored one. */
const momentOf = (text: string) => instantOf(text) ?? orNull(text);
const statuses = [301, 302, 307, 308] as const;

/** TABLE of what each field of the form writes. */
const writers = {
  // The UTM parameters are written too; otherwise removed ones would return to the URL.
  url: ({ url }) => ({ url, ...utmOf(url) }),
  domain: ({ domain }) => ({ domain }),
  key: ({ key }) => ({ key: key.trim() }),
  externalId: ({ externalId }) => ({ externalId: orNull(externalId) }),
  tenantId: ({ tenantId }) => ({ tenantId: orNull(tenantId) }),
  comments: ({ comments }) => ({ comments: orNull(comments) }),
  tagIds: ({ tagIds }) => ({ tagIds }),
  folderId: ({ folderId }) => ({ folderId: orNull(folderId) }),
  password: ({ password }) => ({ password: password === "" ? null : password }),
  startsAt: ({ startsAt }) => ({ startsAt: momentOf(startsAt) }),
  expiresAt: ({ expiresAt }) => ({ expiresAt: momentOf(expiresAt) }),
  expiredUrl: ({ expiredUrl }) => ({ expiredUrl: orNull(expiredUrl) }),
  maxClicks: ({ maxClicks }) => ({ maxClicks: maxClicks.trim() === "" ? null : Number(maxClicks) }),
  redirectStatus: ({ redirectStatus }) => ({
    redirectStatus: statuses.find((status) => String(status) === redirectStatus) ?? null,
  }),
  forwardPath: ({ forwardPath }) => ({ forwardPath }),
  rules: ({ rules }) => ({ rules: rules.length === 0 ? null : rules.map(ruleOf) }),
  ios: ({ ios }) => ({ ios: orNull(ios) }),
  android: ({ android }) => ({ android: orNull(android) }),
  geo: ({ geo }) => ({
    geo: geo.length === 0 ? null : Object.fromEntries(geo.map(({ country, url }) => [country.trim(), url])),
  }),
  testVariants: ({ testVariants }) =>
    testVariants.length === 0
      ? { testVariants: null }
      : {
          testVariants: testVariants.map(({ url, percentage }) => ({ url, percentage: Number(percentage) })),
        },
  testStartedAt: ({ testStartedAt }) => ({ testStartedAt: momentOf(testStartedAt) }),
  testCompletedAt: ({ testCompletedAt }) => ({ testCompletedAt: momentOf(testCompletedAt) }),
  title: ({ title }) => ({ title: orNull(title) }),
  description: ({ description }) => ({ description: orNull(description) }),
  image: ({ image }) => ({ image: orNull(image) }),
  video: ({ video }) => ({ video: orNull(video) }),
  proxy: ({ proxy }) => ({ proxy }),
  rewrite: ({ rewrite }) => ({ rewrite }),
  doIndex: ({ doIndex }) => ({ doIndex }),
  trackConversion: ({ trackConversion }) => ({ trackConversion }),
  archived: ({ archived }) => ({ archived }),
} satisfies { [Name in keyof Draft]: (draft: Draft) => Fields };

function isWritten(name: string): name is keyof typeof writers {
  return Object.hasOwn(writers, name);
}

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

const randomKeyLength = 7;
/** Without characters that look alike, as the API's own random keys. */
const readable = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";

/** A random key. */
export function randomKey(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(randomKeyLength));
  return Array.from(numbers, (number) => readable[number % readable.length]).join("");
}
