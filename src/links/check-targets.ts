import { currentBlocks } from "../access/blocks.ts";
import { invalid } from "../base/problem.ts";
import { yieldIfSliceSpent } from "../base/time-slices.ts";
import type { Tx } from "../database/outbox.ts";
import { followLinks, hopsMax, type TargetNode } from "./follow-links.ts";
import { type FollowedLink, fallsBackToDomain, type Targets, targetColumns, targetsOf } from "./link-targets.ts";

/**
 * Refuses links to a host that the operator has blocked, and links that lead back to themselves through other short
 * links of this service; see follow-links.ts.
 *
 * Known weakness: on PostgreSQL, a loop that two calls close at the same moment is not found. Browsers give up after
 * about twenty redirects.
 */

/** True when a link can send visitors elsewhere than before. */
export function hasOtherTargets(before: FollowedLink, after: FollowedLink): boolean {
  return (
    fallsBackToDomain(before) !== fallsBackToDomain(after) ||
    [...targetColumns, "forwardPath" as const].some((column) => before[column] !== after[column])
  );
}

/**
 * Checks the targets of links that the transaction has stored. Throws what refuseBlockedHosts and refuseLoops throw.
 */
export async function checkTargets(tx: Tx, links: readonly FollowedLink[], appUrl: URL): Promise<void> {
  await refuseBlockedHosts(tx, links);
  await refuseLoops(tx, links, appUrl);
}

/** Throws "unprocessable_entity" and names the field when a stored link has a target on a blocked host. */
export async function refuseBlockedHosts(tx: Tx, links: readonly Targets[]): Promise<void> {
  const blocks = await currentBlocks(tx);
  if (!blocks.hasHosts) return;
  for (const link of links) {
    await yieldIfSliceSpent();
    const refused = targetsOf(link).find(([, url]) => blocks.hasHostOf(url));
    if (refused !== undefined)
      throw invalid(refused[0], "leads to a host that the operator of this service has blocked.");
  }
}

/**
 * Throws "unprocessable_entity" and names the field when a stored link leads back to itself within hopsMax hops. Throws
 * what followLinks throws.
 */
async function refuseLoops(tx: Tx, links: readonly FollowedLink[], appUrl: URL): Promise<void> {
  for (const start of await followLinks(tx, links, appUrl)) {
    await yieldIfSliceSpent();
    const field = fieldOfLoop(start);
    if (field !== undefined) {
      throw invalid(field, "leads back to this link, which causes a redirect loop.");
    }
  }
}

function fieldOfLoop(start: TargetNode): string | undefined {
  const seen = new Set<TargetNode>();
  let edges = start.edges;
  for (let hop = 0; hop < hopsMax && edges.length > 0; hop++) {
    const next: typeof edges = [];
    for (const { field, to } of edges) {
      if (to.link?.id === start.link?.id) return field;
      if (seen.has(to)) continue;
      seen.add(to);
      for (const edge of to.edges) next.push({ field, to: edge.to });
    }
    edges = next;
  }
  return undefined;
}
