import { hourMs } from "../base/time.ts";
import type { Warn } from "../base/warning.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { prepared, type Slot } from "../database/prepared.ts";
import type { Flag } from "../database/schema.ts";

/**
 * Released keys: keys that links have given up.
 *
 * 1. For keyHoldMs, only the workspace that had a key may take it: visitors of the old link must not reach another
 *    tenant's page the minute it is deleted. This matters on domains that workspaces share.
 * 2. The key of a deleted link is stored until a link takes it: visitors get 410 instead of 404, and the workspace that
 *    takes the key again is warned. Each deleted link has one row of about 100 bytes, besides the event of its deletion.
 *    The rows are deleted with their domain.
 * 3. Taking a key inserts the link first and reads its release second. On PostgreSQL, the insert waits for a
 *    transaction that is releasing the key; reading first would miss what that transaction writes.
 */

/** How long the workspace that released a key holds it. */
export const keyHoldMs = 24 * hourMs;

type DomainKey = { domainId: string; foldedKey: string };

/** Thrown for a key that this workspace cannot take before `until`; the caller must roll the transaction back. */
export class KeyHeld extends Error {
  override readonly name = "KeyHeld";
  /** Milliseconds since the epoch. */
  readonly until: number;

  constructor(until: number) {
    super();
    this.until = until;
  }
}

/** Why a key was released: its link was deleted, or has another key now. */
type ReleaseReason = "deleted" | "renamed";

/** Records that a workspace released keys. */
export async function releaseKeys(
  tx: Tx,
  keys: readonly (DomainKey & { workspaceId: number })[],
  { reason, now }: { reason: ReleaseReason; now: number },
): Promise<void> {
  if (keys.length === 0) return;
  const release = { releasedAt: now, isDeleted: reason === "deleted" ? 1 : 0 } as const;
  await tx
    .insertInto("releasedKeys")
    .values(keys.map(({ domainId, foldedKey, workspaceId }) => ({ domainId, foldedKey, workspaceId, ...release })))
    .onConflict((conflict) =>
      conflict.columns(["domainId", "foldedKey"]).doUpdateSet((row) => ({
        workspaceId: row.ref("excluded.workspaceId"),
        ...release,
      })),
    )
    .execute();
}

/** A link that takes a key. */
type NewHolder = DomainKey & { workspaceId: number; domain: string; key: string };

/**
 * Takes the keys of links that the transaction has just stored in one workspace, and returns the links whose key
 * belonged to a deleted link. Throws KeyHeld while another workspace holds one of the keys.
 */
export async function takeKeys<Link extends NewHolder>(tx: Tx, links: readonly Link[], now: number): Promise<Link[]> {
  const reusing: Link[] = [];
  for (const [domainId, onDomain] of Map.groupBy(links, (link) => link.domainId)) {
    const keys = onDomain.map(({ foldedKey }) => foldedKey);
    const own = onDomain[0]?.workspaceId;
    const released = new Map((await deleteReleases(tx, domainId, keys)).map((release) => [release.foldedKey, release]));
    for (const link of onDomain) {
      const release = released.get(link.foldedKey);
      if (release === undefined) continue;
      const until = release.releasedAt + keyHoldMs;
      if (release.workspaceId !== own && now < until) throw new KeyHeld(until);
      if (release.isDeleted === 1) reusing.push(link);
    }
  }
  return reusing;
}

/** Warns about links whose key belonged to a deleted link. */
export function warnOfReuse(warn: Warn | undefined, links: readonly Pick<NewHolder, "domain" | "key">[]): void {
  for (const { domain, key } of links) {
    const message = `The key "${key}" on ${domain} belonged to a link that was deleted; printed codes may still point to it.`;
    warn?.({ code: "key_reused", message });
  }
}

type Release = { foldedKey: string; workspaceId: number; releasedAt: number; isDeleted: Flag };
const releaseColumns = ["foldedKey", "workspaceId", "releasedAt", "isDeleted"] as const;

const deleteOneRelease = prepared((db, value: Slot<{ domainId: string; foldedKey: string }>) =>
  db
    .deleteFrom("releasedKeys")
    .where("domainId", "=", value("domainId"))
    .where("foldedKey", "=", value("foldedKey"))
    .returning(releaseColumns),
);

async function deleteReleases(tx: Tx, domainId: string, foldedKeys: readonly string[]): Promise<Release[]> {
  const [foldedKey, ...others] = foldedKeys;
  if (foldedKey !== undefined && others.length === 0) return await deleteOneRelease(tx, { domainId, foldedKey });
  return await tx
    .deleteFrom("releasedKeys")
    .where("domainId", "=", domainId)
    .where("foldedKey", "in", foldedKeys)
    .returning(releaseColumns)
    .execute();
}

/**
 * Among folded keys on a domain: the instant until which another workspace holds each, or null for keys of deleted
 * links.
 */
export async function findReleases(
  db: Db,
  { domainId, foldedKeys, workspaceId }: { domainId: string; foldedKeys: readonly string[]; workspaceId: number },
  now: number,
): Promise<Map<string, number | null>> {
  const releases = await db
    .selectFrom("releasedKeys")
    .select(releaseColumns)
    .where("domainId", "=", domainId)
    .where("foldedKey", "in", foldedKeys)
    .execute();
  const found = new Map<string, number | null>();
  for (const { foldedKey, isDeleted, releasedAt, ...former } of releases) {
    const until = releasedAt + keyHoldMs;
    if (former.workspaceId !== workspaceId && now < until) found.set(foldedKey, until);
    else if (isDeleted === 1) found.set(foldedKey, null);
  }
  return found;
}

/** Deletes the releases of renamed links whose hold has ended, and returns how many; for the cleanup task. */
export async function deleteExpiredReleases({ db, now }: { db: Db; now: () => number }): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("releasedKeys")
    .where("releasedAt", "<=", now() - keyHoldMs)
    .where("isDeleted", "=", 0)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
