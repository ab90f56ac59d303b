import type { Tx } from "../database/outbox.ts";
import { removeOneTimeCodes } from "./one-time-codes.ts";
import { removeAllPasskeys } from "./passkeys.ts";

/**
 * Removes the one-time codes, recovery codes and passkeys of a user, whose sessions lose the second factor; those that
 * began with a passkey end. False when there were none.
 */
export async function removeSecondFactors(tx: Tx, userId: string): Promise<boolean> {
  const hadPasskeys = await removeAllPasskeys(tx, userId);
  const hadCodes = await removeOneTimeCodes(tx, userId);
  return hadPasskeys || hadCodes;
}
