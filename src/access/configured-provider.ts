import type { Config } from "../config.ts";

/** True if the issuer of an identity is the provider in the current options, not one from earlier options. */
export function isConfiguredProvider(
  { WAYPOST_OIDC_ISSUER: configured }: Pick<Config, "WAYPOST_OIDC_ISSUER">,
  issuer: string,
): boolean {
  return configured !== undefined && issuerOf(configured.href) === issuerOf(issuer);
}

/** An issuer's URL in one form: the option may end with a slash, or name the provider's description. */
function issuerOf(url: string): string {
  return url.replace(/\/\.well-known\/.*$/s, "").replace(/\/$/, "");
}
