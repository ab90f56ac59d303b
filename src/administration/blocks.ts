import { sql } from "kysely";
import { type Block, blocksMax, linkBlockName, normalHostOf, reviseBlocks } from "../access/blocks.ts";
import { normalizeEmail } from "../access/users.ts";
import { Problem } from "../base/problem.ts";
import { isoTime } from "../base/time.ts";
import type { BlockKind } from "../database/blocks-table.ts";
import { countRows } from "../database/count-rows.ts";
import { type EventType, emit, eventBy, type Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import { decodedPath, lookupKey } from "../links/key.ts";
import { type Operator, type OperatorDeps, recordOperation, refuseOwnAccount } from "./operator.ts";

/**
 * What operators do with blocks; access/blocks.ts describes their effect. The log names the administrator. The history
 * of a link does not, because every member of a workspace reads it, also one whose links are blocked.
 */

/** An object or host as the operator names it. */
type BlockTarget = { kind: BlockKind; target: string };

/** Blocks the target. Throws "not_found" for an unknown object, "conflict" for a blocked one and the operator's account. */
export async function block(
  deps: OperatorDeps,
  operator: Operator,
  { reason, ...named }: BlockTarget & { reason: string },
) {
  const { db, now } = deps;
  const added = await transact(db, async (tx) => {
    const blocked = await findBlockTarget(tx, named);
    if (blocked.kind === "user") refuseOwnAccount(operator, blocked.target);
    if ((await countRows(tx.selectFrom("blocks"))) >= blocksMax)
      throw new Problem("conflict", `There are ${blocksMax} blocks, which is the limit; end one first.`);
    const row = { ...blocked, reason, createdAt: now() };
    const [added] = await tx
      .insertInto("blocks")
      .values(row)
      .onConflict((conflict) => conflict.columns(["kind", "target"]).doNothing())
      .returning("id")
      .execute();
    if (added === undefined) throw new Problem("conflict", `${named.target} is already blocked.`);
    await reviseBlocks(tx, now());
    await recordForLink(tx, blocked, "link.blocked", now());
    return { ...row, createdAt: isoTime(row.createdAt) };
  });
  recordOperation(deps, operator, "block", added);
  return added;
}

/** A block that has ended. */
type Ended = Block & { reason: string };

/** Ends the blocks of a target; of a deleted object, by its id or its former short link or slug. Throws "not_found". */
export async function unblock(
  deps: OperatorDeps,
  operator: Operator,
  { kind, target: text }: BlockTarget,
): Promise<Ended> {
  const { db, now } = deps;
  const blocks = await transact(db, async (tx) => {
    const target = await finders[kind](tx, text.trim());
    const names = [nameIn(kind, text.trim()), target?.name].filter((name) => typeof name === "string");
    const ended = await tx
      .deleteFrom("blocks")
      .where("kind", "=", kind)
      .where((where) =>
        where.or([
          where("target", "in", [text.trim(), target?.target ?? ""]),
          ...names.map((name) => where("name", "=", name)),
        ]),
      )
      .returning(["kind", "target", "name", "reason"])
      .execute();
    const [first] = ended;
    if (first === undefined) throw new Problem("not_found", `${text} is not blocked.`);
    await reviseBlocks(tx, now());
    for (const block of ended) await recordForLink(tx, block, "link.unblocked", now());
    return { first, ended };
  });
  for (const block of blocks.ended) recordOperation(deps, operator, "unblock", block);
  return blocks.first;
}

/** Returns the block's name for a link or domain that the operator names by its URL. */
function nameIn(kind: BlockKind, text: string): string | undefined {
  if (kind === "domain") return text.toLowerCase();
  if (kind !== "link") return undefined;
  const url = urlIn(text);
  const path = decodedPath(url?.pathname ?? "");
  if (url === null || path === undefined) return undefined;
  return linkBlockName({ slug: normalHostOf(url), key: lookupKey(path, { isInstance: 0, caseSensitive: 0 }) });
}

/** Lists all blocks, or those of one kind, oldest first; `name` is what people call the target, such as the address of a user. */
export async function listBlocks({ db }: Pick<OperatorDeps, "db">, kind?: BlockKind) {
  let query = db
    .selectFrom("blocks")
    .select(["kind", "target", "name", "reason", "createdAt"])
    .select(({ selectFrom }) => [
      selectFrom("users")
        .select("users.email")
        .where("blocks.kind", "=", "user")
        .whereRef("users.id", "=", "blocks.target")
        .as("email"),
      selectFrom("workspaces")
        .select("workspaces.name")
        .where("workspaces.id", "=", blockedWorkspaceId)
        .as("workspace"),
    ])
    .orderBy("id")
    .limit(blocksMax);
  if (kind !== undefined) query = query.where("kind", "=", kind);
  return (await query.execute()).map(({ email, workspace, name, createdAt, ...row }) => ({
    ...row,
    name: name ?? email ?? workspace,
    createdAt: isoTime(createdAt),
  }));
}

/** The id of a blocked workspace, which is a number; undefined for the targets of other blocks. */
const blockedWorkspaceId = sql<number>`case when "blocks"."kind" = 'workspace' then cast("blocks"."target" as integer) end`;

/** Records the block of a link in its history. */
async function recordForLink(tx: Tx, { kind, target }: Block, type: EventType, at: number): Promise<void> {
  if (kind !== "link") return;
  const columns = ["workspaceId", "domainId", "foldedKey"] as const;
  const link = await tx.selectFrom("links").select(columns).where("id", "=", target).executeTakeFirst();
  if (link === undefined) return;
  const { workspaceId, ...data } = link;
  await emit(tx, eventBy({ workspaceId, userId: null }, type, target, at, data));
}

async function findBlockTarget(tx: Tx, { kind, target }: BlockTarget): Promise<Block> {
  const found = await finders[kind](tx, target.trim());
  if (found === undefined) throw unknownTarget[kind](target);
  return { kind, ...found };
}

/** TABLE of problems with a target that does not exist. */
const unknownTarget: Record<BlockKind, (target: string) => Problem> = {
  link: (target) => new Problem("not_found", `There is no short link ${target}.`),
  workspace: (target) => new Problem("not_found", `There is no workspace ${target}.`),
  user: (target) => new Problem("not_found", `There is no user ${target}.`),
  domain: (target) => new Problem("not_found", `There is no domain ${target}.`),
  host: (target) => new Problem("not_found", `${target} is not a host, such as example.com.`),
};

/** The id of an object or the name of a host; `name` is the block's name. */
type Found = { target: string; name: string | null };

/** TABLE of functions that find an object by its id or name. */
const finders: Record<BlockKind, (tx: Tx, text: string) => Promise<Found | undefined>> = {
  link: findLink,
  async workspace(tx, text) {
    if (!/^[1-9]\d{0,8}$/.test(text)) return undefined;
    const row = await tx.selectFrom("workspaces").select("id").where("id", "=", Number(text)).executeTakeFirst();
    return row === undefined ? undefined : { target: String(row.id), name: null };
  },
  async user(tx, text) {
    const user = tx.selectFrom("users").select("id");
    const email = normalizeEmail(text);
    const row = await user.where(email === undefined ? "id" : "email", "=", email ?? text).executeTakeFirst();
    return row === undefined ? undefined : { target: row.id, name: null };
  },
  async domain(tx, text) {
    const [domain] = await domainsNamed(tx, text);
    if (domain?.isInstance === 1) {
      throw new Problem(
        "unprocessable_entity",
        `${text} is this service's own domain; block links or workspaces on it.`,
      );
    }
    return domain === undefined ? undefined : { target: domain.id, name: domain.slug };
  },
  async host(_, text) {
    const host = readHost(text);
    return host === undefined ? undefined : { target: host, name: null };
  },
};

function urlIn(text: string): URL | null {
  return URL.parse(text.includes("://") ? text : `https://${text}`);
}

/**
 * Parses a host, or a URL without a path. Throws "unprocessable_entity" for a name without a dot, which would cover a
 * top-level domain, and for a URL with a path, because the block would cover the whole host.
 */
function readHost(text: string): string | undefined {
  const url = urlIn(text);
  const host = normalHostOf(url);
  if (url === null || host === "") return undefined;
  const { pathname, search, hash, port } = url;
  if (pathname !== "/" || search !== "" || hash !== "" || port !== "") {
    throw new Problem(
      "unprocessable_entity",
      `${text} is not just a host. A block covers a whole host with all its subdomains; to block it, enter ${host}.`,
    );
  }
  const isAddress = host.startsWith("[");
  if (!host.includes(".") && !isAddress) {
    throw new Problem(
      "unprocessable_entity",
      `${host} has no dot, so the block would cover every host below it. Enter a host such as example.${host}.`,
    );
  }
  return host;
}

async function findLink(tx: Tx, text: string): Promise<Found | undefined> {
  const links = tx
    .selectFrom("links")
    .innerJoin("domains", "domains.id", "links.domainId")
    .select(["links.id", "links.foldedKey as key", "domains.slug"]);
  const named = await links.where("links.id", "=", text).executeTakeFirst();
  if (named !== undefined) return foundLink(named);
  const url = urlIn(text);
  const path = decodedPath(url?.pathname ?? "");
  if (path === undefined) return undefined;
  for (const domain of await domainsNamed(tx, normalHostOf(url))) {
    const onDomain = links.where("links.domainId", "=", domain.id);
    const link = await onDomain.where("links.foldedKey", "=", lookupKey(path, domain)).executeTakeFirst();
    if (link !== undefined) return foundLink(link);
  }
  return undefined;
}

function foundLink(link: { id: string; slug: string; key: string }): Found {
  return { target: link.id, name: linkBlockName(link) };
}

/** Several workspaces may have an unverified domain of this name; a verified one comes first. */
const sameNameMax = 100;

async function domainsNamed(tx: Tx, text: string) {
  return await tx
    .selectFrom("domains")
    .select(["id", "slug", "isInstance", "caseSensitive"])
    .where((where) => where.or([where("slug", "=", text.toLowerCase()), where("id", "=", text)]))
    .orderBy((order) => order.case().when("status", "=", "pending").then(1).else(0).end())
    .orderBy("createdAt")
    .limit(sameNameMax)
    .execute();
}
