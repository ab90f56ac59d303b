import type { Config } from "../config.ts";

type Options = Pick<Config, "WAYPOST_HTTPS_PORT" | "WAYPOST_ACME_ACCEPT_TERMS">;

/** Why the ordered certificates are of no use, and what to do about it; undefined when a port presents them or none is ordered. */
export function missingHttpsPort(config: Options): string | undefined {
  if (config.WAYPOST_HTTPS_PORT !== undefined || !config.WAYPOST_ACME_ACCEPT_TERMS) return undefined;
  return "Certificates are ordered, but no port presents them: set WAYPOST_HTTPS_PORT=443, or behind a proxy leave WAYPOST_ACME_ACCEPT_TERMS and WAYPOST_HTTP_PORT out.";
}
