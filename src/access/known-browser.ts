import { createHmac, timingSafeEqual } from "node:crypto";
import { randomBase62 } from "../base/ids.ts";

/**
 * Browsers that have signed in before, told by a token of their own: see "device cookies" of OWASP. Guesses from
 * elsewhere can use up an account's attempts, and these browsers still have theirs.
 *
 * The token is signed with the hash of the user's password, and so ends with it. Nothing is stored.
 */

const idLength = 20;

/** The token of a browser in which the user has just signed in. */
export function newBrowserToken(user: { id: string; passwordHash: string }): string {
  const id = randomBase62(idLength);
  return `${id}.${signature(user, id)}`;
}

/** The browser's id; undefined for a token that is not of a browser in which this user has signed in by this password. */
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
