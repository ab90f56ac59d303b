import type { Actor } from "../access/actor.ts";
import { type Clock, isoTime } from "../base/time.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import type { ClickSelection, Metric } from "../clicks/query.ts";
import { type ComparisonInput, comparedPeriod, type Period } from "./compared-period.ts";
import { type FilterInput, parseBots, parseFilters } from "./filters.ts";
import {
  type Bucket,
  intervalMsFor,
  needsEarliest,
  type Range,
  type RangeInput,
  resolveRange,
  sumIntoBuckets,
} from "./interval.ts";
import { findScope, type ScopeDeps, type ScopeInput, scopeInputOf } from "./scope.ts";

/**
 * Resolves the parameters of a report into a selection of clicks and a period.
 *
 * 1. Every selection names the actor's workspace.
 * 2. A name or filter always narrows the result. An empty one is refused: it never means "everything".
 */

/** The metrics of a report. */
export const metrics = ["clicks", "visitors"] as const satisfies readonly Metric[];

/** The parameters that select clicks. */
export type SelectionInput = ScopeInput & RangeInput & FilterInput & { bots?: string | undefined };

/** The metric, and the period with which the report is compared. */
export type ReportOptions = ComparisonInput & { metric?: Metric | undefined };

/** The dependencies of reports. */
export type ReportDeps = ScopeDeps & { pipeline: Pick<Pipeline, "query" | "firstClick">; now: Clock };

/**
 * The selected clicks within their period, and the compared period if a comparison is requested. A period that begins
 * with the workspace is not compared.
 */
export type ResolvedSelection = { range: Range; selection: ClickSelection; previous: Period | undefined };

/**
 * Resolves the parameters. Throws "not_found" for an unknown link, domain, folder or tag, "unprocessable_entity" for a
 * malformed value, "unavailable" while the store cannot answer.
 */
export async function resolveSelection(
  deps: ReportDeps,
  actor: Actor,
  { compare, compareStart, compareEnd, metric: _, ...input }: SelectionInput & ReportOptions,
): Promise<ResolvedSelection> {
  const selected = await selectClicks(deps, actor, input);
  const now = deps.now();
  const startsAtEarliest = needsEarliest(input);
  const earliest = startsAtEarliest ? await skipEmptyTime(deps, actor.workspaceId, 0) : now;
  const range = resolveRange(input, { now, earliest });
  const { from, to } = range;
  const previous = comparedPeriod(range, { compare, compareStart, compareEnd }, now);
  return { range, selection: { ...selected, from, to }, previous: startsAtEarliest ? undefined : previous };
}

/** Resolves the parameters except the period. Throws like resolveSelection. */
export async function selectClicks(
  deps: ScopeDeps,
  actor: Actor,
  input: ScopeInput & FilterInput & { bots?: string | undefined },
): Promise<Omit<ClickSelection, "from" | "to">> {
  const bots = parseBots(input);
  const filters = parseFilters(input);
  const scope = await findScope(deps, actor, scopeInputOf(input));
  return { workspaceId: actor.workspaceId, bots, filters: [...scope, ...filters] };
}

/**
 * The most intervals that are read as rows and added up on the thread that answers visitors; for more, the store adds them
 * up.
 */
const intervalRowsMax = 5_000;

/** Counts the clicks of each bucket, and the visitors if the metric is "visitors". Ascending, zeros included. */
export async function countBuckets(
  { pipeline }: Pick<ReportDeps, "pipeline">,
  selection: ClickSelection,
  starts: readonly number[],
  metric: Metric = "clicks",
): Promise<Bucket[]> {
  const intervalMs = intervalMsFor(starts);
  const intervals = (selection.to - selection.from) / intervalMs;
  if (metric === "clicks" && intervals <= intervalRowsMax) {
    const rows = await pipeline.query({ ...selection, grouping: { kind: "intervals", intervalMs } });
    return sumIntoBuckets(rows, intervalMs, starts);
  }
  const rows = await pipeline.query({ ...selection, metric, grouping: { kind: "buckets", starts } });
  const byIndex = new Map(rows.map((row) => [row.value, row]));
  return starts.map((start, index) => {
    return { start: isoTime(start), ...counted(byIndex.get(index), metric) };
  });
}

/**
 * The clicks of the buckets of a compared period that correspond to the buckets of a report; fewer if that period is
 * shorter. Further buckets of a longer one are left out.
 */
export async function countComparedBuckets(
  deps: Pick<ReportDeps, "pipeline">,
  selection: ClickSelection,
  { previous, bucketsMax, metric }: { previous: Period; bucketsMax: number; metric: Metric | undefined },
): Promise<Bucket[]> {
  const { from, starts } = previous;
  const to = starts[bucketsMax] ?? previous.to;
  return await countBuckets(deps, { ...selection, from, to }, starts.slice(0, bucketsMax), metric);
}

/** Counts the clicks, and the visitors if the metric is "visitors". */
export async function countClicks(
  { pipeline }: Pick<ReportDeps, "pipeline">,
  selection: ClickSelection,
  metric: Metric = "clicks",
): Promise<Counted> {
  const [row] = await pipeline.query({ ...selection, metric, grouping: { kind: "count" } });
  return counted(row, metric);
}

/** A number of clicks, and of visitors if the metric is "visitors". */
export type Counted = { clicks: number; visitors?: number };

/** The numbers of a row; zeros for a missing row. */
export function counted(row: Counted | undefined, metric: Metric = "clicks"): Counted {
  const clicks = row?.clicks ?? 0;
  return metric === "visitors" ? { clicks, visitors: row?.visitors ?? 0 } : { clicks };
}

/**
 * The later of `from` and the earliest instant with something to report: the creation of the workspace, or its first click
 * of any class if that is earlier, as after a change of the clock.
 */
export async function skipEmptyTime(
  { db, pipeline }: Pick<ReportDeps, "db" | "pipeline">,
  workspaceId: number,
  from: number,
): Promise<number> {
  const { createdAt } = await db
    .selectFrom("workspaces")
    .select("createdAt")
    .where("id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  if (from >= createdAt) return from;
  return Math.max(from, (await pipeline.firstClick({ workspaceId, before: createdAt })) ?? createdAt);
}
