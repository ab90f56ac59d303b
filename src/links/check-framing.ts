/**
 * Finds out which destinations refuse to be shown in a frame. Links with `rewrite` to such a destination redirect
 * instead.
 *
 * 1. The row of a link in framingChecks schedules its check. The transaction that creates a link with `rewrite`,
 *    changes its URL or turns `rewrite` on writes that row.
 * 2. The check runs outside any transaction and sends the request that a visitor's browser would send: the server
 *    cannot see from a visit whether the frame stayed empty. A destination that does not answer is checked a few more
 *    times; until then the link is framed.
 * 3. A verdict is stored only if the link still has the URL that was checked; otherwise the row waits for the check of
 *    the new URL.
 * 4. Workspaces take turns, so that one with a hundred thousand links to sites that never answer does not keep the others
 *    waiting.
 * 5. A verdict is recorded as an event, so that the redirects' lookup forgets the link. No person made this change, so
 *    the link's history does not show it.
 */
import { sql } from "kysely";
import { fetchHead, type SafeFetchDeps } from "../base/safe-fetch.ts";
import { hourMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { refusesFrame } from "./framing.ts";
import type { LinkRow } from "./link.ts";

/** Time limit for one destination, redirects included. */
const checkTimeoutMs = 5_000;
/** Destinations that one run checks, all at the same time. */
const concurrentChecksMax = 5;
/** Pauses before a destination that does not answer is checked again; after the last one it is left alone. */
const retryAfterMs = [hourMs / 6, hourMs, 24 * hourMs];

/** Dependencies of the check. */
export type FramingDeps = { db: Db; now: () => number; safeFetch: SafeFetchDeps; appUrl: URL; turn: FramingTurn };

/** The workspace that had the last turn; 0 before the first one. */
export type FramingTurn = { workspaceId: number };

type Verdict = "allowed" | "refused" | "unknown";

/** Schedules checks for links with `rewrite`: new ones, and those whose URL or `rewrite` changed. */
export async function scheduleFramingChecks(
  tx: Tx,
  links: readonly Pick<LinkRow, "id" | "workspaceId" | "rewrite">[],
  now: number,
) {
  const rows = links
    .filter(({ rewrite }) => rewrite === 1)
    .map(({ id, workspaceId }) => ({ linkId: id, workspaceId, dueAt: now, tries: 0 }));
  if (rows.length === 0) return;
  await tx
    .insertInto("framingChecks")
    .values(rows)
    .onConflict((conflict) => conflict.column("linkId").doUpdateSet({ dueAt: now, tries: 0 }))
    .execute();
}

/** True when a change of a link requires a new check. */
export function needsFramingCheck({ before, after }: { before: LinkRow; after: LinkRow }): boolean {
  return after.rewrite === 1 && (before.rewrite !== 1 || before.url !== after.url);
}

/** Checks the destinations that are due, a few at the same time, and returns how many there were. */
export async function checkFramings(deps: FramingDeps): Promise<number> {
  const due = await nextDueLinks(deps);
  await Promise.all(
    due.map(async (link) => {
      const verdict = link.rewrite === 1 ? await fetchVerdict(deps, link) : "unknown";
      await transact(deps.db, async (tx) => await storeVerdict(deps, tx, link, verdict));
    }),
  );
  return due.length;
}

/** The due links of the next workspaces, longest waiting first; as many of each as there is room for. */
async function nextDueLinks({ db, now, turn }: FramingDeps): Promise<DueLink[]> {
  const at = now();
  let workspaceIds = await dueWorkspaces(db, turn.workspaceId, at);
  if (workspaceIds.length === 0 && turn.workspaceId > 0) workspaceIds = await dueWorkspaces(db, 0, at);
  turn.workspaceId = workspaceIds.at(-1) ?? 0;
  const due: DueLink[] = [];
  for (const workspaceId of workspaceIds) {
    const links = dueLinksOf(db, workspaceId, at).limit(Math.ceil(concurrentChecksMax / workspaceIds.length));
    due.push(...(await links.execute()));
  }
  return due.slice(0, concurrentChecksMax);
}

/** The next workspaces after this one with due links, found without reading the rows of each: one may have many. */
async function dueWorkspaces(db: Db, after: number, now: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive "turns" ("id") as (
      select (select min("workspaceId") from "framingChecks" where "workspaceId" > ${after})
      union all
      select (select min("workspaceId") from "framingChecks" where "workspaceId" > "turns"."id")
      from "turns" where "turns"."id" is not null
    )
    select "id" from "turns"
    where "id" is not null
      and exists (select 1 from "framingChecks" where "workspaceId" = "turns"."id" and "dueAt" <= ${now})
    limit ${concurrentChecksMax}`.execute(db);
  return rows.map(({ id }) => id);
}

function dueLinksOf(db: Db, workspaceId: number, now: number) {
  return db
    .selectFrom("framingChecks")
    .innerJoin("links", "links.id", "framingChecks.linkId")
    .innerJoin("domains", "domains.id", "links.domainId")
    .select(["links.id", "links.url", "links.rewrite", "domains.slug", "domains.isInstance", "framingChecks.tries"])
    .where("framingChecks.workspaceId", "=", workspaceId)
    .where("framingChecks.dueAt", "<=", now)
    .orderBy("framingChecks.dueAt");
}

type DueLink = { id: string; url: string; rewrite: number; slug: string; isInstance: number; tries: number };

const requestHeaders = {
  // Contains "bot", so that a destination that counts its visitors ignores this request.
  "User-Agent": "Mozilla/5.0 (compatible; Waypost-bot; asks whether a page may be framed)",
  Accept: "text/html,*/*;q=0.8",
  "Accept-Encoding": "identity",
  "Sec-Fetch-Dest": "iframe",
  "Sec-Fetch-Mode": "navigate",
  "Sec-Fetch-Site": "cross-site",
  Connection: "close",
};

async function fetchVerdict({ safeFetch, appUrl }: FramingDeps, { url, slug, isInstance }: DueLink): Promise<Verdict> {
  // The same origin as in shortLinkOf. Its port does not matter to frame-ancestors 'self'.
  const origin = isInstance === 1 ? appUrl.origin : `https://${slug}`;
  const response = await fetchHead(safeFetch, { url, headers: requestHeaders, budgetMs: checkTimeoutMs });
  if (response.kind !== "answered") return "unknown";
  // Browsers refuse to show an unencrypted page inside an encrypted one.
  if (origin.startsWith("https:") && response.url.startsWith("http:")) return "refused";
  if (refusesFrame(framingFields(response.headers), { url: response.url, origin })) return "refused";
  return response.status < 400 ? "allowed" : "unknown";
}

function framingFields(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const joined = (name: string) => [headers[name] ?? []].flat().join(",");
  return {
    "content-security-policy": joined("content-security-policy"),
    "x-frame-options": joined("x-frame-options"),
  };
}

async function storeVerdict({ now }: FramingDeps, tx: Tx, due: DueLink, verdict: Verdict): Promise<void> {
  const link = await lockedLink(tx, due.id);
  if (link === undefined) return;
  // The row now schedules the check of another URL.
  if (link.url !== due.url) return;
  const pauseMs = retryAfterMs[due.tries];
  if (verdict === "unknown" && link.rewrite === 1 && pauseMs !== undefined) {
    const later = { dueAt: now() + pauseMs, tries: due.tries + 1 };
    await tx.updateTable("framingChecks").set(later).where("linkId", "=", link.id).execute();
    return;
  }
  await tx.deleteFrom("framingChecks").where("linkId", "=", link.id).execute();
  if (verdict === "unknown" || link.framing === verdict) return;
  await tx.updateTable("links").set({ framing: verdict }).where("id", "=", link.id).execute();
  await emit(
    tx,
    eventBy({ workspaceId: link.workspaceId, userId: null }, "link.framingChecked", link.id, now(), {
      domainId: link.domainId,
      foldedKey: link.foldedKey,
      framing: verdict,
    }),
  );
}

/** Like lockLink, for the service itself: in any workspace. */
async function lockedLink(tx: Tx, id: string) {
  return await tx
    .updateTable("links")
    .set((row) => ({ updatedAt: row.ref("updatedAt") }))
    .where("id", "=", id)
    .returning(["id", "workspaceId", "domainId", "foldedKey", "url", "rewrite", "framing"])
    .executeTakeFirst();
}
