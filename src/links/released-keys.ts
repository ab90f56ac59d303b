import { hourMs } from "../base/time.ts";
import type { Warn } from "../base/warning.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { prepared, type Slot } from "../database/prepared.ts";
import type { Flag } from "../database/schema.ts";

/**
 * Keys that links have given up.
 *
 * 1. For keyHoldMs only the workspace that had a key may take it: visitors of the old link must not land on another
 *    tenant's page the minute it is deleted. This matters on domains that workspaces share.
 * 2. The key of a deleted link is remembered until a link takes it: visitors get 410 and not 404, and the workspace that
 *    takes it again is warned. There is one row of some 100 bytes for each deleted link, beside the event of its deletion.
 *    Rows go with their domain.
 * 3. A key is taken by inserting the link first and asking here second. On PostgreSQL the insert waits for a transaction
 *    that is just giving the key up; asking before would miss what that transaction writes.
 */

/** How long a key stays with the workspace that gave it up. */
export const keyHoldMs = 24 * hourMs;

type DomainKey = { domainId: string; foldedKey: string };

/** A key that this workspace cannot take before `until`; the transaction that tried must be rolled back. */
export class KeyHeld extends Error {
  override readonly name = "KeyHeld";
  /** Milliseconds since the epoch. */
  readonly until: number;

  constructor(until: number) {
    super();
    this.until = until;
  }
}

/** How a key was given up: by the deletion of its link, or because the link has another key now. */
export type ReleaseReason = "deleted" | "renamed";

/** Notes that a workspace gave keys up. */
export async function releaseKeys(
  tx: Tx,
  places: readonly (DomainKey & { workspaceId: number })[],
  { reason, now }: { reason: ReleaseReason; now: number },
): Promise<void> {
  if (places.length === 0) return;
  const release = { releasedAt: now, isDeleted: reason === "deleted" ? 1 : 0 } as const;
  await tx
    .insertInto("releasedKeys")
    .values(places.map(({ domainId, foldedKey, workspaceId }) => ({ domainId, foldedKey, workspaceId, ...release })))
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
 * Takes keys that the transaction has just given to links of one workspace, and returns those links whose key belonged to
 * a deleted link. Throws KeyHeld while another workspace holds one of the keys.
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

/** Of folded keys on a domain: until when another workspace holds them, or `null` for those of deleted links. */
export async function findReleases(
  tx: Tx,
  { domainId, foldedKeys, workspaceId }: { domainId: string; foldedKeys: readonly string[]; workspaceId: number },
  now: number,
): Promise<Map<string, number | null>> {
  const releases = await tx
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

/** Forgets the keys of renamed links that are free for everybody again, and returns how many; for the cleanup task. */
export async function deleteExpiredReleases({ db, now }: { db: Db; now: () => number }): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("releasedKeys")
    .where("releasedAt", "<=", now() - keyHoldMs)
    .where("isDeleted", "=", 0)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
