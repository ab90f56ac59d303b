import { sha256 } from "../base/ids.ts";
import type { Db } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import { signInLinkClosed } from "./users.ts";

/**
 * Verifies the e-mail address of a signed-in user who has opened the link in a mail. API keys, sessions and the
 * password stay: the account and the mailbox belong to the same person. Without a session, the link takes the account
 * over instead; see verify-email.ts.
 * Throws "not_found" for a link that is unknown, used, expired, another user's, or was mailed to an earlier address.
 */
export async function confirmEmail(
  { db, now }: { db: Db; now: () => number },
  { userId, token }: { userId: string; token: string },
): Promise<void> {
  await transact(db, async (tx) => {
    const link = await tx
      .deleteFrom("signInLinks")
      .where("hash", "=", sha256(token))
      .where("userId", "=", userId)
      .where("expiresAt", ">", now())
      .returning("email")
      .executeTakeFirst();
    if (!link?.email) throw signInLinkClosed();
    const { numUpdatedRows } = await tx
      .updateTable("users")
      .set({ verifiedAt: now() })
      .where("id", "=", userId)
      .where("email", "=", link.email)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw signInLinkClosed();
  });
}
