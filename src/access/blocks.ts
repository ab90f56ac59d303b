import { type Kysely, sql } from "kysely";
import { newId } from "../base/ids.ts";
import { Problem } from "../base/problem.ts";
import type { BlockKind } from "../database/blocks-table.ts";
import type { Schema } from "../database/schema.ts";

/**
 * What the operator has blocked: links, workspaces, users, domains and destination hosts.
 *
 * 1. Visitors of a blocked link get a page with 410, and none of their visits is a click. A link is blocked by its id,
 *    its short link, its workspace, its domain, the user who created it, or the host of the target that the visitor would
 *    be sent to.
 * 2. A block of a link or domain also names its short link or slug, so it outlives what it was made for: a link that is
 *    created again, or a domain that another workspace adds, is blocked too, until the operator ends the block.
 * 3. The API refuses a blocked user and a blocked workspace, an owner of a blocked workspace makes no other one, and no
 *    link can be given a target on a blocked host.
 * 4. A process keeps all blocks in memory, and reads them again when `blocksRevision` has another value.
 */

/** Blocks that an instance may have; each process keeps them in memory. */
export const blocksMax = 10_000;

/** The characters of a host name, without a dot at its end (RFC 1035, 2.3.4). */
const hostCharactersMax = 253;

const revisionName = "blocksRevision";
/** SQL for a text that names the blocks of one database at one moment, and nothing else. */
export const blocksRevision = `coalesce((SELECT value FROM settings WHERE name = '${revisionName}'), '')`;

/** A block: of an object by its id, or of a host by its name; `name` is the short link or slug that it had. */
export type Blocked = { kind: BlockKind; target: string; name: string | null };

/** What is looked at to decide whether a link is blocked, besides its place and its targets. */
export type BlockableLink = { id: string; workspaceId: number; userId: string | null };

/** What is blocked on one domain: every link, or those with these keys, in the form that `comparedKey` gives. */
export type BlockedKeys = "all" | ReadonlySet<string>;

/** All blocks of the instance at one moment. */
export class Blocks {
  readonly revision: string;
  readonly isEmpty: boolean;
  readonly #links: ReadonlySet<string>;
  readonly #workspaces: ReadonlySet<number>;
  readonly #users: ReadonlySet<string>;
  readonly #hosts: ReadonlySet<string>;
  /** The labels of the blocked host that has the most. */
  readonly #hostLabels: number;
  readonly #onDomains: ReadonlyMap<string, BlockedKeys>;

  constructor(revision: string, blocked: readonly Blocked[]) {
    const targetsOf = (kind: BlockKind) => blocked.flatMap((block) => (block.kind === kind ? [block.target] : []));
    this.revision = revision;
    this.isEmpty = blocked.length === 0;
    this.#links = new Set(targetsOf("link"));
    this.#workspaces = new Set(targetsOf("workspace").map(Number));
    this.#users = new Set(targetsOf("user"));
    this.#hosts = new Set(targetsOf("host"));
    this.#hostLabels = Math.max(0, ...targetsOf("host").map((host) => host.split(".").length));
    this.#onDomains = blockedOnDomains(blocked);
  }

  hasWorkspace(id: number): boolean {
    return this.#workspaces.has(id);
  }

  hasUser(id: string): boolean {
    return this.#users.has(id);
  }

  /** What is blocked on the domain; undefined for nothing. */
  onDomain(slug: string): BlockedKeys | undefined {
    return this.#onDomains.get(slug);
  }

  /** True where the link is blocked, whatever its place and its targets are. */
  hasLink(link: BlockableLink): boolean {
    return this.blockOf(link) !== undefined;
  }

  /** Which block stops the link, whatever its place and its targets are; undefined for none. */
  blockOf({ id, workspaceId, userId }: BlockableLink): "link" | "workspace" | "user" | undefined {
    if (this.isEmpty) return undefined;
    if (this.#links.has(id)) return "link";
    if (this.#workspaces.has(workspaceId)) return "workspace";
    return userId !== null && this.#users.has(userId) ? "user" : undefined;
  }

  get hasHosts(): boolean {
    return this.#hosts.size > 0;
  }

  /** True where the url's host is blocked, or a domain above it. */
  hasHostOf(url: string): boolean {
    return this.hasHosts && this.#hasHost(normalHostOf(URL.parse(url)));
  }

  /** From the last label on, as far as any blocked host goes: a host may have 127 labels. */
  #hasHost(host: string): boolean {
    if (host.length > hostCharactersMax) return false;
    let end = host.length;
    for (let labels = 1; labels <= this.#hostLabels && end > 0; labels++) {
      end = host.lastIndexOf(".", end - 1);
      if (this.#hosts.has(host.slice(end + 1))) return true;
    }
    return false;
  }
}

function blockedOnDomains(blocked: readonly Blocked[]): Map<string, BlockedKeys> {
  const onDomains = new Map<string, Set<string> | "all">();
  for (const { kind, name } of blocked) {
    if (name === null) continue;
    if (kind === "domain") onDomains.set(name, "all");
    if (kind !== "link") continue;
    const slash = name.indexOf("/");
    const slug = name.slice(0, slash);
    const known = onDomains.get(slug) ?? new Set();
    if (known !== "all") onDomains.set(slug, known.add(comparedKey(name.slice(slash + 1))));
  }
  return onDomains;
}

/** The name of a link's block: its short link. */
export function linkBlockName({ slug, key }: { slug: string; key: string }): string {
  return `${slug}/${comparedKey(key)}`;
}

/** True where the key is blocked on its domain. */
export function isBlockedKey(blocked: BlockedKeys | undefined, key: string): boolean {
  if (blocked === undefined) return false;
  return blocked === "all" || blocked.has(comparedKey(key));
}

/** Without regard to case: an owner who adds the domain again chooses again whether case counts. */
function comparedKey(key: string): string {
  return key.toLowerCase().replaceAll("ς", "σ").normalize("NFC");
}

/** The host of a url in lower case, without the dot that may end it; "" where it has none. */
export function normalHostOf(url: URL | null): string {
  return url?.hostname.toLowerCase().replace(/\.$/, "") ?? "";
}

/** The blocks last read in this process: no two databases share a revision, nor do two states of one. */
let lastRead = new Blocks("", []);

/** The blocks as the database, or the transaction, has them now. */
export async function currentBlocks(db: Kysely<Schema>): Promise<Blocks> {
  const { rows } = await sql<{ revision: string }>`SELECT ${sql.raw(blocksRevision)} AS "revision"`.execute(db);
  return await blocksAt(db, rows[0]?.revision ?? "");
}

/** The blocks of a revision, or of a later one; they are read only when the last ones read have another revision. */
export async function blocksAt(db: Kysely<Schema>, revision: string): Promise<Blocks> {
  if (lastRead.revision === revision) return lastRead;
  const rows = await db.selectFrom("blocks").select(["kind", "target", "name"]).limit(blocksMax).execute();
  const blocks = new Blocks(revision, rows);
  lastRead = blocks;
  return blocks;
}

/** Gives the blocks another revision; part of every transaction that changes them. */
export async function reviseBlocks(tx: Kysely<Schema>, now: number): Promise<void> {
  const value = newId("rev", now);
  await tx
    .insertInto("settings")
    .values({ name: revisionName, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}

/** The 403 for a user whom the operator has blocked; the reason is for the operator alone. */
export function accountBlocked(): Problem {
  return new Problem("forbidden", "The operator of this service has blocked this account.");
}

/** Throws "forbidden" for a blocked domain: under another name its links would work. */
export async function refuseBlockedDomain(db: Kysely<Schema>, slug: string): Promise<void> {
  if ((await currentBlocks(db)).onDomain(slug) !== "all") return;
  throw new Problem(
    "forbidden",
    "The operator of this service has blocked this domain, so it cannot be added, renamed or deleted.",
  );
}
