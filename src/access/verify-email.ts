import type { Tx } from "../database/outbox.ts";
import { removeSecondFactors } from "./remove-second-factors.ts";
import { revokeAccess } from "./revoke-access.ts";

/**
 * Verifies e-mail addresses.
 *
 * 1. Anyone can create an account with any address, by an open invite. Until the address is verified, such an account
 *    has no rights from it: an invite that names the address does not admit it.
 * 2. A link mailed to the address verifies it, and so does the operator, by the first start or the command line.
 * 3. The first verification takes the account over: its API keys, earlier sessions, one-time codes, passkeys,
 *    identities at providers, one-time links and open invites end, and the password is the new one. Memberships stay, so that no
 *    workspace loses its only owner, and must be confirmed: see review-memberships.ts.
 */

/**
 * Verifies this address of a user and sets the password; null leaves the account without one. Returns false, and changes
 * nothing, when the address was verified before, or the user has another one by now, which nobody has proven.
 */
export async function verifyEmail(
  tx: Tx,
  { userId, email, passwordHash }: { userId: string; email: string; passwordHash: string | null },
  at: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("users")
    .set({ verifiedAt: at, passwordHash, isAdministrator: 0 })
    .where("id", "=", userId)
    .where("email", "=", email)
    .where("verifiedAt", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await revokeAccess(tx, userId, at);
  await removeSecondFactors(tx, userId);
  await tx.deleteFrom("identities").where("userId", "=", userId).execute();
  await tx.updateTable("members").set({ isConfirmed: 0 }).where("userId", "=", userId).execute();
  return true;
}
