import { z } from "zod";
import { LinksVerified, VerifiedWorkspace } from "../admin/verify-clicks.ts";
import { isoTime, isoTimeOrNull } from "../base/time.ts";
import type { RollupRecount } from "../clicks/recount.ts";
import { CliError } from "./cli-error.ts";
import { Progress } from "./progress.ts";
import { type RunOperation, runOperations } from "./run-operation.ts";
import { printVerification, type Verification } from "./verify-clicks-report.ts";

/** The workspace (default: all), whether to correct differences, and the form of the report. */
export type VerifyOptions = { workspace?: number; fix?: true; json?: true };

/** How many differences of each kind are listed; all are counted. */
const differencesMax = 1_000;
/** How many calls may pass without progress of the store. */
const stalledCallsMax = 3;

/**
 * Compares counts with the stored clicks and prints the differences; true when none is left.
 * Throws "not_found" for an unknown workspace.
 */
export async function verifyClicks({ workspace, fix, json }: VerifyOptions): Promise<boolean> {
  const found = await runOperations((run) => verify(run, workspace, fix === true));
  printVerification(found, { corrects: fix === true, asJson: json === true });
  return found.differences === found.corrected;
}

async function verify(run: RunOperation, workspace: number | undefined, corrects: boolean): Promise<Verification> {
  const listed = await run("clicks workspaces", workspace === undefined ? {} : { workspace });
  const workspaces = z.array(VerifiedWorkspace).parse(listed);
  const found: Verification = {
    ...{
      workspaces: workspaces.length,
      links: 0,
      approximate: 0,
      quarters: 0,
      isComplete: true,
      differences: 0,
      corrected: 0,
      linksAboveStored: 0,
    },
    linkDifferences: { count: 0, rows: [] },
    quarterDifferences: { count: 0, rows: [] },
  };
  const progress = new Progress(
    "links",
    workspaces.reduce((sum, { links }) => sum + links, 0),
  );
  for (const { id } of workspaces) {
    await verifyLinks(run, id, corrects, found, () => progress.advance(found.links));
    await verifyQuarters(run, id, corrects, found);
  }
  return found;
}

async function verifyLinks(
  run: RunOperation,
  workspaceId: number,
  corrects: boolean,
  found: Verification,
  onPage: () => void,
): Promise<void> {
  for (let after: string | null = ""; after !== null; ) {
    const page = await comparedLinks(run, { workspaceId, after, corrects });
    found.links += page.links;
    found.approximate += page.approximate;
    found.isComplete &&= page.isComplete;
    const rows = page.differences.map(({ linkId, found: { clicks, lastClicked }, right, isCorrected }) => ({
      ...{ workspaceId, linkId, clicks, storedClicks: right.clicks },
      lastClicked: isoTimeOrNull(lastClicked),
      storedLastClicked: isoTimeOrNull(right.lastClicked),
      isCorrected,
    }));
    note(found, found.linkDifferences, rows, rows.length);
    found.linksAboveStored += rows.filter(({ clicks, storedClicks }) => clicks > storedClicks).length;
    found.corrected += rows.filter(({ isCorrected }) => isCorrected).length;
    onPage();
    // Terminates, because each page ends after the previous one.
    after = page.next;
  }
}

/** Returns a compared page; waits while the store is far behind. */
async function comparedLinks(run: RunOperation, input: { workspaceId: number; after: string; corrects: boolean }) {
  let least = Number.POSITIVE_INFINITY;
  for (let stalledCalls = 0; stalledCalls < stalledCallsMax; ) {
    const verified = LinksVerified.parse(await run("clicks links", input));
    if (verified.kind === "compared") return verified;
    if (verified.bytes >= least) stalledCalls++;
    least = Math.min(least, verified.bytes);
    process.stderr.write(
      `The click store is ${verified.bytes.toLocaleString("en")} bytes behind the links; waiting.\n`,
    );
  }
  throw new CliError(
    "The click store does not catch up with the links' counters. waypost doctor may show why; waypost nodes shows nodes that do not run.",
  );
}

const Recount = z.object({
  compared: z.int(),
  differences: z.array(z.object({ from: z.int(), isBot: z.boolean(), rollupClicks: z.int(), storedClicks: z.int() })),
  differencesCount: z.int(),
}) satisfies z.ZodType<RollupRecount>;

async function verifyQuarters(
  run: RunOperation,
  workspaceId: number,
  corrects: boolean,
  found: Verification,
): Promise<void> {
  const recount = Recount.parse(await run("clicks recount", { workspaceId, corrects }));
  found.quarters += recount.compared;
  const rows = recount.differences.map(({ from, isBot, rollupClicks, storedClicks }) => ({
    ...{ workspaceId, from: isoTime(from), isBot, clicks: rollupClicks, storedClicks, isCorrected: corrects },
  }));
  note(found, found.quarterDifferences, rows, recount.differencesCount);
  if (corrects) found.corrected += recount.differencesCount;
}

function note<Row>(
  found: Verification,
  kind: { count: number; rows: Row[] },
  rows: readonly Row[],
  count: number,
): void {
  found.differences += count;
  kind.count += count;
  kind.rows.push(...rows.slice(0, differencesMax - kind.rows.length));
}
