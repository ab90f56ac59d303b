import { invalid } from "../base/problem.ts";

/** Shown instead of the password in every response and event; a caller that sends it back changes nothing. */
export const passwordMask = "********";

/** The same bound as for a user's password: argon2id hashes any length, but a body of megabytes costs time. */
export const linkPasswordCharactersMax = 1_000;

/** The password to set, null to clear it, undefined to leave it. Throws "unprocessable_entity" for a too long one. */
export function readPassword(password: string | null | undefined): string | null | undefined {
  if (password === undefined || password === passwordMask) return undefined;
  if (password === null || password === "") return null;
  if (password.length <= linkPasswordCharactersMax) return password;
  throw invalid("password", `must have at most ${linkPasswordCharactersMax} characters.`);
}
