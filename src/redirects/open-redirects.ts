import type { Log } from "../base/log.ts";
import type { SharedAttempts } from "../base/shared-attempts.ts";
import { clientAddress, trustedPeers } from "../clicks/address.ts";
import { type Geo, openGeo } from "../clicks/geo.ts";
import type { DaySalts } from "../clicks/visitor.ts";
import { visitorHasher } from "../clicks/visitor.ts";
import { type Config, ConfigError } from "../config.ts";
import { dataPaths } from "../data-paths.ts";
import type { Database } from "../database/database.ts";
import { openClickLimits } from "../links/click-limit.ts";
import type { Lookup } from "./lookup.ts";
import { openSqliteLookup } from "./lookup-sqlite.ts";
import { openPasswordChecker } from "./password-check.ts";
import type { Outcome, RedirectDeps } from "./redirect.ts";
import { openReplicaLookup } from "./replica/lookup-replica.ts";
import { VisitedLinks } from "./replica/visited-links.ts";
import { answeringWww } from "./www.ts";

/** The dependencies that differ between the processes that answer visitors. */
type RedirectOptions = Pick<
  RedirectDeps,
  "spool" | "texts" | "now" | "onAnswer" | "onSent" | "fail" | "certificates"
> & {
  database: Database;
  /** Tells other processes about wrong passwords; undefined without others. */
  sharedAttempts?: SharedAttempts | undefined;
  /** Returns the current salts, which change daily. */
  salts: () => DaySalts;
};

/**
 * Opens the dependencies of redirects; call `close` after the last redirect. The links in `visitedLinks` are to be copied by the
 * main process.
 */
export async function openRedirects(
  config: Config,
  { database, salts, sharedAttempts, ...given }: RedirectOptions,
): Promise<{ redirects: RedirectDeps; visitedLinks: VisitedLinks; close(): void }> {
  const geo = await openGeoDatabase(config);
  const visitedLinks = new VisitedLinks();
  const lookup = openLookup(config, database, visitedLinks);
  return {
    redirects: {
      ...given,
      lookup,
      clickLimits: openClickLimits(database.db, config.WAYPOST_LIMITED_LINKS_WHILE_DOWN),
      geo,
      hashVisitor: visitorHasher(salts),
      clientAddress: clientAddress(config.WAYPOST_TRUSTED_PROXIES),
      isTrusted: trustedPeers(config.WAYPOST_TRUSTED_PROXIES),
      checkPassword: openPasswordChecker(sharedAttempts),
      isUnverifiedAllowed: config.WAYPOST_UNVERIFIED_REDIRECTS,
      appUrl: config.WAYPOST_URL,
    },
    visitedLinks,
    close: () => lookup.close(),
  };
}

/** Zero counts of answers by outcome. A plain object, since counting must cost a redirect nothing. */
export function zeroOutcomes(): Record<Outcome, number> {
  return { destination: 0, frame: 0, preview: 0, fallback: 0, page: 0, unavailable: 0 };
}

/** Logs the error for which a visitor was answered "unavailable". */
export function reportUnavailable(log: Log, error: unknown): void {
  log.error("A visitor got 503, because the database did not answer.", { error });
}

async function openGeoDatabase(config: Config): Promise<Geo> {
  try {
    return await openGeo(config.WAYPOST_GEO_DATABASE);
  } catch (error) {
    if (config.WAYPOST_GEO_DATABASE === undefined || !(error instanceof Error)) throw error;
    throw new ConfigError(`WAYPOST_GEO_DATABASE: ${error.message}. Leave it out to use the countries that ship.`);
  }
}

function openLookup(config: Config, { db, sqlite }: Database, visited: VisitedLinks): Lookup {
  const { replica: path, lookup: lookupFolder } = dataPaths(config);
  return answeringWww(
    sqlite === undefined
      ? openReplicaLookup(db, { path, lookupFolder, visited })
      : openSqliteLookup(sqlite, lookupFolder),
  );
}
