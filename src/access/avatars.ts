import { createHash } from "node:crypto";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import type { Actor } from "./actor.ts";
import { readAvatarImage } from "./avatar-image.ts";
import { lockAsMember, type Workspace } from "./workspaces.ts";

/** An image; its first bytes decide the type. */
type Avatar = { type: string; bytes: Uint8Array<ArrayBuffer> };

type Deps = { db: Db; now: () => number };

/**
 * Replaces the avatar of the actor's workspace; `image` is a data URL in base 64.
 * Throws "not_found", and like readAvatarImage.
 */
export async function setAvatar(deps: Deps, actor: Actor, image: string): Promise<Workspace> {
  const { type, extension, bytes } = readAvatarImage(image);
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
  const file = `${actor.workspaceId}-${digest}.${extension}`;
  return await transact(deps.db, async (tx) => {
    const before = await lockAsMember(tx, actor);
    if (before.avatarFile === file) return before;
    await tx.deleteFrom("avatars").where("workspaceId", "=", before.id).execute();
    const row = { file, workspaceId: before.id, type, image: Buffer.from(bytes).toString("base64") };
    await tx.insertInto("avatars").values(row).execute();
    return await setFile(tx, actor, before, file, deps.now());
  });
}

/**
 * Removes the uploaded avatar, so that the generated one is shown again. Throws "not_found" for a workspace that is not
 * the actor's.
 */
export async function removeAvatar(deps: Deps, actor: Actor): Promise<Workspace> {
  return await transact(deps.db, async (tx) => {
    const before = await lockAsMember(tx, actor);
    if (before.avatarFile === null) return before;
    await tx.deleteFrom("avatars").where("workspaceId", "=", before.id).execute();
    return await setFile(tx, actor, before, null, deps.now());
  });
}

async function setFile(
  tx: Tx,
  actor: Actor,
  before: Workspace,
  avatarFile: string | null,
  at: number,
): Promise<Workspace> {
  await tx.updateTable("workspaces").set({ avatarFile }).where("id", "=", before.id).execute();
  await emit(
    tx,
    eventBy({ ...actor, workspaceId: before.id }, "workspace.updated", String(before.id), at, {
      before: { avatarFile: before.avatarFile },
      after: { avatarFile },
    }),
  );
  return { ...before, avatarFile };
}

/** The uploaded avatar with this file name; undefined when there is none. */
export async function findAvatar({ db }: Pick<Deps, "db">, file: string): Promise<Avatar | undefined> {
  const row = await db.selectFrom("avatars").select(["type", "image"]).where("file", "=", file).executeTakeFirst();
  return row === undefined ? undefined : { type: row.type, bytes: Uint8Array.from(Buffer.from(row.image, "base64")) };
}
