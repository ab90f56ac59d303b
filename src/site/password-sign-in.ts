import { Problem } from "../base/problem.ts";
import type { Config } from "../config.ts";

/** Throws "forbidden" while the identity provider is the only way to sign in. */
export function refuseWithoutPasswords(config: Pick<Config, "WAYPOST_PASSWORD_SIGN_IN">): void {
  if (config.WAYPOST_PASSWORD_SIGN_IN === "on") return;
  throw new Problem("forbidden", "People sign in to this instance with its identity provider only.");
}
