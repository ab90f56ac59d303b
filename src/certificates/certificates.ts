import type { Log } from "../base/log.ts";
import { secondMs } from "../base/time.ts";
import type { Config } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import type { Db } from "../database/database.ts";
import { databaseLocation } from "../database-location.ts";
import type { Resolver } from "../domains/dns.ts";
import { routingTarget } from "../domains/report-dns.ts";
import { instanceSecret } from "../instance-secret.ts";
import { openAuthority } from "./authority.ts";
import { CertificateCache, refreshEveryMs } from "./certificate-cache.ts";
import { CertificateCopy, openCertificateCopy } from "./certificate-copy.ts";
import type { DueDeps } from "./order-due-certificates.ts";
import { openSealedKeys, type SealedKeys } from "./sealed-keys.ts";

/** The certificates of the main process. */
export type Certificates = {
  /** What handshakes and challenges read. */
  source: CertificateCache;
  keys: SealedKeys;
  /** What orders use; undefined while the authority's terms are not accepted. */
  orders: DueDeps | undefined;
};

type Deps = { db: Db; resolver: Pick<Resolver, "lookup">; log: Log; now: () => number };

/** Time for another process to refresh after a change, with a margin for a busy machine. */
const visibleAfterMs = 2 * refreshEveryMs + secondMs;

/**
 * Opens the certificates of a process that orders none, and reads them from the database; `refresh` reads the changes.
 * Throws ConfigError.
 */
export async function openCertificateCache(config: Config, { db, log, now }: Omit<Deps, "resolver">) {
  const source = new CertificateCache({ db, keys: openSealedKeys(instanceSecret(config)), log, now });
  await source.refresh();
  return source;
}

/**
 * Opens the certificates of a process that starts while PostgreSQL is down, from this node's copy; `refresh` reads those
 * of the database. Without a readable copy, there are none at first. Throws ConfigError.
 */
export async function openCopiedCertificates(config: Config, { db, log, now }: Omit<Deps, "resolver">) {
  const source = new CertificateCache({ db, keys: openSealedKeys(instanceSecret(config)), log, now });
  const copy = openCertificateCopy(dataPaths(config).certificates);
  try {
    if (copy !== undefined) await source.readCopy(copy.db);
  } catch (error) {
    log.error("The copy of the certificates cannot be read, so there is no HTTPS until PostgreSQL is back.", { error });
  } finally {
    await copy?.close();
  }
  return source;
}

/** Opens the certificates and reads them from the database. Throws ConfigError. */
export async function openCertificates(
  config: Config,
  { db, resolver, log, now }: Deps,
  cleanups: (() => unknown)[],
): Promise<Certificates> {
  const keys = openSealedKeys(instanceSecret(config));
  const source = new CertificateCache({ db, keys, log, now, ...openCopy(config, log, cleanups) });
  await source.refresh();
  if (!config.WAYPOST_ACME_ACCEPT_TERMS) return { source, keys, orders: undefined };
  const authority = openAuthority(config);
  cleanups.push(() => authority.close());
  const orders: DueDeps = {
    ...{ db, resolver, log, now, keys, authority },
    random: Math.random,
    target: routingTarget(config),
    email: config.WAYPOST_ACME_EMAIL,
    // Port 80 asks less of a firewall in between, which may end TLS itself.
    challengeType: config.WAYPOST_HTTP_PORT === undefined ? "tls-alpn-01" : "http-01",
    refresh: () => source.refresh(),
    visibleAfterMs: hasOtherProcesses(config) ? visibleAfterMs : 0,
  };
  return { source, keys, orders };
}

/** True when the authority may ask another process for the answer to a challenge: a redirect worker, or another node. */
function hasOtherProcesses({ WAYPOST_WORKERS: workers, WAYPOST_CLICKS_URL: clicksUrl }: Config): boolean {
  return workers > 0 || clicksUrl !== undefined;
}

/** With PostgreSQL, a node keeps a copy of the certificates. */
function openCopy(config: Config, log: Log, cleanups: (() => unknown)[]): { copy?: CertificateCopy } {
  if (databaseLocation(config).kind !== "postgres") return {};
  const copy = new CertificateCopy(dataPaths(config).certificates, log);
  cleanups.push(() => copy.close());
  return { copy };
}
