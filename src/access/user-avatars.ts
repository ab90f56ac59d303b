import { randomBase62 } from "../base/ids.ts";
import type { Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import { readAvatarImage } from "./avatar-image.ts";
import { requireSession } from "./sessions.ts";
import { getUser, type OwnUser } from "./update-user.ts";

/**
 * The avatars of users: pictures of people, unlike those of workspaces, which are public.
 *
 * 1. A user's avatar is shown to the user and to members of a common workspace, while they are signed in.
 * 2. Every upload gets a new random file name, so browsers may cache the file for ever. Knowing a name gives no access.
 * 3. The type is one of three raster formats, and the bytes must match it: an SVG could contain a script.
 */

/** Characters of the random part of a file name. */
const nameCharacters = 22;

type Deps = { db: Db };
/** The user of a session. */
type SessionOwner = { userId: string; sessionId: string };

/** Replaces the avatar of the user; `image` is a data URL in base 64. Throws like readAvatarImage and requireSession. */
export async function setUserAvatar(
  { db }: Deps,
  { userId, sessionId }: SessionOwner,
  image: string,
): Promise<OwnUser> {
  const { type, extension, bytes } = readAvatarImage(image);
  const row = { userId, file: `${randomBase62(nameCharacters)}.${extension}`, type };
  await transact(db, async (tx) => {
    await requireSession(tx, userId, sessionId);
    await tx.deleteFrom("userAvatars").where("userId", "=", userId).execute();
    await tx
      .insertInto("userAvatars")
      .values({ ...row, image: Buffer.from(bytes).toString("base64") })
      .execute();
  });
  return await getUser({ db }, userId);
}

/** Removes the avatar of the user, if there is one. Throws like requireSession. */
export async function removeUserAvatar({ db }: Deps, { userId, sessionId }: SessionOwner): Promise<OwnUser> {
  await transact(db, async (tx) => {
    await requireSession(tx, userId, sessionId);
    await tx.deleteFrom("userAvatars").where("userId", "=", userId).execute();
  });
  return await getUser({ db }, userId);
}

/** An avatar's file for a viewer; undefined unless it is the viewer's, or of a member of a common workspace. */
export async function findUserAvatar(
  { db }: Deps,
  viewerId: string,
  file: string,
): Promise<{ type: string; bytes: Uint8Array<ArrayBuffer> } | undefined> {
  const row = await db
    .selectFrom("userAvatars")
    .select(["type", "image"])
    .where("file", "=", file)
    .where((avatar) =>
      avatar.or([
        avatar("userId", "=", viewerId),
        avatar.exists(
          avatar
            .selectFrom("members as own")
            .innerJoin("members as theirs", "theirs.workspaceId", "own.workspaceId")
            .select("own.userId")
            .where("own.userId", "=", viewerId)
            .whereRef("theirs.userId", "=", "userAvatars.userId"),
        ),
      ]),
    )
    .executeTakeFirst();
  return row === undefined ? undefined : { type: row.type, bytes: Uint8Array.from(Buffer.from(row.image, "base64")) };
}
