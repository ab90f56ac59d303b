import { type Block, Blocks, blocksRevision } from "../access/blocks.ts";
import { DoorkeeperFilter } from "../base/doorkeeper-filter.ts";
import { LruCache } from "../base/lru-cache.ts";
import { LruPairCache } from "../base/lru-pair-cache.ts";
import type { SqliteHandle } from "../database/database.ts";
import { quoted } from "../database/quoted.ts";
import { openSqliteReader, type SqliteQuery, type SqliteReader } from "../database/sqlite-reader.ts";
import { forEachLinkKey, openChanges, type RecordedChange } from "./link-changes.ts";
import {
  chooseDomain,
  domainColumns,
  hasForwarding,
  hasLogo,
  isDeletedKey,
  isKept,
  type LinkPreview,
  type Lookup,
  type LookupRow,
  linkColumns,
  noPreview,
  plainRedirectLink,
  previewColumns,
  type RedirectDomain,
  type RedirectDomainRow,
  type RedirectLink,
  redirectDomain,
  redirectLink,
} from "./lookup.ts";
import { type ActiveLookupFile, openActiveLookupFile } from "./lookup-file/active-lookup-file.ts";

/** The link cache holds at least this many links and at most twice as many; each takes a kilobyte. */
const cachedLinksMax = 50_000;
const cachedHostsMax = 10_000;
/** The same for each cache of missing keys and hosts: guessed ones are rarely requested twice. */
const cachedAbsentMax = 5_000;
/** The doorkeeper filter remembers up to 2 ** lookedUpBeforeBits links, a million, in 4 MiB. */
const lookedUpBeforeBits = 20;
/** With more changes than this, clearing all caches is cheaper than applying the changes one by one. */
const changesMax = 500;
/** The same limit in bytes: a bulk call of 4 MiB records about 8 MiB, which would take 13 ms to read. */
const changedBytesMax = 512 * 1024;

/** A lookup that answers synchronously. */
export type SqliteLookup = {
  domain(host: string): RedirectDomain | undefined;
  link(domainId: string, foldedKey: string): RedirectLink | undefined;
  isDeleted(domainId: string, foldedKey: string): boolean;
  forwardingLink(domainId: string, foldedKeys: readonly string[]): RedirectLink | undefined;
  /** Makes the next lookup of the link read the database. */
  forgetLink(domainId: string, foldedKey: string): void;
} & Lookup;

/**
 * Answers lookups from caches and a separate read-only connection. The caches are never stale: every process counts its
 * commits in shared memory (database/commit-count.ts), and a lookup that sees a new count first drops the objects that
 * the new events name. `lookupFolder` holds the lookup files.
 */
export function openSqliteLookup({ path, commits }: SqliteHandle, lookupFolder: string): SqliteLookup {
  const file = openSqliteReader(path);
  const selectDomains = file.query<RedirectDomainRow, [string]>(
    `SELECT ${quoted(domainColumns)}, ${hasLogo} AS "hasLogo", ${hasForwarding} AS "hasForwarding"
     FROM domains WHERE slug = ? AND ${isKept("domains")}`,
  );
  const selectPreview = file.query<LinkPreview, [string]>(`SELECT ${quoted(previewColumns)} FROM links WHERE id = ?`);
  const reads = sharedReads(file);
  const lookupFile = openActiveLookupFile(file, lookupFolder);
  const blocks = openCachedBlocks(file);
  const links = new LinkCache({ file, reads, lookupFile, blocks });
  const hosts = new HostCache<RedirectDomain>(cachedHostsMax);
  const catchUp = openChangeWatch(
    { file, commits, reads, lookupFile, blocks },
    {
      forgetLink: (domainId, foldedKey) => links.forget(domainId, foldedKey),
      forgetDomains: () => hosts.clear(),
      forgetAll() {
        links.clear();
        hosts.clear();
      },
    },
  );

  function findLink(domainId: string, foldedKey: string): RedirectLink | undefined {
    catchUp();
    return links.find(domainId, foldedKey);
  }

  return {
    domain(host) {
      catchUp();
      let cached = hosts.get(host);
      if (cached === undefined) {
        const row = chooseDomain(selectDomains.all(host));
        cached = row === undefined ? null : redirectDomain(row, blocks.current);
        hosts.set(host, cached);
      }
      return cached ?? undefined;
    },
    link: findLink,
    forgetLink: (domainId, foldedKey) => links.forget(domainId, foldedKey),
    isDeleted(domainId, foldedKey) {
      catchUp();
      return links.isDeleted(domainId, foldedKey);
    },
    forwardingLink: (domainId, foldedKeys) =>
      firstOf(foldedKeys, (foldedKey) => {
        const link = findLink(domainId, foldedKey);
        return link?.forwardPath ? link : undefined;
      }),
    preview: async (linkId) => selectPreview.get(linkId) ?? noPreview,
    blocks() {
      catchUp();
      return blocks.current;
    },
    close() {
      reads.end();
      lookupFile.close();
      file.close();
    },
  };
}

/**
 * The operator's blocks as last read, and the workspaces of blocked users. `catchUp` reads both again if they have
 * changed, and then returns true.
 */
type CachedBlocks = { readonly current: Blocks; readonly userWorkspaces: ReadonlySet<number>; catchUp(): boolean };

function openCachedBlocks(file: SqliteReader): CachedBlocks {
  const selectRevision = file.query<{ revision: string }, []>(`SELECT ${blocksRevision} AS revision`);
  const select = file.query<Block, []>("SELECT kind, target, name FROM blocks");
  // The lookup file does not say who created a link, so links in blocked users' workspaces are read from the database.
  const blockedUsers = `SELECT target FROM blocks WHERE kind = 'user'`;
  const selectWorkspaces = file.query<{ workspaceId: number }, []>(
    `SELECT "workspaceId" FROM members WHERE "userId" IN (${blockedUsers})
     UNION SELECT "workspaceId" FROM events WHERE "objectId" IN (${blockedUsers})`,
  );
  let current = new Blocks("", []);
  let userWorkspaces = new Set<number>();
  return {
    get current() {
      return current;
    },
    get userWorkspaces() {
      return userWorkspaces;
    },
    catchUp() {
      const revision = selectRevision.get()?.revision ?? "";
      if (revision === current.revision) return false;
      userWorkspaces = new Set(selectWorkspaces.all().map(({ workspaceId }) => workspaceId));
      current = new Blocks(revision, select.all());
      return true;
    },
  };
}

type LinkSources = { file: SqliteReader; reads: SharedReads; lookupFile: ActiveLookupFile; blocks: CachedBlocks };

/** Finds links in a cache, else in the lookup file, else in the database. The caller drops changed links: `forget`. */
class LinkCache {
  readonly #reads: SharedReads;
  readonly #lookupFile: ActiveLookupFile;
  readonly #blocks: CachedBlocks;
  readonly #select: SqliteQuery<LookupRow & { seq: number }, [string, string]>;
  readonly #cached = new LruPairCache<RedirectLink>(cachedLinksMax);
  /** A separate cache of missing keys: a flood of unknown keys evicts no link. */
  readonly #absent = new LruPairCache<true>(cachedAbsentMax);
  /** For missing keys: whether a deleted link had the key. */
  readonly #deleted = new LruPairCache<boolean>(cachedAbsentMax);
  readonly #selectDeleted: SqliteQuery<{ isDeleted: number }, [string, string]>;
  readonly #lookedUpBefore = new DoorkeeperFilter(lookedUpBeforeBits);

  constructor({ file, reads, lookupFile, blocks }: LinkSources) {
    this.#blocks = blocks;
    this.#reads = reads;
    this.#lookupFile = lookupFile;
    this.#select = file.query(
      `SELECT seq, ${quoted(linkColumns)} FROM links WHERE "domainId" = ? AND "foldedKey" = ? AND ${isKept("links")}`,
    );
    this.#selectDeleted = file.query(`SELECT ${isDeletedKey("?1", "?2")} AS "isDeleted"`);
  }

  isDeleted(domainId: string, foldedKey: string): boolean {
    let cached = this.#deleted.get(domainId, foldedKey);
    if (cached === undefined) {
      this.#reads.begin();
      cached = this.#selectDeleted.get(domainId, foldedKey)?.isDeleted === 1;
      this.#deleted.set(domainId, foldedKey, cached);
    }
    return cached;
  }

  find(domainId: string, foldedKey: string): RedirectLink | undefined {
    const cached = this.#cached.get(domainId, foldedKey);
    if (cached !== undefined) return cached;
    if (this.#absent.get(domainId, foldedKey)) return undefined;
    const found = this.#lookupFile.find(domainId, foldedKey);
    if (found === "unknown") return this.#findInDatabase(domainId, foldedKey);
    // Not cached: the lookup file answers so cheaply that caching even a thousand keys makes visits slower overall.
    if (found === "absent") return undefined;
    return this.#mayBeBlocked(found) ? this.#findInDatabase(domainId, foldedKey) : plainRedirectLink(found);
  }

  #mayBeBlocked({ id, workspaceId, url }: Pick<RedirectLink, "id" | "workspaceId" | "url">): boolean {
    const { current, userWorkspaces } = this.#blocks;
    if (current.isEmpty) return false;
    return (
      userWorkspaces.has(workspaceId) || current.blocksLink({ id, workspaceId, userId: null }) || current.hasHostOf(url)
    );
  }

  #findInDatabase(domainId: string, foldedKey: string): RedirectLink | undefined {
    this.#reads.begin();
    const row = this.#select.get(domainId, foldedKey);
    if (row === null) {
      this.#absent.set(domainId, foldedKey, true);
      return undefined;
    }
    const link = redirectLink(row, this.#blocks.current);
    // With very many links, most are not visited again soon. Caching those would evict links that are, and long-lived
    // objects cost the garbage collector most. So a full cache admits a link only on its second lookup.
    if (this.#cached.hasRoom || this.#lookedUpBefore.testAndAdd(row.seq)) this.#cached.set(domainId, foldedKey, link);
    return link;
  }

  forget(domainId: string, foldedKey: string): void {
    this.#cached.delete(domainId, foldedKey);
    this.#absent.delete(domainId, foldedKey);
    this.#deleted.delete(domainId, foldedKey);
  }

  clear(): void {
    this.#cached.clear();
    this.#absent.clear();
    this.#deleted.clear();
  }
}

/** A read transaction shared by lookups: `begin` does nothing while it is open, `end` while none is. */
type SharedReads = { begin(): void; end(): void };

/**
 * Lets the lookups of one tick share a transaction: beginning and ending one per lookup takes four system calls, 3.5
 * of the 11 µs that a lookup among ten million links takes. No lookup misses a change: the first one after a counted
 * commit ends the transaction. Commits of the click counters are not counted, because lookups do not read them.
 */
function sharedReads(file: SqliteReader): SharedReads {
  const begin = file.query("BEGIN");
  const commit = file.query("COMMIT");
  let isOpen = false;
  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    // A disk error has already ended the transaction.
    if (file.inTransaction) commit.run();
  }
  return {
    begin() {
      if (isOpen) return;
      begin.run();
      isOpen = true;
      setImmediate(end);
    },
    end,
  };
}

/** Caches found hosts, and missing ones in a separate cache, so that a flood of unknown hosts evicts no found one. */
class HostCache<Value extends object> {
  readonly #found: LruCache<string, Value>;
  readonly #absent = new LruCache<string, null>(cachedAbsentMax);

  constructor(entriesMax: number) {
    this.#found = new LruCache(entriesMax);
  }

  /** null for a host known to be missing, undefined for one that is not cached. */
  get(key: string): Value | null | undefined {
    return this.#found.get(key) ?? this.#absent.get(key);
  }

  set(key: string, value: Value | null): void {
    if (value === null) this.#absent.set(key, value);
    else this.#found.set(key, value);
  }

  delete(key: string): void {
    this.#found.delete(key);
    this.#absent.delete(key);
  }

  clear(): void {
    this.#found.clear();
    this.#absent.clear();
  }
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

type ChangeSources = {
  file: SqliteReader;
  commits: () => number;
  reads: SharedReads;
  lookupFile: ActiveLookupFile;
  blocks: CachedBlocks;
};
type Caches = { forgetLink(domainId: string, foldedKey: string): void; forgetDomains(): void; forgetAll(): void };

/** Returns a function that drops changed objects from the caches. The caller calls it before each lookup. */
function openChangeWatch({ file, commits, reads, lookupFile, blocks }: ChangeSources, caches: Caches): () => void {
  const changes = openChanges(file);
  // Undefined, so that the first lookup catches up: the caches are empty, but the blocks have not been read.
  let lastCommits: number | undefined;
  let lastChange = changes.last();

  function forgetChanged(): void {
    const isTooLarge = changes.bytesAfter(lastChange, changesMax + 1) > changedBytesMax;
    const next = isTooLarge ? [] : changes.after(lastChange, changesMax + 1);
    if (blocks.catchUp() || isTooLarge || next.length > changesMax || next.some(({ type }) => concernsDomains(type))) {
      caches.forgetAll();
      lastChange = changes.last();
      return;
    }
    for (const change of next) {
      lastChange = change.id;
      forgetLinkOf(caches, change);
    }
  }

  return () => {
    const now = commits();
    if (now === lastCommits) return;
    // The next read begins a new transaction, which sees at least the changes that are applied here.
    reads.end();
    forgetChanged();
    lookupFile.catchUp();
    // Set last, so that the next lookup repeats this call if it failed. The count was read first, so a commit during
    // this call makes the next lookup check again, which does no harm.
    lastCommits = now;
  };
}

/** True for an event that clears all caches. Deleting a workspace does, since its links and domains get no events. */
function concernsDomains(type: string): boolean {
  return type.startsWith("domain.") || type === "workspace.deleted";
}

/** Drops a link under its keys before and after a change. */
function forgetLinkOf(caches: Caches, change: RecordedChange): void {
  forEachLinkKey(change, caches.forgetLink);
  // A cached domain knows whether any of its links forwards paths. The event of a moved link does not tell whether that
  // link does.
  if (change.isForwarding !== 0 || change.domainIdBefore !== null) caches.forgetDomains();
}
