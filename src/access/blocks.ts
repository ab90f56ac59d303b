import type { Kysely } from "kysely";
import { Problem } from "../base/problem.ts";
import type { BlockKind } from "../database/blocks-table.ts";
import type { Schema } from "../database/schema.ts";

/**
 * What the operator has blocked: links, workspaces, users, domains and destination hosts.
 *
 * 1. Visitors of a blocked link get a page with 410, and none of their visits is a click. A link is blocked by its id,
 *    its workspace, its domain, the user who created it, or the host of the target that the visitor would be sent to.
 * 2. The API refuses a blocked user and a blocked workspace, and no link can be given a target on a blocked host.
 * 3. A process keeps all blocks in memory, and reads them again when `blocksRevision` has another value.
 */

/** Blocks that an instance may have; each process keeps them in memory. */
export const blocksMax = 10_000;

/** SQL for a text that is another one after every change of the blocks: ids are never used twice. */
export const blocksRevision = `(SELECT count(*) || ' ' || coalesce(max(id), 0) FROM blocks)`;

/** A blocked object, by its id; a blocked host, by its name. */
export type Blocked = { kind: BlockKind; target: string };

/** What is looked at to decide whether a link is blocked, besides its targets. */
export type BlockableLink = { id: string; workspaceId: number; domainId: string; userId: string | null };

/** All blocks of the instance at one moment. */
export class Blocks {
  readonly revision: string;
  readonly isEmpty: boolean;
  readonly #hasHosts: boolean;
  readonly #blocked: ReadonlySet<string>;

  constructor(revision: string, blocked: readonly Blocked[]) {
    this.revision = revision;
    this.isEmpty = blocked.length === 0;
    this.#hasHosts = blocked.some(({ kind }) => kind === "host");
    this.#blocked = new Set(blocked.map(({ kind, target }) => `${kind} ${target}`));
  }

  /** Whether this very object or host is blocked. */
  has(kind: BlockKind, target: string | number | null): boolean {
    return this.#blocked.has(`${kind} ${target}`);
  }

  /** Whether the link is blocked, whatever its targets are. */
  hasLink({ id, workspaceId, domainId, userId }: BlockableLink): boolean {
    if (this.isEmpty) return false;
    return (
      this.has("link", id) ||
      this.has("workspace", workspaceId) ||
      this.has("domain", domainId) ||
      this.has("user", userId)
    );
  }

  /** Whether the url's host is blocked, or a domain above it is. */
  hasHostOf(url: string): boolean {
    return this.#hasHosts && hostsOf(url).some((host) => this.has("host", host));
  }
}

/** The host of a url and the domains above it; empty for a url without a host. */
export function hostsOf(url: string): string[] {
  const host = normalHostOf(URL.parse(url));
  const labels = host.split(".");
  return host === "" ? [] : labels.map((_, index) => labels.slice(index).join("."));
}

/** The host of a url in lower case, without the dot that may end it; "" where it has none. */
export function normalHostOf(url: URL | null): string {
  return url?.hostname.toLowerCase().replace(/\.$/, "") ?? "";
}

/** Reads all blocks. */
export async function readBlocks(db: Kysely<Schema>, revision: string): Promise<Blocks> {
  return new Blocks(revision, await db.selectFrom("blocks").select(["kind", "target"]).limit(blocksMax).execute());
}

/** Whether this very object is blocked now. */
export async function isBlocked(db: Kysely<Schema>, kind: BlockKind, target: string): Promise<boolean> {
  const row = await db
    .selectFrom("blocks")
    .select("id")
    .where("kind", "=", kind)
    .where("target", "=", target)
    .executeTakeFirst();
  return row !== undefined;
}

/** The 403 for a user whom the operator has blocked; the reason is for the operator alone. */
export function accountBlocked(): Problem {
  return new Problem("forbidden", "The operator of this service has blocked this account.");
}

/** Throws "forbidden" for a blocked domain: under another name, or created again, its links would work. */
export async function refuseBlockedDomain(db: Kysely<Schema>, domainId: string): Promise<void> {
  if (!(await isBlocked(db, "domain", domainId))) return;
  throw new Problem(
    "forbidden",
    "The operator of this service has blocked this domain, so it cannot be renamed or deleted.",
  );
}
