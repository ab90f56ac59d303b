import { Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";

type Options = Pick<Config, "WAYPOST_PASSWORD_SIGN_IN">;

/** False while the identity provider is the only way to sign in. */
export function hasPasswordSignIn({ WAYPOST_PASSWORD_SIGN_IN }: Options): boolean {
  return WAYPOST_PASSWORD_SIGN_IN === "on";
}

/** Throws "forbidden" while the identity provider is the only way to sign in. */
export function refuseWithoutPasswords(config: Options): void {
  if (hasPasswordSignIn(config)) return;
  throw new Problem("forbidden", "People sign in to this service with its identity provider only.");
}
