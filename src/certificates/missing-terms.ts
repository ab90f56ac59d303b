import type { Config } from "../config.ts";

type Options = Pick<Config, "WAYPOST_HTTPS_PORT" | "WAYPOST_ACME_ACCEPT_TERMS" | "WAYPOST_ACME_DIRECTORY">;

/**
 * Why no certificate is ordered for the HTTPS port, and what to do about it; undefined without that port, and once the terms
 * are accepted.
 */
export function missingTerms(config: Options): string | undefined {
  if (config.WAYPOST_HTTPS_PORT === undefined || config.WAYPOST_ACME_ACCEPT_TERMS) return undefined;
  const authority = config.WAYPOST_ACME_DIRECTORY.host;
  return `No certificates are ordered or renewed for WAYPOST_HTTPS_PORT: read the terms of the certificate authority (${authority}), and accept them with WAYPOST_ACME_ACCEPT_TERMS=true.`;
}
