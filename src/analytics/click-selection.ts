import type { Actor } from "../access/actor.ts";
import { type Clock, isoTime } from "../base/time.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import type { ClickSelection, Metric } from "../clicks/query.ts";
import type { Db } from "../database/database.ts";
import { type FilterInput, parseBots, parseFilters } from "./filters.ts";
import {
  type Bucket,
  foldSlots,
  needsEarliest,
  type Period,
  previousPeriod,
  type Range,
  type RangeInput,
  resolveRange,
  slotMsFor,
} from "./interval.ts";
import { findScope, type ScopeInput, scopeInputOf } from "./scope.ts";

/**
 * A question about clicks, as every report and the list of events begin with it: the stretch of time and the clicks.
 *
 * 1. Every question names the actor's workspace, whatever else it asks.
 * 2. A name or filter that is given always narrows the answer; an empty one is refused, never taken for "everything".
 */

/** The metrics that can be asked for. */
export const metrics = ["clicks", "visitors"] as const satisfies readonly Metric[];

/** What a report can be compared with. */
export const comparisons = ["previous"] as const;

/** Which clicks are asked for. */
export type SelectionInput = ScopeInput & RangeInput & FilterInput & { bots?: string | undefined };

/** How the clicks are asked about: by how many visitors, too, and beside the stretch of time before. */
export type ReportOptions = {
  metric?: Metric | undefined;
  compare?: (typeof comparisons)[number] | undefined;
};

/** What reports work with. */
export type ReportDeps = { db: Db; pipeline: Pick<Pipeline, "query" | "firstClick">; now: Clock };

/**
 * The clicks meant, within their stretch of time; and the period before where a comparison was asked for. A stretch
 * that begins with the workspace has none.
 */
export type ResolvedSelection = { range: Range; selection: ClickSelection; previous: Period | undefined };

/**
 * Reads a question. Throws "not_found" for an unknown link, domain, folder or tag, "unprocessable_entity" for what
 * cannot be read, "unavailable" while the store cannot answer.
 */
export async function resolveSelection(
  deps: ReportDeps,
  actor: Actor,
  { compare, metric: _, ...question }: SelectionInput & ReportOptions,
): Promise<ResolvedSelection> {
  const selected = await selectClicks(deps, actor, question);
  const now = deps.now();
  const startsAtEarliest = needsEarliest(question);
  const earliest = startsAtEarliest ? await earliestInstant(deps, actor.workspaceId) : now;
  const range = resolveRange(question, { now, earliest });
  const { from, to } = range;
  return {
    range,
    selection: { ...selected, from, to },
    previous: compare === "previous" && !startsAtEarliest ? previousPeriod(range, now) : undefined,
  };
}

/** Which clicks a question is about, but for their time. Throws as prepare. */
export async function selectClicks(
  deps: Pick<ReportDeps, "db">,
  actor: Actor,
  question: ScopeInput & FilterInput & { bots?: string | undefined },
): Promise<Omit<ClickSelection, "from" | "to">> {
  const bots = parseBots(question);
  const filters = parseFilters(question);
  const scope = await findScope(deps, actor, scopeInputOf(question));
  return { workspaceId: actor.workspaceId, bots, filters: [...scope, ...filters] };
}

/**
 * The most slots that are answered as rows and added up here, on the thread that answers visitors; a stretch of more is
 * added up by the store.
 */
const slotRowsMax = 5_000;

/** The clicks of each bucket, ascending, zeros included, and how many visitors they are where that is asked. */
export async function countBuckets(
  { pipeline }: Pick<ReportDeps, "pipeline">,
  selection: ClickSelection,
  starts: readonly number[],
  metric: Metric = "clicks",
): Promise<Bucket[]> {
  const slotMs = slotMsFor(starts);
  const slots = (selection.to - selection.from) / slotMs;
  if (metric === "clicks" && slots <= slotRowsMax) {
    const rows = await pipeline.query({ ...selection, grouping: { kind: "intervals", intervalMs: slotMs } });
    return foldSlots(rows, slotMs, starts);
  }
  const rows = await pipeline.query({ ...selection, metric, grouping: { kind: "buckets", starts } });
  const byIndex = new Map(rows.map((row) => [row.value, row]));
  return starts.map((start, index) => {
    return { start: isoTime(start), ...counted(byIndex.get(index), metric) };
  });
}

/** The number of clicks, and of their visitors where that is asked. */
export async function countClicks(
  { pipeline }: Pick<ReportDeps, "pipeline">,
  selection: ClickSelection,
  metric: Metric = "clicks",
): Promise<Counted> {
  const [row] = await pipeline.query({ ...selection, metric, grouping: { kind: "count" } });
  return counted(row, metric);
}

/** How many clicks there were, and how many visitors they are where that is asked. */
export type Counted = { clicks: number; visitors?: number };

/** The numbers of a row alone; zeros for one that is missing. */
export function counted(row: Counted | undefined, metric: Metric = "clicks"): Counted {
  const clicks = row?.clicks ?? 0;
  return metric === "visitors" ? { clicks, visitors: row?.visitors ?? 0 } : { clicks };
}

/** When the workspace was made, or its first click of any class, if that is earlier, as after an import. */
async function earliestInstant({ db, pipeline }: ReportDeps, workspaceId: number): Promise<number> {
  const { createdAt } = await db
    .selectFrom("workspaces")
    .select("createdAt")
    .where("id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  return Math.min(createdAt, (await pipeline.firstClick(workspaceId)) ?? createdAt);
}
