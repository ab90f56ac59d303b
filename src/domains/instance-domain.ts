import { lockWorkspace } from "../access/lock-workspace.ts";
import { Problem } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { type DomainRow, insertDomain, isProvenElsewhere } from "./domains.ts";

/**
 * Ensures that the instance's domain exists with this slug (the host of WAYPOST_URL), and returns it. Every start calls
 * it with the first workspace's id; when nothing has changed, it only reads.
 *
 * When the host of WAYPOST_URL has changed, the row keeps its links and takes the new slug, so that the links work
 * under the new host. When the workspace already has an ordinary domain with that slug, that domain becomes the
 * instance's; the former one stays as an ordinary verified domain, and re-checks ask for its ownership record from then
 * on.
 * Throws "conflict" when another workspace has verified the slug, since its links would stop working without notice.
 */
export async function ensureInstanceDomain(db: Db, workspaceId: number, slug: string, now: number): Promise<DomainRow> {
  const current = await findInstanceDomain(db);
  if (current?.slug === slug) return current;
  return await transact(db, async (tx) => {
    await lockWorkspace(tx, workspaceId);
    // Read again under the lock: another node of the instance may have started at the same time.
    const instance = await findInstanceDomain(tx);
    if (instance?.slug === slug) return instance;
    const owner = instance?.workspaceId ?? workspaceId;
    await refuseProvenElsewhere(tx, owner, slug);
    const namesake = await findNamesake(tx, owner, slug);
    if (namesake !== undefined) {
      if (instance !== undefined) await setIdentity(tx, instance, { isInstance: 0 }, now);
      return await setIdentity(tx, namesake, { isInstance: 1, status: "verified", failingSince: null }, now);
    }
    if (instance !== undefined) return await setIdentity(tx, instance, { slug }, now);
    const identity = { slug, status: "verified", isInstance: 1 } as const;
    return await insertDomain(tx, { workspaceId: owner, userId: null }, identity, {}, now);
  });
}

async function findInstanceDomain(db: Db): Promise<DomainRow | undefined> {
  return await db.selectFrom("domains").selectAll().where("isInstance", "=", 1).executeTakeFirst();
}

async function refuseProvenElsewhere(tx: Tx, workspaceId: number, slug: string): Promise<void> {
  if (!(await isProvenElsewhere(tx, workspaceId, slug))) return;
  throw new Problem(
    "conflict",
    `WAYPOST_URL: its host ${slug} is a verified domain of another workspace of this service.`,
    {
      hint: "Start with the former WAYPOST_URL, delete the domain in that workspace, and change WAYPOST_URL again.",
    },
  );
}

async function findNamesake(tx: Tx, workspaceId: number, slug: string): Promise<DomainRow | undefined> {
  return await tx
    .selectFrom("domains")
    .selectAll()
    .where("workspaceId", "=", workspaceId)
    .where("slug", "=", slug)
    .executeTakeFirst();
}

type Identity = Partial<Pick<DomainRow, "slug" | "isInstance" | "status" | "failingSince">>;

async function setIdentity(tx: Tx, domain: DomainRow, identity: Identity, now: number): Promise<DomainRow> {
  const after: DomainRow = { ...domain, ...identity, updatedAt: now };
  await tx
    .updateTable("domains")
    .set({ ...identity, updatedAt: now })
    .where("id", "=", domain.id)
    .execute();
  await emit(
    tx,
    eventBy({ workspaceId: domain.workspaceId, userId: null }, "domain.updated", domain.id, now, {
      slug: after.slug,
      before: shown(domain),
      after: shown(after),
    }),
  );
  return after;
}

function shown({ slug, isInstance, status }: DomainRow): Record<string, unknown> {
  return { slug, isInstance: isInstance === 1, status };
}
