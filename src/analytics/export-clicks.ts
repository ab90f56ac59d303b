import type { Actor } from "../access/actor.ts";
import { afterFirstChunk } from "../base/growing-file.ts";
import { Problem } from "../base/problem.ts";
import type { ExportFormat } from "../clicks/export.ts";
import type { Grouping } from "../clicks/query.ts";
import { type ReportDeps, type ResolvedSelection, resolveSelection, type SelectionInput } from "./click-selection.ts";
import type { ExportStream, Exports } from "./exports.ts";
import { findSlugs } from "./report-analytics.ts";

/** The most domains of one export that get their current names; if there are more, those with the most clicks. */
const domainsMax = 10_000;

/** The selected clicks, the format, and whether the client needs the length first. */
type ExportInput = SelectionInput & { format: ExportFormat; needsLength?: boolean };

/** The dependencies of exports of clicks. */
export type ExportDeps = ReportDeps & { exports: Pick<Exports, "begin"> };

/** An export of clicks and its period. */
export type ClicksExport = ExportStream & Pick<ResolvedSelection, "range">;

/**
 * Begins to export all matching clicks as a stream, until `signal` is aborted. Resolves with the first bytes, so that
 * an earlier failure becomes a problem; a later failure fails the stream.
 * Throws like reportAnalytics and Exports.begin.
 */
export async function exportClicks(
  deps: ExportDeps,
  actor: Actor,
  { format, needsLength, ...input }: ExportInput,
  signal: AbortSignal,
): Promise<ClicksExport> {
  const { range, selection } = await resolveSelection(deps, actor, input);
  const grouping: Grouping = { kind: "dimension", dimension: "domainId", rowsMax: domainsMax };
  const clicked = await deps.pipeline.query({ ...selection, grouping });
  const slugs = await findSlugs(
    deps.db,
    clicked.map(({ value }) => String(value)),
  );
  const domains = Array.from(slugs, ([value, label]) => ({ value, label }));
  const request = { selection, format, domains, userId: actor.userId, needsLength };
  const { clicks, length, stream } = await orUnavailable(deps.exports.begin(request, signal));
  return { range, clicks, length, stream: await orUnavailable(afterFirstChunk(stream)) };
}

async function orUnavailable<Result>(begun: Promise<Result>): Promise<Result> {
  try {
    return await begun;
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem("unavailable", "The export could not be written; request it again.", { cause: error });
  }
}

/** Checks the parameters like exportClicks, and exports nothing. */
export async function checkExport(
  deps: ReportDeps,
  actor: Actor,
  input: SelectionInput,
): Promise<ResolvedSelection["range"]> {
  return (await resolveSelection(deps, actor, input)).range;
}
