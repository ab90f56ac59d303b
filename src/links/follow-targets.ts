import { currentBlocks } from "../access/blocks.ts";
import { invalid } from "../base/problem.ts";
import { rest } from "../base/time-slices.ts";
import type { Tx } from "../database/outbox.ts";
import { decodedPath, lookupKey } from "./key.ts";
import type { FieldColumns, StoredLink, TestVariant } from "./link.ts";
import type { Rule } from "./link-rules.ts";

/**
 * Refuses links that lead to a host that the operator has blocked, and links that lead back to themselves by way of other
 * short links of this service.
 *
 * All targets of a link are followed, hop by hop, as long as they are short links here. A target that only some visitors
 * reach counts like any other: for them the loop is real. Pending domains are followed too, since they may be verified
 * later. Each hop takes two queries for a domain; links whose targets are all elsewhere take one query in all.
 *
 * Known weakness: a loop through forwardPath, whose path grows with each round, is not found; nor is one that two calls
 * close at the same moment on PostgreSQL. Browsers give up on both after some twenty redirects.
 */

/** Redirects followed from one target. */
export const hopsMax = 10;
/** Links followed for one call; what lies beyond them is not looked at. */
const followedLinksMax = 1_000;
/** Values named in one query. */
const namedMax = 1_000;

type Targets = Pick<FieldColumns, "url" | "rules" | "ios" | "android" | "geo" | "testVariants" | "expiredUrl">;
type Saved = Targets & Pick<StoredLink, "id">;
/** A target on its way: where it began. */
type Step = { from: Saved; field: string; url: string };

/** Whether a link has other targets than before. */
export function hasOtherTargets(before: Targets, after: Targets): boolean {
  return targetColumns.some((column) => before[column] !== after[column]);
}

const targetColumns = ["url", "rules", "ios", "android", "geo", "testVariants", "expiredUrl"] as const;

/** Judges the targets of links that the transaction has stored. Throws as refuseBlockedHosts and refuseLoops. */
export async function checkTargets(tx: Tx, links: readonly Saved[], appUrl: URL): Promise<void> {
  await refuseBlockedHosts(tx, links);
  await refuseLoops(tx, links, appUrl);
}

/**
 * Throws "unprocessable_entity" naming the field when one of the links, as the transaction has stored them, leads back to
 * itself within hopsMax hops.
 */
async function refuseLoops(tx: Tx, links: readonly Saved[], appUrl: URL): Promise<void> {
  let steps = links.flatMap((link) => targetsOf(link).map(([field, url]): Step => ({ from: link, field, url })));
  const seen = new Set<string>();
  for (let hop = 0; hop < hopsMax && steps.length > 0 && seen.size < followedLinksMax; hop++) {
    const next: Step[] = [];
    for (const { step, link } of await linksAt(tx, steps, appUrl)) {
      if (link.id === step.from.id) {
        throw invalid(step.field, "leads back to this link, so that visitors would go round in circles.");
      }
      const way = `${step.from.id} ${link.id}`;
      if (seen.has(way)) continue;
      seen.add(way);
      next.push(...targetsOf(link).map(([, url]): Step => ({ ...step, url })));
    }
    steps = next;
  }
}

/** Throws "unprocessable_entity" naming the field when one of the links, as stored, has a target on a blocked host. */
async function refuseBlockedHosts(tx: Tx, links: readonly Saved[]): Promise<void> {
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

type Reached = { step: Step; link: Saved };

async function linksAt(tx: Tx, steps: readonly Step[], appUrl: URL): Promise<Reached[]> {
  const byHost = Map.groupBy(
    steps.flatMap((step) => {
      const url = URL.parse(step.url);
      return url !== null && /^https?:$/.test(url.protocol) ? [{ step, url }] : [];
    }),
    ({ url }) => url.hostname,
  );
  const reached: Reached[] = [];
  for (const domain of await domainsOf(tx, [...byHost.keys()])) {
    const visits = (byHost.get(domain.slug) ?? []).flatMap(({ step, url }) => {
      // With its port, since another service may have the same name beside the instance.
      const isHere = domain.isInstance === 1 ? url.host === appUrl.host : url.port === "";
      const path = decodedPath(url.pathname);
      return isHere && path !== undefined ? [{ step, foldedKey: lookupKey(path, domain) }] : [];
    });
    const links = await linksWith(tx, domain.id, [...new Set(visits.map(({ foldedKey }) => foldedKey))]);
    for (const { step, foldedKey } of visits) {
      const link = links.get(foldedKey);
      if (link !== undefined) reached.push({ step, link });
    }
  }
  return reached;
}

async function domainsOf(tx: Tx, slugs: readonly string[]) {
  const domains = [];
  for (let start = 0; start < slugs.length; start += namedMax) {
    const part = slugs.slice(start, start + namedMax);
    const query = tx.selectFrom("domains").select(["id", "slug", "isInstance", "caseSensitive"]);
    domains.push(...(await query.where("slug", "in", part).limit(namedMax).execute()));
  }
  return domains;
}

async function linksWith(tx: Tx, domainId: string, foldedKeys: readonly string[]): Promise<Map<string, Saved>> {
  const found = new Map<string, Saved>();
  for (let start = 0; start < foldedKeys.length; start += namedMax) {
    const rows = await tx
      .selectFrom("links")
      .select(["id", "foldedKey", ...targetColumns])
      .where("domainId", "=", domainId)
      .where("foldedKey", "in", foldedKeys.slice(start, start + namedMax))
      .execute();
    for (const row of rows) found.set(row.foldedKey, row);
  }
  return found;
}
