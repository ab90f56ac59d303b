/** Compares the clicks of the store, the counters and the reports with the responses that visitors received. */
import { z } from "zod";
import type { SoakEditor } from "./soak-editor.ts";
import type { SoakModel, SoakVisit } from "./soak-model.ts";
import type { SoakRecord } from "./soak-record.ts";
import type { SoakedLink } from "./soaked-link.ts";

/** A click of the store, with the token of its visit and the link that its destination names. */
export type SoakedClick = {
  id: string;
  token: number;
  serial: number;
  linkId: string;
  workspaceId: number;
  isBot: boolean;
};

const groupings = ["browser", "os", "referer", "country", "device"] as const;
const Report = z.object({ clicks: z.int(), data: z.array(z.object({ clicks: z.int() })) });
const Timeseries = z.array(z.object({ clicks: z.int() }));

/** What the API reports about a workspace while no visitor comes: all clicks, and those of each live link. */
type Reported = { workspaceId: number; clicks: number; links: Map<string, number> };

/** Reads all reports of a workspace; their totals must agree. */
export async function readReports(editor: SoakEditor, record: SoakRecord): Promise<Reported> {
  const { client, workspaceId } = editor;
  const read = async (path: string) => (await client.settle("GET", path)).body;
  const { clicks } = Report.parse(await read("/analytics/clicks?interval=all"));
  const totals: Record<string, number> = {};
  for (const groupBy of groupings) {
    const { data } = Report.parse(await read(`/analytics/clicks?interval=all&groupBy=${groupBy}`));
    totals[groupBy] = sumOf(data);
  }
  totals["timeseries"] = sumOf(Timeseries.parse(await read("/analytics/timeseries?interval=90d")));
  record.requireEqual(
    `all groupings of workspace ${workspaceId} have the same total`,
    totals,
    Object.fromEntries(Object.keys(totals).map((name) => [name, clicks])),
  );
  const links = new Map<string, number>();
  for (const { id } of editor.liveLinks) {
    if (id === undefined) continue;
    const link = z.object({ clicks: z.int() }).parse(await read(`/links/${id}`));
    links.set(id, link.clicks);
  }
  return { workspaceId, clicks, links };
}

function sumOf(rows: { clicks: number }[]): number {
  return rows.reduce((sum, { clicks }) => sum + clicks, 0);
}

/** The clicks that the server has recorded as dropped. */
type Dropped = { clicks: number };

/** Compares every click of the stopped server's store with the visits, and the reports with the store. */
export function compareClicks(
  stored: readonly SoakedClick[],
  {
    model,
    reported,
    dropped,
    record,
  }: { model: SoakModel; reported: readonly Reported[]; dropped: Dropped; record: SoakRecord },
): void {
  record.count("clicks in the store", stored.length);
  record.requireEqual("no click is stored twice", new Set(stored.map(({ id }) => id)).size, stored.length);
  record.requireEqual("no visit is counted twice", new Set(stored.map(({ token }) => token)).size, stored.length);
  const tokens = new Set(stored.map(({ token }) => token));
  for (const click of stored) compareStored(click, model, record);
  requireEachCounted(tokens, model, dropped, record);
  requireReported(stored, reported, record);
}

function compareStored(click: SoakedClick, model: SoakModel, record: SoakRecord): void {
  const visit = model.visits.get(click.token);
  const link = model.links.get(click.serial);
  if (visit === undefined || link === undefined) {
    record.violate("a click is of a redirected visit", { click, visit, link });
    return;
  }
  if (link.id !== undefined && link.id !== click.linkId)
    record.violate("a click is of the visited link", { click, link });
  if (link.workspaceId !== click.workspaceId) record.violate("a click is of the link's workspace", { click, link });
  if (visit.kind === "redirected" && visit.serial !== click.serial)
    record.violate("a click is of the link of the response", { click, visit });
  if (visit.isBot !== click.isBot) record.violate("bots are marked", { click, visit });
  if (model.erased.has(click.workspaceId)) record.violate("erased clicks never return", { click, visit });
  if (purgeOf(visit, link.purges) === "purged")
    record.violate("purged clicks never return", { click, visit, purges: link.purges });
}

/** Each redirected visit has a click, unless it was purged, erased or dropped. */
function requireEachCounted(tokens: ReadonlySet<number>, model: SoakModel, dropped: Dropped, record: SoakRecord): void {
  let missingOnFullDisk = 0;
  for (const [token, visit] of model.visits) {
    if (visit.kind === "cut") {
      if (tokens.has(token)) record.count("visits cut off whose click counts");
      continue;
    }
    if (tokens.has(token)) continue;
    const link = model.links.get(visit.serial);
    if (link === undefined || model.erased.has(link.workspaceId) || purgeOf(visit, link.purges) !== "kept") {
      record.count("visits whose clicks were purged or erased");
    } else if (visit.mayBeDropped) missingOnFullDisk++;
    else record.violate("no answered click is lost", { token, visit, link });
  }
  record.count("clicks lost on the full disk", missingOnFullDisk);
  // Of the dropped clicks, some may have been purged or of cut connections.
  if (missingOnFullDisk > dropped.clicks) {
    record.violate("every lost click was counted as dropped", { missingOnFullDisk, dropped: dropped.clicks });
  }
}

/**
 * Whether the link's purges removed the click of a visit. "unclear" for a visit during a purge, and for a later visit
 * with an earlier time, after the clock was set back: it counts unless the purge was still running.
 */
function purgeOf(visit: SoakVisit, purges: SoakedLink["purges"]): "purged" | "kept" | "unclear" {
  const { at, endedAt } = visit;
  if (purges.some(({ until, sentAt }) => endedAt < sentAt && at.to <= until)) return "purged";
  return purges.every(({ until }) => at.from > until) ? "kept" : "unclear";
}

function requireReported(stored: readonly SoakedClick[], reported: readonly Reported[], record: SoakRecord): void {
  const humans = stored.filter(({ isBot }) => !isBot);
  const byWorkspace = countsOf(humans, ({ workspaceId }) => workspaceId);
  const byLink = countsOf(humans, ({ linkId }) => linkId);
  for (const { workspaceId, clicks, links } of reported) {
    record.requireEqual(
      `the reported clicks of workspace ${workspaceId} are those of the store`,
      clicks,
      byWorkspace.get(workspaceId) ?? 0,
    );
    for (const [id, count] of links) {
      record.requireEqual(`the counter of link ${id} equals its clicks in the store`, count, byLink.get(id) ?? 0);
    }
  }
}

function countsOf<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return counts;
}
