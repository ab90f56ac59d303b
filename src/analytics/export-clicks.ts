import type { Actor } from "../access/actor.ts";
import { afterFirstChunk } from "../base/growing-file.ts";
import { Problem } from "../base/problem.ts";
import type { ExportFormat } from "../clicks/export.ts";
import type { Grouping } from "../clicks/query.ts";
import { type ReportDeps, type ResolvedSelection, resolveSelection, type SelectionInput } from "./click-selection.ts";
import type { ExportStream, Exports } from "./exports.ts";
import { findSlugs } from "./report-analytics.ts";

/** Domains of the clicks of one export that are told by what they are called now; of more, those with most clicks. */
const domainsMax = 10_000;

/** Which clicks are exported, as what, and whether their length must be known first. */
type ExportInput = SelectionInput & { format: ExportFormat; needsLength?: boolean };

/** What exports of clicks work with. */
export type ExportDeps = ReportDeps & { exports: Pick<Exports, "begin"> };

/** An export of clicks, and the stretch of time it is about. */
export type ClicksExport = ExportStream & Pick<ResolvedSelection, "range">;

/**
 * Begins to export all clicks that match, as a stream; `signal` is aborted when nobody wants it any more.
 * Resolves with its first bytes, so that a failure before them is a refusal; a later failure fails the stream.
 * Throws as reportAnalytics, and as Exports.begin.
 */
export async function exportClicks(
  deps: ExportDeps,
  actor: Actor,
  { format, needsLength, ...question }: ExportInput,
  signal: AbortSignal,
): Promise<ClicksExport> {
  const { range, selection } = await resolveSelection(deps, actor, question);
  const grouping: Grouping = { kind: "dimension", dimension: "domainId", rowsMax: domainsMax };
  const clicked = await deps.pipeline.query({ ...selection, grouping });
  const slugs = await findSlugs(
    deps.db,
    clicked.map(({ value }) => String(value)),
  );
  const domains = Array.from(slugs, ([value, label]) => ({ value, label }));
  const order = { selection, format, domains, userId: actor.userId, needsLength };
  const { clicks, length, stream } = await orUnavailable(deps.exports.begin(order, signal));
  return { range, clicks, length, stream: await orUnavailable(afterFirstChunk(stream)) };
}

async function orUnavailable<Result>(begun: Promise<Result>): Promise<Result> {
  try {
    return await begun;
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem("unavailable", "The export could not be written; ask for it again.", { cause: error });
  }
}

/** Finds what is wrong with a question, as exportClicks does, and exports nothing. */
export async function checkExport(
  deps: ReportDeps,
  actor: Actor,
  question: SelectionInput,
): Promise<ResolvedSelection["range"]> {
  return (await resolveSelection(deps, actor, question)).range;
}
