/**
 * The icons of links' destinations, which the dashboard shows. The server fetches them, so that a member's browser tells
 * no other server which links it shows.
 *
 * 1. A user sees only the icons of links in their own workspaces. Workspaces share no rows: otherwise, an icon that is
 *    there at once would show that another workspace has a link to the same site.
 * 2. No request waits for another server: the first one begins the fetch and is told that the icon is pending.
 * 3. Bounds: fetches at once and waiting ones, in all and of one user in all workspaces; bytes of an icon; rows in all
 *    and of one workspace. The rows that were fetched first make room.
 * 4. An origin without a usable icon has a row too, so that it is not asked again at each visit of the list.
 */
import type { SelectQueryBuilder } from "kysely";
import type { Log } from "../base/log.ts";
import type { SafeFetchDeps } from "../base/safe-fetch.ts";
import { Semaphore } from "../base/semaphore.ts";
import { type Clock, dayMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import type { Schema } from "../database/schema.ts";
import { transact } from "../database/transact.ts";
import { fetchIcon } from "./fetch-icon.ts";
import type { IconImage } from "./icon-image.ts";

/** Icons fetched at the same time, in all and for one user: a site that never answers takes a place for 20 seconds. */
const fetchesMax = 12;
const fetchesPerUserMax = 3;
/** Icons that wait to be fetched, in all and for one user; further ones are fetched when asked for again. */
const waitingMax = 200;
const waitingPerUserMax = 50;
/**
 * Rows of the table: about 25 MB, 220 MB if each icon is as large as it may be. Known weakness: five workspaces with links
 * to 1,000 sites each remove the icons of all others, which are then fetched again. If that happens, the workspace with
 * the most rows must make room.
 */
const iconsMax = 5_000;
const iconsPerWorkspaceMax = 1_000;
/** Rows that one transaction removes at most; each adds one. */
const batchRowsMax = 10;
/** An older row is fetched again when a user needs it, which still sees the old icon. */
const iconFreshMs = 14 * dayMs;
/** As iconFreshMs, for an origin without an icon. */
const absenceFreshMs = dayMs;

type Deps = { db: Db; now: Clock; safeFetch: SafeFetchDeps; log: Pick<Log, "warn"> };

/** A site to which a workspace has a link. */
type Site = { workspaceId: number; origin: string };

/** An icon; "pending" while it is fetched, "absent" if the destination has none. */
type DestinationIcon = { kind: "found"; image: IconImage } | { kind: "pending" } | { kind: "absent" };

/** The icons, and the fetches that are running or waiting. */
export class DestinationIcons {
  readonly #deps: Deps;
  readonly #semaphore = new Semaphore({
    runningMax: fetchesMax,
    runningPerPartyMax: fetchesPerUserMax,
    waitingMax,
    waitingPerPartyMax: waitingPerUserMax,
  });
  readonly #fetches = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The icon of a link's destination; undefined unless the user is a member of the link's workspace. */
  async find(userId: string, linkId: string): Promise<DestinationIcon | undefined> {
    const { db, now } = this.#deps;
    const link = await linkOfMember(db, userId, linkId);
    if (link === undefined) return undefined;
    const origin = webOrigin(link.url);
    if (origin === undefined) return { kind: "absent" };
    const { workspaceId } = link;
    const row = await db
      .selectFrom("destinationIcons")
      .select(["type", "image", "fetchedAt"])
      .where("workspaceId", "=", workspaceId)
      .where("origin", "=", origin)
      .executeTakeFirst();
    const freshMs = row?.type == null ? absenceFreshMs : iconFreshMs;
    if (row === undefined || now() - row.fetchedAt > freshMs) this.#begin({ workspaceId, origin }, userId);
    if (row === undefined) return { kind: "pending" };
    if (row.type === null || row.image === null) return { kind: "absent" };
    return { kind: "found", image: { type: row.type, bytes: Uint8Array.from(Buffer.from(row.image, "base64")) } };
  }

  /** Resolves when no fetch is running or waiting. */
  async settled(): Promise<void> {
    await Promise.all(this.#fetches.values());
  }

  /** Ends all fetches. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.settled();
  }

  #begin(site: Site, userId: string): void {
    const { signal } = this.#closing;
    const key = `${site.workspaceId} ${site.origin}`;
    if (this.#fetches.has(key) || signal.aborted) return;
    const fetched = this.#semaphore
      .run(() => this.#fetch(site), { party: userId, signal })
      .then(
        () => {},
        // The next request for this icon tries again.
        (error: unknown) => this.#deps.log.warn("The icon of a destination could not be stored.", { error }),
      )
      .finally(() => this.#fetches.delete(key));
    this.#fetches.set(key, fetched);
  }

  async #fetch(site: Site): Promise<void> {
    const { db, now, safeFetch } = this.#deps;
    const { signal } = this.#closing;
    const icon = await fetchIcon({ safeFetch, signal }, site.origin);
    if (!signal.aborted) await storeIcon(db, site, icon, now());
  }
}

/** Scheme, host and port of a destination; undefined for apps. */
function webOrigin(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, origin } = new URL(url);
  return protocol === "https:" || protocol === "http:" ? origin : undefined;
}

async function linkOfMember(db: Db, userId: string, linkId: string) {
  return await db
    .selectFrom("links")
    .innerJoin("members", "members.workspaceId", "links.workspaceId")
    .select(["links.url", "links.workspaceId"])
    .where("links.id", "=", linkId)
    .where("members.userId", "=", userId)
    .executeTakeFirst();
}

async function storeIcon(db: Db, site: Site, icon: IconImage | undefined, fetchedAt: number): Promise<void> {
  const values = {
    type: icon?.type ?? null,
    image: icon === undefined ? null : Buffer.from(icon.bytes).toString("base64"),
    fetchedAt,
  };
  await transact(db, async (tx) => {
    await tx
      .insertInto("destinationIcons")
      .values({ ...site, ...values })
      .onConflict((conflict) => conflict.columns(["workspaceId", "origin"]).doUpdateSet(values))
      .execute();
    await removeOldest(
      tx,
      tx.selectFrom("destinationIcons").where("workspaceId", "=", site.workspaceId),
      iconsPerWorkspaceMax,
    );
    await removeOldest(tx, tx.selectFrom("destinationIcons"), iconsMax);
  });
}

async function removeOldest(
  tx: Tx,
  icons: SelectQueryBuilder<Schema, "destinationIcons", object>,
  keptMax: number,
): Promise<void> {
  const oldest = await icons
    .select(["workspaceId", "origin"])
    .orderBy("fetchedAt", "desc")
    .offset(keptMax)
    .limit(batchRowsMax)
    .execute();
  for (const { workspaceId, origin } of oldest) {
    await tx
      .deleteFrom("destinationIcons")
      .where("workspaceId", "=", workspaceId)
      .where("origin", "=", origin)
      .execute();
  }
}
