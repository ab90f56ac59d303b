import { createHmac, timingSafeEqual } from "node:crypto";
import type { Selectable } from "kysely";
import type { Actor } from "../access/actor.ts";
import type { AttemptLimits } from "../access/attempts.ts";
import { fitsPasswordHash } from "../access/password-hash.ts";
import { invalid, notFound, Problem } from "../base/problem.ts";
import { type Clock, hourMs } from "../base/time.ts";
import type { Db } from "../database/database.ts";
import type { SharesTable } from "../database/schema.ts";
import { findLink } from "../links/find-links.ts";
import { findFolder } from "../links/folders.ts";
import type { Link } from "../links/link.ts";

/**
 * What a visitor with a share's URL may see.
 *
 * - Unknown, expired and deleted shares look the same: "not_found".
 * - Before the password is given, nothing is revealed, not even the name.
 * - The pass for a correct password is signed with the password's hash, so a new password ends it. Nothing is stored.
 */

/** How long a pass opens a share. */
const passLifeMs = 12 * hourMs;

/** An open share: the actor of its queries, and its link or folder. */
export type OpenShare = {
  name: string | null;
  expiresAt: number | null;
  /** A viewer of the share's workspace without a user. */
  actor: Actor;
  about: { kind: "link"; link: Link } | { kind: "folder"; folder: { id: string; name: string } };
};

type Deps = { db: Db; now: Clock };

/** The share with a token; "locked" when it needs a password and the pass is not valid. Throws "not_found". */
export async function openShare(deps: Deps, token: string, pass: string | undefined): Promise<OpenShare | "locked"> {
  const row = await findByToken(deps, token);
  if (row.passwordHash !== null && !isPass(row, row.passwordHash, pass, deps.now())) return "locked";
  const { name, expiresAt, workspaceId, linkId, folderId } = row;
  const actor: Actor = { userId: "", workspaceId, role: "viewer", scopes: null, expiresAt: null };
  if (linkId !== null)
    return { name, expiresAt, actor, about: { kind: "link", link: await findLink(deps, actor, linkId) } };
  if (folderId === null) throw notFound("share");
  const { id, name: folderName } = await findFolder(deps, actor, folderId);
  return { name, expiresAt, actor, about: { kind: "folder", folder: { id, name: folderName } } };
}

/** Like openShare, for data behind the password. Throws "unauthorized" when it is locked. */
export async function requireOpenShare(deps: Deps, token: string, pass: string | undefined): Promise<OpenShare> {
  const share = await openShare(deps, token, pass);
  if (share !== "locked") return share;
  throw new Problem("unauthorized", "This share requires a password, or your pass has expired.", {
    hint: "POST /v1/shared/{shareToken}/access exchanges the password for a pass; send it as Authorization: Bearer <pass>.",
  });
}

/**
 * Exchanges a share's password for a pass. Throws "not_found"; "unprocessable_entity" for a wrong password or a share
 * without one; "rate_limit_exceeded" after too many wrong passwords.
 */
export async function unlockShare(
  deps: Deps & { limits: AttemptLimits; signal: AbortSignal },
  { token, address }: { token: string; address: string },
  password: string,
): Promise<{ token: string; expiresAt: number }> {
  const row = await findByToken(deps, token);
  const { id, workspaceId, passwordHash } = row;
  if (passwordHash === null) throw invalid("password", "this share has no password and opens without one.");
  const isRight = () => fitsPasswordHash(password, passwordHash, { workspaceId, isVisitor: true, signal: deps.signal });
  if (!(await deps.limits.check({ address, account: id }, isRight)))
    throw invalid("password", "is not the password of this share.");
  const expiresAt = deps.now() + passLifeMs;
  return { token: `wpv_${expiresAt}_${signature(id, passwordHash, expiresAt)}`, expiresAt };
}

function isPass({ id }: Pick<SharesTable, "id">, passwordHash: string, pass: string | undefined, now: number): boolean {
  const [, ends, signed] = /^wpv_(\d{1,15})_([0-9a-f]{64})$/.exec(pass ?? "") ?? [];
  if (ends === undefined || signed === undefined || Number(ends) <= now) return false;
  return timingSafeEqual(Buffer.from(signed), Buffer.from(signature(id, passwordHash, Number(ends))));
}

function signature(id: string, passwordHash: string, expiresAt: number): string {
  return createHmac("sha256", passwordHash).update(`${id} ${expiresAt}`).digest("hex");
}

async function findByToken({ db, now }: Deps, token: string): Promise<Selectable<SharesTable>> {
  const row = await db.selectFrom("shares").selectAll().where("token", "=", token).executeTakeFirst();
  if (row === undefined || (row.expiresAt !== null && row.expiresAt <= now())) throw notFound("share");
  return row;
}
