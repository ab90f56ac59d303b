import { createHmac, timingSafeEqual } from "node:crypto";
import { randomBase62 } from "../base/ids.ts";

/**
 * Recognises browsers that have signed in before, by a token: see "device cookies" of OWASP. Guesses from elsewhere can
 * use up an account's attempts, but not those of these browsers.
 *
 * The token is signed with the hash of the user's password, so a new password ends it. Nothing is stored.
 */

const idLength = 20;

/** A token for a browser in which the user has just signed in. */
export function newBrowserToken(user: { id: string; passwordHash: string }): string {
  const id = randomBase62(idLength);
  return `${id}.${signature(user, id)}`;
}

/** The browser's id; undefined unless this user has signed in from this browser with the current password. */
export function knownBrowser(
  user: { id: string; passwordHash: string | null } | undefined,
  token: string | undefined,
): string | undefined {
  const [, id, signed] = /^([0-9A-Za-z]{20})\.([0-9a-f]{64})$/.exec(token ?? "") ?? [];
  if (id === undefined || signed === undefined || user === undefined || user.passwordHash === null) return undefined;
  const expected = signature({ id: user.id, passwordHash: user.passwordHash }, id);
  return timingSafeEqual(Buffer.from(signed), Buffer.from(expected)) ? id : undefined;
}

function signature(user: { id: string; passwordHash: string }, id: string): string {
  return createHmac("sha256", user.passwordHash).update(`browser ${user.id} ${id}`).digest("hex");
}
