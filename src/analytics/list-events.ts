import type { Actor } from "../access/actor.ts";
import { hourMs } from "../base/time.ts";
import type { Click } from "../clicks/click.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import type { ClickPage } from "../clicks/query.ts";
import { findLinksById } from "../links/find-links.ts";
import type { Link } from "../links/link.ts";
import { type ClickQuestion, prepare, type ReportDeps } from "./question.ts";
import { findSlugs } from "./report-analytics.ts";

/** Bounds of a page of events. */
export const eventPageMax = 1_000;
export const eventLimitMax = 1_000;

/** What happened can be listed for; only clicks happen so far. */
export const listedEvents = ["clicks", "leads", "sales"] as const;

/** Which events are asked for, and which part of them. */
export type EventQuestion = ClickQuestion & {
  event: (typeof listedEvents)[number];
  /** From 1. */
  page: number;
  limit: number;
  order: ClickPage["order"];
};

/** A click with what its link and its domain are called now; both as the click has them once they are gone. */
export type ClickEvent = { click: Click; link: Link | undefined; domain: string };

/** The first piece of time that is looked at for a page, and how much longer each next one is. */
const firstLookMs = hourMs;
const lookGrowth = 8;

/**
 * One page of the clicks that match, in order of time.
 * Throws as reportAnalytics.
 */
export async function listEvents(
  deps: ReportDeps & { pipeline: Pick<Pipeline, "page"> },
  actor: Actor,
  { event, page, limit, order, ...question }: EventQuestion,
): Promise<ClickEvent[]> {
  const { selection } = await prepare(deps, actor, question);
  if (event !== "clicks") return [];
  const asked: ClickPage = { ...selection, order, offset: (page - 1) * limit, limit };
  return await describeClicks(deps, actor, await findPage(deps.pipeline, asked, deps.now()));
}

/** Clicks of the actor's workspace with what belongs to them now. Bound: the caller's. */
export async function describeClicks(
  deps: Pick<ReportDeps, "db">,
  actor: Actor,
  clicks: readonly Click[],
): Promise<ClickEvent[]> {
  const links = await findLinksById(deps, actor, [...new Set(clicks.map(({ linkId }) => linkId))]);
  const slugs = await findSlugs(deps.db, [...new Set(clicks.map(({ domainId }) => domainId))]);
  return clicks.map((click) => ({
    click,
    link: links.get(click.linkId),
    domain: slugs.get(click.domainId) ?? click.domain,
  }));
}

/**
 * The page, from the shortest stretch of time that holds it: the store keeps clicks by time, so that the newest hundred
 * of a hundred million are found among those of the last hour. Looking again in eight times as much costs no more than
 * an eighth of the last look, so that rare clicks are found about as fast as by looking at everything at once. Clicks of
 * named links are looked for in all time at once: the store has those of a link side by side, whenever they came.
 * Bound: a dozen looks, since each is eight times the one before.
 */
async function findPage(pipeline: Pick<Pipeline, "page">, page: ClickPage, now: number): Promise<Click[]> {
  const isNewestFirst = page.order === "newestFirst";
  // The rest of the current day, which most stretches reach to, holds no clicks yet.
  const newest = Math.min(page.to, now);
  if (page.filters.some(({ dimension, isExcluded }) => dimension === "linkId" && !isExcluded)) {
    return await pipeline.page(page);
  }
  for (let lengthMs = firstLookMs; ; lengthMs *= lookGrowth) {
    const from = isNewestFirst ? Math.max(page.from, newest - lengthMs) : page.from;
    const to = isNewestFirst ? page.to : Math.min(page.to, page.from + lengthMs);
    const clicks = await pipeline.page({ ...page, from, to });
    if (clicks.length === page.limit || (from === page.from && to === page.to)) return clicks;
  }
}
