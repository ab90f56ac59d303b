import type { Actor } from "../access/actor.ts";
import type { Click } from "../clicks/click.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import type { ClickPage } from "../clicks/query.ts";
import { findLinksById } from "../links/find-links.ts";
import type { Link } from "../links/link.ts";
import { type ReportDeps, resolveSelection, type SelectionInput } from "./click-selection.ts";
import { findSlugs } from "./report-analytics.ts";

/** Limits of a page of events. */
export const eventPageMax = 1_000;
export const eventLimitMax = 1_000;

/** The event types of the API; only clicks exist so far. */
export const listedEvents = ["clicks", "leads", "sales"] as const;

/** The selected events and the page. */
type EventsInput = SelectionInput & {
  event: (typeof listedEvents)[number];
  /** From 1. */
  page: number;
  limit: number;
  order: ClickPage["order"];
};

/** A click with its link and the current name of its domain; after a deletion, with what the click recorded. */
export type ClickEvent = { click: Click; link: Link | undefined; domain: string };

/** One page of the matching clicks, in order of time. Throws like reportAnalytics. */
export async function listEvents(
  deps: ReportDeps & { pipeline: Pick<Pipeline, "page"> },
  actor: Actor,
  { event, page, limit, order, ...input }: EventsInput,
): Promise<ClickEvent[]> {
  const { selection } = await resolveSelection(deps, actor, input);
  if (event !== "clicks") return [];
  const request: ClickPage = { ...selection, order, offset: (page - 1) * limit, limit };
  return await describeClicks(deps, actor, await deps.pipeline.page(request));
}

/** Adds the current link and domain name to clicks of the actor's workspace. The caller bounds their number. */
export async function describeClicks(
  deps: Pick<ReportDeps, "db">,
  actor: Actor,
  clicks: readonly Click[],
): Promise<ClickEvent[]> {
  const [links, slugs] = await Promise.all([
    findLinksById(deps, actor, [...new Set(clicks.map(({ linkId }) => linkId))]),
    findSlugs(deps.db, [...new Set(clicks.map(({ domainId }) => domainId))]),
  ]);
  return clicks.map((click) => ({
    click,
    link: links.get(click.linkId),
    domain: slugs.get(click.domainId) ?? click.domain,
  }));
}
