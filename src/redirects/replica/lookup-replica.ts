import { existsSync } from "node:fs";
import { secondMs } from "../../base/time.ts";
import { openCommitCount } from "../../database/commit-count.ts";
import { connect, type Database, type Db } from "../../database/database.ts";
import { openSqliteReader } from "../../database/sqlite-reader.ts";
import { type Lookup, noPreview } from "../lookup.ts";
import { openPostgresLookup } from "../lookup-postgres.ts";
import { openSqliteLookup } from "../lookup-sqlite.ts";
import { readPosition } from "./replica-position.ts";

/** How often a process checks whether the first copy is complete. */
const checkEveryMs = secondMs / 2;

/** True when the file at `path` is a replica of this version that has been complete. */
export function isReplicaUsable(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = openSqliteReader(path);
  try {
    return readPosition(file)?.isUsable === true;
  } catch {
    // The thread is creating the file.
    return false;
  } finally {
    file.close();
  }
}

/** Answers lookups from PostgreSQL until the replica at `path` is complete, and from the replica from then on. */
export function openReplicaLookup(db: Db, { path, lookupFolder }: { path: string; lookupFolder: string }): Lookup {
  const postgres = openPostgresLookup(db);
  let current: Lookup = postgres;
  const useReplica = () => {
    if (!isReplicaUsable(path)) return;
    clearInterval(timer);
    current = openSqliteLookup({ path, commits: openCommitCount(`${path}-commits`).read }, lookupFolder);
  };
  const timer = setInterval(useReplica, checkEveryMs).unref();
  useReplica();
  return {
    domain: (host) => current.domain(host),
    link: (domainId, foldedKey) => current.link(domainId, foldedKey),
    isDeleted: (domainId, foldedKey) => current.isDeleted(domainId, foldedKey),
    forwardingLink: (domainId, foldedKeys) => current.forwardingLink(domainId, foldedKeys),
    // The replica has no previews. While PostgreSQL is down, a page without one is better than none.
    preview: (linkId) => postgres.preview(linkId).catch(() => noPreview),
    blocks: () => current.blocks(),
    close() {
      clearInterval(timer);
      current.close();
    },
  };
}

/** The replica as the writer of lookup files uses it: opened by the first call after the first copy is complete. */
export function openReplicaDatabase(path: string): { current(): Database | undefined; close(): Promise<void> } {
  let database: Database | undefined;
  return {
    current() {
      if (database === undefined && isReplicaUsable(path)) database = connect({ kind: "sqlite", path }, "full");
      return database;
    },
    async close() {
      await database?.close();
    },
  };
}
