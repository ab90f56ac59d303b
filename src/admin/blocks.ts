import { type Blocked, blocksMax, normalHostOf } from "../access/blocks.ts";
import { normaliseEmail } from "../access/users.ts";
import { Problem } from "../base/problem.ts";
import { isoTime } from "../base/time.ts";
import type { BlockKind } from "../database/blocks-table.ts";
import type { Db } from "../database/database.ts";
import { type EventType, emit, type Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { decodedPath, lookupKey } from "../links/key.ts";

/** Blocking and unblocking, as the operator's commands do it; what a block does is in access/blocks.ts. */

type Deps = { db: Db; now: () => number };

/** An object or a host, as the operator names it. */
export type Named = { kind: BlockKind; target: string };

/** Blocks what is named. Throws "not_found" for an unknown object, "conflict" for one that is blocked already. */
export async function block({ db, now }: Deps, { reason, ...named }: Named & { reason: string }) {
  return await transact(db, async (tx) => {
    const blocked = await findNamed(tx, named);
    const { blocks } = await tx
      .selectFrom("blocks")
      .select((select) => select.fn.countAll<number>().as("blocks"))
      .executeTakeFirstOrThrow();
    if (Number(blocks) >= blocksMax)
      throw new Problem("conflict", `There are ${blocksMax} blocks; no more are possible.`);
    const row = { ...blocked, reason, createdAt: now() };
    const [added] = await tx
      .insertInto("blocks")
      .values(row)
      .onConflict((conflict) => conflict.columns(["kind", "target"]).doNothing())
      .returning("id")
      .execute();
    if (added === undefined) throw new Problem("conflict", `The ${named.kind} ${named.target} is blocked already.`);
    await recordForLink(tx, blocked, "link.blocked", now());
    return { ...row, createdAt: isoTime(row.createdAt) };
  });
}

/** Unblocks what is named; an object that was deleted since is named by its id. Throws "not_found". */
export async function unblock({ db, now }: Deps, named: Named): Promise<Blocked> {
  return await transact(db, async (tx) => {
    const blocked = (await isListed(tx, named)) ? named : await findNamed(tx, named);
    const { numDeletedRows } = await tx
      .deleteFrom("blocks")
      .where("kind", "=", blocked.kind)
      .where("target", "=", blocked.target)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) throw new Problem("not_found", `The ${named.kind} ${named.target} is not blocked.`);
    await recordForLink(tx, blocked, "link.unblocked", now());
    return blocked;
  });
}

/** All blocks, of one kind where it is given, the oldest first. */
export async function listBlocks({ db }: Pick<Deps, "db">, kind: BlockKind | undefined) {
  let query = db.selectFrom("blocks").select(["kind", "target", "reason", "createdAt"]).orderBy("id").limit(blocksMax);
  if (kind !== undefined) query = query.where("kind", "=", kind);
  return (await query.execute()).map((row) => ({ ...row, createdAt: isoTime(row.createdAt) }));
}

async function isListed(tx: Tx, { kind, target }: Named): Promise<boolean> {
  const query = tx.selectFrom("blocks").select("id").where("kind", "=", kind).where("target", "=", target);
  return (await query.executeTakeFirst()) !== undefined;
}

/** The history of a link shows that it was blocked and unblocked. */
async function recordForLink(tx: Tx, { kind, target }: Blocked, type: EventType, at: number): Promise<void> {
  if (kind !== "link") return;
  const columns = ["workspaceId", "domainId", "foldedKey"] as const;
  const link = await tx.selectFrom("links").select(columns).where("id", "=", target).executeTakeFirst();
  if (link === undefined) return;
  const { workspaceId, ...data } = link;
  await emit(tx, { workspaceId, type, objectId: target, userId: null, at, data });
}

async function findNamed(tx: Tx, { kind, target }: Named): Promise<Blocked> {
  const found = await finders[kind](tx, target.trim());
  if (found === undefined) throw new Problem("not_found", `There is no ${kind} ${target}.`);
  return { kind, target: found };
}

/** TABLE of how an object is found by what the operator writes: its id, or what people call it. */
const finders: Record<BlockKind, (tx: Tx, text: string) => Promise<string | undefined>> = {
  link: findLink,
  async workspace(tx, text) {
    if (!/^[1-9]\d{0,8}$/.test(text)) return undefined;
    const row = await tx.selectFrom("workspaces").select("id").where("id", "=", Number(text)).executeTakeFirst();
    return row === undefined ? undefined : String(row.id);
  },
  async user(tx, text) {
    const user = tx.selectFrom("users").select("id");
    const email = normaliseEmail(text);
    const row = await user.where(email === undefined ? "id" : "email", "=", email ?? text).executeTakeFirst();
    return row?.id;
  },
  async domain(tx, text) {
    const [domain] = await domainsNamed(tx, text);
    if (domain?.isInstance === 1) {
      throw new Problem(
        "unprocessable_entity",
        `${text} is this instance's own domain; block links or workspaces on it.`,
      );
    }
    return domain?.id;
  },
  host: async (_, text) => normalHostOf(URL.parse(text.includes("://") ? text : `https://${text}`)) || undefined,
};

async function findLink(tx: Tx, text: string): Promise<string | undefined> {
  const links = tx.selectFrom("links").select("id");
  const named = await links.where("id", "=", text).executeTakeFirst();
  if (named !== undefined) return named.id;
  const url = URL.parse(text.includes("://") ? text : `https://${text}`);
  const path = decodedPath(url?.pathname ?? "");
  if (path === undefined) return undefined;
  for (const domain of await domainsNamed(tx, normalHostOf(url))) {
    const onDomain = links.where("domainId", "=", domain.id);
    const link = await onDomain.where("foldedKey", "=", lookupKey(path, domain)).executeTakeFirst();
    if (link !== undefined) return link.id;
  }
  return undefined;
}

/** Several workspaces may hold a name that none of them has proven; the proven one comes first. */
const sameNameMax = 100;

async function domainsNamed(tx: Tx, text: string) {
  return await tx
    .selectFrom("domains")
    .select(["id", "isInstance", "caseSensitive"])
    .where((where) => where.or([where("slug", "=", text.toLowerCase()), where("id", "=", text)]))
    .orderBy((order) => order.case().when("status", "=", "pending").then(1).else(0).end())
    .orderBy("createdAt")
    .limit(sameNameMax)
    .execute();
}
