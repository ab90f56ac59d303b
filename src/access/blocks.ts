import { sql } from "kysely";
import { newId } from "../base/ids.ts";
import { Problem } from "../base/problem.ts";
import type { BlockKind } from "../database/blocks-table.ts";
import type { Db } from "../database/database.ts";
import { prepared } from "../database/prepared.ts";
import { storeSetting } from "../database/settings.ts";
import { markChange } from "../database/transactions-with-changes.ts";

/**
 * The operator's blocks of links, workspaces, users, domains and destination hosts.
 *
 * 1. Visitors of a blocked link get a page with 410, and their visits are not clicks. A link is blocked by its id, its
 *    short link, its workspace, its domain, the user who created it, or the host of the target that the visitor would
 *    get.
 * 2. A block of a link or domain also names its short link or slug, so it outlasts the object: a link that is created
 *    again, or a domain that another workspace adds, is blocked too, until the operator ends the block.
 * 3. The API refuses a blocked user and a blocked workspace; an owner of a blocked workspace cannot create another one;
 *    and no link can get a target on a blocked host.
 * 4. A process keeps all blocks in memory, and reads them again when `blocksRevision` changes.
 */

/** The most blocks of an instance; each process keeps all in memory. */
export const blocksMax = 10_000;

/** Characters of a host name, without a trailing dot (RFC 1035, 2.3.4). */
const hostCharactersMax = 253;

const revisionName = "blocksRevision";
/** SQL for a text that identifies the blocks of one database at one moment. */
export const blocksRevision = `coalesce((SELECT value FROM settings WHERE name = '${revisionName}'), '')`;

/** A block of an object by its id, or of a host by its name. `name` is as in the table. */
export type Block = { kind: BlockKind; target: string; name: string | null };

/** The columns that decide whether a link is blocked, besides its key and its targets. */
type BlockableLink = { id: string; workspaceId: number; userId: string | null };

/** The blocked keys of one domain, in the form of `comparedKey`; "all" for a blocked domain. */
export type BlockedKeys = "all" | ReadonlySet<string>;

/** All blocks of the instance at one moment. */
export class Blocks {
  readonly revision: string;
  readonly isEmpty: boolean;
  readonly #links: ReadonlySet<string>;
  readonly #workspaces: ReadonlySet<number>;
  readonly #users: ReadonlySet<string>;
  readonly #hosts: ReadonlySet<string>;
  /** The most labels of any blocked host. */
  readonly #hostLabels: number;
  readonly #keysByDomain: ReadonlyMap<string, BlockedKeys>;

  constructor(revision: string, blocked: readonly Block[]) {
    const targetsOf = (kind: BlockKind) => blocked.flatMap((block) => (block.kind === kind ? [block.target] : []));
    this.revision = revision;
    this.isEmpty = blocked.length === 0;
    this.#links = new Set(targetsOf("link"));
    this.#workspaces = new Set(targetsOf("workspace").map(Number));
    this.#users = new Set(targetsOf("user"));
    this.#hosts = new Set(targetsOf("host"));
    this.#hostLabels = Math.max(0, ...targetsOf("host").map((host) => host.split(".").length));
    this.#keysByDomain = blockedKeysByDomain(blocked);
  }

  hasWorkspace(id: number): boolean {
    return this.#workspaces.has(id);
  }

  hasUser(id: string): boolean {
    return this.#users.has(id);
  }

  /** True when the domain itself is blocked, with all its keys. */
  hasDomain(slug: string): boolean {
    return this.blockedKeysOn(slug) === "all";
  }

  /** The blocked keys of the domain; undefined for none. */
  blockedKeysOn(slug: string): BlockedKeys | undefined {
    return this.#keysByDomain.get(slug);
  }

  /** True when the link's id, its workspace or its creator is blocked. Its key and its targets are not checked. */
  blocksLink(link: BlockableLink): boolean {
    return this.kindOfBlock(link) !== undefined;
  }

  /** What is blocked, of those that blocksLink checks; undefined for none. */
  kindOfBlock({ id, workspaceId, userId }: BlockableLink): "link" | "workspace" | "user" | undefined {
    if (this.isEmpty) return undefined;
    if (this.#links.has(id)) return "link";
    if (this.#workspaces.has(workspaceId)) return "workspace";
    return userId !== null && this.#users.has(userId) ? "user" : undefined;
  }

  get hasHosts(): boolean {
    return this.#hosts.size > 0;
  }

  /** True when the URL's host, or a domain above it, is blocked. */
  hasHostOf(url: string): boolean {
    return this.hasHosts && this.#hasHost(normalHostOf(URL.parse(url)));
  }

  /** Compares from the last label on, up to the longest blocked host: a host may have 127 labels. */
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

function blockedKeysByDomain(blocked: readonly Block[]): Map<string, BlockedKeys> {
  const byDomain = new Map<string, Set<string> | "all">();
  for (const { kind, name } of blocked) {
    if (name === null) continue;
    if (kind === "domain") byDomain.set(name, "all");
    if (kind !== "link") continue;
    const slash = name.indexOf("/");
    const slug = name.slice(0, slash);
    const known = byDomain.get(slug) ?? new Set();
    if (known !== "all") byDomain.set(slug, known.add(comparedKey(name.slice(slash + 1))));
  }
  return byDomain;
}

/** The name of a link's block: its short link. */
export function linkBlockName({ slug, key }: { slug: string; key: string }): string {
  return `${slug}/${comparedKey(key)}`;
}

/** True when the key is blocked on its domain. */
export function isBlockedKey(blocked: BlockedKeys | undefined, key: string): boolean {
  if (blocked === undefined) return false;
  return blocked === "all" || blocked.has(comparedKey(key));
}

/** Ignores case: an owner who adds the domain again can change its caseSensitive. */
function comparedKey(key: string): string {
  return key.toLowerCase().replaceAll("ς", "σ").normalize("NFC");
}

/** The host of a URL in lower case, without a trailing dot; "" if it has none. */
export function normalHostOf(url: URL | null): string {
  return url?.hostname.toLowerCase().replace(/\.$/, "") ?? "";
}

/** The blocks last read by this process: revisions of two databases, or of two states, always differ. */
let lastRead = new Blocks("", []);

/** Prepared, since every creation of a link runs it. */
const selectRevision = prepared((db) => db.selectNoFrom(sql<string>`${sql.raw(blocksRevision)}`.as("revision")));

/** The current blocks in the database, as the transaction sees them if `db` is one. */
export async function currentBlocks(db: Db): Promise<Blocks> {
  const [row] = await selectRevision(db, {});
  return await blocksAt(db, row?.revision ?? "");
}

/** The blocks of a revision, or of a later one. Reads them only when the cached ones have another revision. */
export async function blocksAt(db: Db, revision: string): Promise<Blocks> {
  if (lastRead.revision === revision) return lastRead;
  const rows = await db.selectFrom("blocks").select(["kind", "target", "name"]).limit(blocksMax).execute();
  const blocks = new Blocks(revision, rows);
  lastRead = blocks;
  return blocks;
}

/** Changes the revision of the blocks; every transaction that changes blocks calls it. */
export async function reviseBlocks(tx: Db, now: number): Promise<void> {
  const value = newId("rev", now);
  markChange(tx);
  await storeSetting(tx, revisionName, value);
}

/** The problem of a user whom the operator has blocked; only the operator sees the reason. */
export function accountBlocked(): Problem {
  return new Problem("forbidden", "The operator of this service has blocked this account.");
}

/** Throws "forbidden" for a blocked domain: its links would work again under another slug. */
export async function refuseBlockedDomain(db: Db, slug: string): Promise<void> {
  if (!(await currentBlocks(db)).hasDomain(slug)) return;
  throw new Problem(
    "forbidden",
    "The operator of this service has blocked this domain, so it cannot be added, renamed or deleted.",
  );
}
