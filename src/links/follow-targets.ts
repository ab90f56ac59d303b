import { currentBlocks } from "../access/blocks.ts";
import { invalid } from "../base/problem.ts";
import { rest } from "../base/time-slices.ts";
import type { Tx } from "../database/outbox.ts";
import type { DomainsTable } from "../database/schema.ts";
import { passPath } from "./destination-url.ts";
import type { FieldColumns, StoredLink, TestVariant } from "./link.ts";
import type { Rule } from "./link-rules.ts";
import { type ForwardingKey, foldedKeyOf, forwardingKeys, withoutEndMarks } from "./visited-key.ts";

/**
 * Refuses links that lead to a host that the operator has blocked, and links that lead back to themselves by way of other
 * short links of this service.
 *
 * 1. All targets of a link are followed, hop by hop, as long as they are on domains of this service. A target that only
 *    some visitors reach counts like any other: for them the loop is real. Pending domains are followed too, since they
 *    may be verified later.
 * 2. An address names the link that a visitor would meet: by its key, by the beginning of the path where a link forwards
 *    the rest, or without the marks at its end. The link of a forwarded path is followed with that path, and a link that
 *    forwards paths is followed with one too. An address without a link leads to its domain's notFoundUrl, and a link that
 *    ends and has no expiredUrl to its domain's.
 * 3. Each hop takes two queries for a domain; links whose targets are all elsewhere take one query in all.
 *
 * Known weakness: a loop that two calls close at the same moment on PostgreSQL is not found. Browsers give up on it after
 * some twenty redirects.
 */

/** Redirects followed from one target. */
export const hopsMax = 10;
/** Links followed for one call; what lies beyond them is not looked at. */
const followedLinksMax = 1_000;
/** Values named in one query. */
const namedMax = 1_000;
/** Stands for the path that a visitor adds behind the key of a link which forwards it. */
const samplePath = "/-";

type Targets = Pick<FieldColumns, "url" | "rules" | "ios" | "android" | "geo" | "testVariants" | "expiredUrl">;
type Followed = Targets & Pick<StoredLink, "id" | "domainId" | "forwardPath" | "expiresAt" | "startsAt" | "maxClicks">;
/** A target on its way: where it began. */
type Step = { from: Followed; field: string; url: string };
type Domain = Pick<DomainsTable, "id" | "slug" | "isInstance" | "caseSensitive" | "notFoundUrl" | "expiredUrl">;

/** True where a link may lead visitors elsewhere than before. */
export function hasOtherTargets(before: Followed, after: Followed): boolean {
  return followedColumns.some((column) => before[column] !== after[column]);
}

const targetColumns = ["url", "rules", "ios", "android", "geo", "testVariants", "expiredUrl"] as const;
const followedColumns = [...targetColumns, "domainId", "forwardPath", "expiresAt", "startsAt", "maxClicks"] as const;

/** Judges the targets of links that the transaction has stored. Throws as refuseBlockedHosts and refuseLoops. */
export async function checkTargets(tx: Tx, links: readonly Followed[], appUrl: URL): Promise<void> {
  await refuseBlockedHosts(tx, links);
  await refuseLoops(tx, links, appUrl);
}

/**
 * Throws "unprocessable_entity" naming the field when one of the links, as the transaction has stored them, leads back to
 * itself within hopsMax hops.
 */
async function refuseLoops(tx: Tx, links: readonly Followed[], appUrl: URL): Promise<void> {
  let steps = await firstSteps(tx, links);
  const seen = new Set<string>();
  for (let hop = 0; hop < hopsMax && steps.length > 0 && seen.size < followedLinksMax; hop++) {
    const next: Step[] = [];
    for (const { step, domain, link, rest } of await visitsOf(tx, steps, appUrl)) {
      if (link?.id === step.from.id) {
        throw invalid(step.field, "leads back to this link, so that visitors would go round in circles.");
      }
      const way = `${step.from.id} ${link?.id ?? domain.id} ${rest}`;
      if (seen.has(way)) continue;
      seen.add(way);
      next.push(...waysOn(domain, link, rest).map(([, url]): Step => ({ ...step, url })));
    }
    steps = next;
  }
}

async function firstSteps(tx: Tx, links: readonly Followed[]): Promise<Step[]> {
  const domainIds = links.flatMap((link) => (endsAtDomain(link) ? [link.domainId] : []));
  const domains = new Map((await domainsWith(tx, "id", domainIds)).map((domain) => [domain.id, domain]));
  return links.flatMap((link) => {
    const rests = link.forwardPath === 1 ? ["", samplePath] : [""];
    const ways = rests.flatMap((rest) => waysOn(domains.get(link.domainId), link, rest));
    return ways.map(([field, url]): Step => ({ from: link, field, url }));
  });
}

/** Where visitors of a link are led, with the fields that say so; without a link, those of a path that names none. */
function waysOn(domain: Domain | undefined, link: Followed | undefined, rest: string): [string, string][] {
  if (link === undefined) return domain?.notFoundUrl ? [["notFoundUrl", domain.notFoundUrl]] : [];
  const targets = targetsOf(link).map(([field, url]): [string, string] => [
    field,
    field === "expiredUrl" ? url : passPath(url, rest),
  ]);
  return endsAtDomain(link) && domain?.expiredUrl ? [...targets, ["expiresAt", domain.expiredUrl]] : targets;
}

/** True where the link's end is its domain's matter. */
function endsAtDomain({ expiredUrl, expiresAt, startsAt, maxClicks }: Followed): boolean {
  return expiredUrl === null && (expiresAt !== null || startsAt !== null || maxClicks !== null);
}

/** Throws "unprocessable_entity" naming the field when one of the links, as stored, has a target on a blocked host. */
async function refuseBlockedHosts(tx: Tx, links: readonly Targets[]): Promise<void> {
  const blocks = await currentBlocks(tx);
  if (!blocks.hasHosts) return;
  for (const link of links) {
    await rest();
    const refused = targetsOf(link).find(([, url]) => blocks.hasHostOf(url));
    if (refused !== undefined)
      throw invalid(refused[0], "leads to a host that the operator of this service has blocked.");
  }
}

/** Every url that a link may send a visitor to, with its field. The JSON was written by link-fields.ts. */
function targetsOf({ url, rules, ios, android, geo, testVariants, expiredUrl }: Targets): [string, string][] {
  const ruleList = rules === null ? [] : (JSON.parse(rules) as Rule[]);
  const countries = geo === null ? {} : (JSON.parse(geo) as Record<string, string>);
  const variants = testVariants === null ? [] : (JSON.parse(testVariants) as TestVariant[]);
  const single = { url, ios, android, expiredUrl };
  return [
    ...Object.entries(single).flatMap(([field, target]): [string, string][] => (target ? [[field, target]] : [])),
    ...ruleList.map((rule, index): [string, string] => [`rules.${index}.url`, rule.url]),
    ...Object.entries(countries).map(([country, target]): [string, string] => [`geo.${country}`, target]),
    ...variants.map((variant, index): [string, string] => [`testVariants.${index}.url`, variant.url]),
  ];
}

/** What a visitor meets who is led to a step's url; `rest` is the path that is forwarded. */
type Visit = { step: Step; domain: Domain; link: Followed | undefined; rest: string };

/** The visits that the steps make on domains of this service. */
async function visitsOf(tx: Tx, steps: readonly Step[], appUrl: URL): Promise<Visit[]> {
  const byHost = Map.groupBy(
    steps.flatMap((step) => {
      const url = URL.parse(step.url);
      return url !== null && /^https?:$/.test(url.protocol) ? [{ step, url }] : [];
    }),
    ({ url }) => url.hostname.replace(/\.$/, ""),
  );
  const visits: Visit[] = [];
  for (const domain of await domainsWith(tx, "slug", [...byHost.keys()])) {
    const here = (byHost.get(domain.slug) ?? []).flatMap(({ step, url }) => {
      // With its port, since another service may have the same name beside the instance.
      const isHere = domain.isInstance === 1 ? url.host === appUrl.host : url.port === "";
      return isHere ? [{ step, ...keysOf(url.pathname.slice(1), domain) }] : [];
    });
    const links = await linksWith(tx, domain.id, [...new Set(here.flatMap(namesOf))]);
    for (const { step, ...keys } of here) visits.push({ step, domain, ...meet(links, keys) });
  }
  return visits;
}

/** The keys that a path may name, in the order in which a visitor's request tries them. */
type Keys = { exact: string | undefined; forwarding: ForwardingKey[]; bare: string | undefined };

function keysOf(path: string, { caseSensitive }: Domain): Keys {
  const domain = { isCaseSensitive: caseSensitive === 1 };
  const exact = foldedKeyOf(path, domain);
  const bare = exact === undefined ? undefined : withoutEndMarks(exact);
  return { exact, forwarding: forwardingKeys(path, domain), bare };
}

function namesOf({ exact, forwarding, bare }: Keys): string[] {
  return [exact, bare, ...forwarding.map(({ key }) => key)].flatMap((key) => key ?? []);
}

function meet(links: ReadonlyMap<string, Followed>, { exact = "", forwarding, bare = "" }: Keys) {
  const forwarder = forwarding.find(({ key }) => links.get(key)?.forwardPath === 1);
  const [link, rest] = links.has(exact)
    ? [links.get(exact), ""]
    : forwarder !== undefined
      ? [links.get(forwarder.key), forwarder.rest]
      : [links.get(bare), ""];
  // A root link without a url is as good as none.
  return { link: link?.url === "" ? undefined : link, rest };
}

async function domainsWith(tx: Tx, column: "id" | "slug", values: readonly string[]): Promise<Domain[]> {
  const domains: Domain[] = [];
  for (let start = 0; start < values.length; start += namedMax) {
    const part = values.slice(start, start + namedMax);
    const query = tx
      .selectFrom("domains")
      .select(["id", "slug", "isInstance", "caseSensitive", "notFoundUrl", "expiredUrl"]);
    domains.push(...(await query.where(column, "in", part).limit(namedMax).execute()));
  }
  return domains;
}

async function linksWith(tx: Tx, domainId: string, foldedKeys: readonly string[]): Promise<Map<string, Followed>> {
  const found = new Map<string, Followed>();
  for (let start = 0; start < foldedKeys.length; start += namedMax) {
    const rows = await tx
      .selectFrom("links")
      .select(["id", "foldedKey", ...followedColumns])
      .where("domainId", "=", domainId)
      .where("foldedKey", "in", foldedKeys.slice(start, start + namedMax))
      .execute();
    for (const row of rows) found.set(row.foldedKey, row);
  }
  return found;
}
