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
import { openSqliteLookup, type SqliteLookup } from "../lookup-sqlite.ts";
import { type ReplicaPosition, readPosition } from "./replica-position.ts";
import type { VisitedLinks } from "./visited-links.ts";

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

/**
 * Answers lookups from the replica at `path` while it is usable, else from PostgreSQL. What a partial replica lacks, PostgreSQL
 * answers too; `visited` gets the links that it has.
 */
export function openReplicaLookup(
  db: Db,
  { path, lookupFolder, visited }: { path: string; lookupFolder: string; visited: VisitedLinks },
): Lookup {
  const postgres = openPostgresLookup(db);
  let replica: UsableReplica | undefined;
  const choose = () => {
    if (isReplicaUsable(path)) {
      replica ??= openUsable(path, lookupFolder);
    } else {
      replica?.close();
      replica = undefined;
    }
  };
  const timer = setInterval(choose, checkEveryMs).unref();
  choose();

  /** What the replica answers while it is complete. A partial one may lack the link. */
  function answerIfComplete<Answer>(
    ofReplica: (lookup: SqliteLookup) => Answer,
    ofPostgres: () => Answer | Promise<Answer>,
  ): Answer | Promise<Answer> {
    if (replica === undefined || replica.isPartial()) return ofPostgres();
    const answer = ofReplica(replica.lookup);
    return replica.isPartial() ? ofPostgres() : answer;
  }

  async function findMissing(domainId: string, foldedKey: string) {
    const link = await postgres.link(domainId, foldedKey);
    if (link !== undefined) visited.add(domainId, foldedKey);
    return link;
  }

  return {
    domain(host) {
      if (replica === undefined) return postgres.domain(host);
      const wasPartial = replica.isPartial();
      const found = replica.lookup.domain(host);
      // Its links that forward paths may be missing.
      if (found !== undefined && (wasPartial || replica.isPartial())) found.hasForwarding = true;
      return found;
    },
    link(domainId, foldedKey) {
      if (replica === undefined) return postgres.link(domainId, foldedKey);
      const wasPartial = replica.isPartial();
      const found = replica.lookup.link(domainId, foldedKey);
      if (found !== undefined || !(wasPartial || replica.isPartial())) return found;
      // The thread may copy it at any time.
      replica.lookup.forgetLink(domainId, foldedKey);
      return findMissing(domainId, foldedKey);
    },
    isDeleted: (domainId, foldedKey) =>
      answerIfComplete(
        (lookup) => lookup.isDeleted(domainId, foldedKey),
        () => postgres.isDeleted(domainId, foldedKey),
      ),
    // A partial replica may lack one with a longer key than that of a link it has.
    forwardingLink: (domainId, foldedKeys) =>
      answerIfComplete(
        (lookup) => lookup.forwardingLink(domainId, foldedKeys),
        () => postgres.forwardingLink(domainId, foldedKeys),
      ),
    // The replica has no previews. While PostgreSQL is down, a page without one is better than none.
    preview: (linkId) => postgres.preview(linkId).catch(() => noPreview),
    blocks: () => (replica?.lookup ?? postgres).blocks(),
    close() {
      clearInterval(timer);
      replica?.close();
    },
  };
}

/**
 * The lookup of a usable replica, and whether the replica is partial. A link that the lookup does not find does not exist if
 * the replica was complete before and after: its position says "partial" from the commit before the first missing link to
 * the one after the last.
 */
type UsableReplica = { lookup: SqliteLookup; isPartial(): boolean; close(): void };

function openUsable(path: string, lookupFolder: string): UsableReplica {
  const { read: commits } = openCommitCount(`${path}-commits`);
  const lookup = openSqliteLookup({ path, commits }, lookupFolder);
  const file = openSqliteReader(path);
  let lastCommits: number | undefined;
  let isPartial = true;
  return {
    lookup,
    isPartial() {
      const now = commits();
      if (now !== lastCommits) {
        isPartial = readPosition(file)?.isPartial !== false;
        lastCommits = now;
      }
      return isPartial;
    },
    close() {
      lookup.close();
      file.close();
    },
  };
}

/**
 * The replica as the writer of lookup files uses it, opened by the first call that finds it complete; undefined while
 * it is filled or partial, since rows then change without events.
 */
export function openReplicaDatabase(path: string): { current(): Database | undefined; close(): Promise<void> } {
  let database: Database | undefined;
  return {
    current() {
      const position = positionIn(path);
      if (position?.isUsable !== true || position.isPartial || position.filling !== null) return undefined;
      database ??= connect({ kind: "sqlite", path }, "full");
      return database;
    },
    async close() {
      await database?.close();
    },
  };
}
