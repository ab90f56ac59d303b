import { existsSync } from "node:fs";
import { secondMs } from "../../base/time.ts";
import type { Config } from "../../config.ts";
import { dataPaths } from "../../data-paths.ts";
import { openCommitCount } from "../../database/commit-count.ts";
import { connect, type Database, type Db } from "../../database/database.ts";
import { openSqliteReader, type SqliteReader } from "../../database/sqlite-reader.ts";
import { databaseLocation } from "../../database-location.ts";
import { type Lookup, noPreview } from "../lookup.ts";
import { openPostgresLookup } from "../lookup-postgres.ts";
import { openSqliteLookup } from "../lookup-sqlite.ts";
import { type ReplicaPosition, readPosition } from "./replica-position.ts";

/** How often a process checks whether lookups can use the replica. */
export const checkEveryMs = secondMs / 2;

/** True when a process can redirect from this node's copy of the links while PostgreSQL is down. */
export function canRedirectWithoutDatabase(config: Config): boolean {
  return databaseLocation(config).kind === "postgres" && isReplicaUsable(dataPaths(config).replica);
}

/** True when the file at `path` is a replica of this version that lookups can use. */
export function isReplicaUsable(path: string): boolean {
  return positionIn(path)?.isUsable === true;
}

/** The snapshot of PostgreSQL that the file at `path` has, as text; undefined for no replica. */
export function copiedSnapshot(path: string): string | undefined {
  return positionIn(path)?.snapshot;
}

function positionIn(path: string): ReplicaPosition | undefined {
  if (!existsSync(path)) return undefined;
  let file: SqliteReader | undefined;
  try {
    file = openSqliteReader(path);
    return readPosition(file);
  } catch {
    // The thread is creating the file, or it is damaged, which the thread reports.
    return undefined;
  } finally {
    file?.close();
  }
}

/** Answers lookups from the replica at `path` while it is usable, else from PostgreSQL. */
export function openReplicaLookup(db: Db, { path, lookupFolder }: { path: string; lookupFolder: string }): Lookup {
  const postgres = openPostgresLookup(db);
  let replica: Lookup | undefined;
  const choose = () => {
    if (isReplicaUsable(path)) {
      replica ??= openSqliteLookup({ path, commits: openCommitCount(`${path}-commits`).read }, lookupFolder);
    } else {
      replica?.close();
      replica = undefined;
    }
  };
  const timer = setInterval(choose, checkEveryMs).unref();
  choose();
  const current = () => replica ?? postgres;
  return {
    domain: (host) => current().domain(host),
    link: (domainId, foldedKey) => current().link(domainId, foldedKey),
    isDeleted: (domainId, foldedKey) => current().isDeleted(domainId, foldedKey),
    forwardingLink: (domainId, foldedKeys) => current().forwardingLink(domainId, foldedKeys),
    // The replica has no previews. While PostgreSQL is down, a page without one is better than none.
    preview: (linkId) => postgres.preview(linkId).catch(() => noPreview),
    blocks: () => current().blocks(),
    close() {
      clearInterval(timer);
      replica?.close();
    },
  };
}

/**
 * The replica as the writer of lookup files uses it, opened by the first call that finds it complete; undefined while
 * it is filled, since rows then change without events.
 */
export function openReplicaDatabase(path: string): { current(): Database | undefined; close(): Promise<void> } {
  let database: Database | undefined;
  return {
    current() {
      const position = positionIn(path);
      if (position?.isUsable !== true || position.filling !== null) return undefined;
      database ??= connect({ kind: "sqlite", path }, "full");
      return database;
    },
    async close() {
      await database?.close();
    },
  };
}
