import { createHash } from "node:crypto";
import { invalid } from "../base/problem.ts";
import type { Db } from "../database/database.ts";
import { emit, eventBy, type Tx } from "../database/outbox.ts";
import { transact } from "../database/transact.ts";
import type { Actor } from "./actor.ts";
import { lockAsMember, type Workspace } from "./workspaces.ts";

/** Bytes of an avatar; in base64 they fit into a body of 64 KiB. A picture of 256 pixels has fewer. */
export const avatarBytesMax = 45 * 1024;

/** An image; its first bytes decide the type. */
type Avatar = { type: string; bytes: Uint8Array<ArrayBuffer> };

type Deps = { db: Db; now: () => number };

/**
 * Replaces the avatar of the actor's workspace; `image` is a data URL in base 64.
 * Throws "not_found"; "unprocessable_entity" unless the image is a PNG, JPEG or WebP of at most avatarBytesMax.
 */
export async function setAvatar(deps: Deps, actor: Actor, image: string): Promise<Workspace> {
  const bytes = bytesOf(image);
  const { type, ending } = kindOf(bytes);
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 32);
  const file = `${actor.workspaceId}-${digest}.${ending}`;
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
    eventBy({ workspaceId: before.id, userId: actor.userId }, "workspace.updated", String(before.id), at, {
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

const expectedImage = `must be a PNG, JPEG or WebP image of at most ${avatarBytesMax} bytes as a base64 data URL, such as data:image/png;base64,iVBORw0KG….`;

function bytesOf(image: string): Uint8Array {
  const comma = image.indexOf(",");
  const isDataUrl = /^data:[\w.+/-]*;base64$/i.test(image.slice(0, comma === -1 ? 0 : comma));
  const text = image.slice(comma + 1);
  if (!isDataUrl || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw invalid("image", expectedImage);
  const bytes = Buffer.from(text, "base64");
  if (bytes.byteLength > avatarBytesMax) throw invalid("image", expectedImage);
  return bytes;
}

/** TABLE of image types: the bytes of each, and their offset. The type in the data URL is not trusted. */
const kinds: readonly { type: string; ending: string; marks: readonly [offset: number, hex: string][] }[] = [
  { type: "image/png", ending: "png", marks: [[0, "89504e470d0a1a0a"]] },
  { type: "image/jpeg", ending: "jpg", marks: [[0, "ffd8ff"]] },
  {
    type: "image/webp",
    ending: "webp",
    marks: [
      [0, "52494646"],
      [8, "57454250"],
    ],
  },
];

function kindOf(bytes: Uint8Array): { type: string; ending: string } {
  const hex = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  const kind = kinds.find(({ marks }) => marks.every(([offset, mark]) => hex.startsWith(mark, offset * 2)));
  if (kind === undefined) throw invalid("image", expectedImage);
  return kind;
}
