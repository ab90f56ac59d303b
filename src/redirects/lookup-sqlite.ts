import { type Blocked, Blocks, blocksRevision } from "../access/blocks.ts";
import { DoorkeeperFilter } from "../base/doorkeeper-filter.ts";
import { LruCache } from "../base/lru-cache.ts";
import { LruPairCache } from "../base/lru-pair-cache.ts";
import type { SqliteFacts } from "../database/database.ts";
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

/** Links remembered, of a kilobyte each; twice as many at most. */
const cachedLinksMax = 50_000;
const cachedHostsMax = 10_000;
/** Keys and hosts remembered as absent, of each kind; of those that somebody guesses few come twice. */
const cachedAbsentMax = 5_000;
/** Of a million links it is known that they were looked up lately; 4 MiB. */
const lookedUpBeforeBits = 20;
/** Recorded changes looked at one by one; beyond them everything is forgotten instead, which is cheaper. */
const changesMax = 500;
/** Bytes of those changes; a bulk call of 4 MiB records some 8, which would take 13 ms to read. */
const changedBytesMax = 512 * 1024;

/**
 * Look-ups from a read-only connection of its own, behind a cache that is never stale: whichever process changes links
 * and domains counts its commits where all of them see it (database/commit-count.ts), and a look-up that finds one more
 * of them first forgets what the events of it name.
 */
export function openSqliteLookup({ path, commits }: SqliteFacts, lookupFiles: string): Lookup {
  const file = openSqliteReader(path);
  const selectDomains = file.query<RedirectDomainRow, [string]>(
    `SELECT ${quoted(domainColumns)}, ${hasLogo} AS "hasLogo", ${hasForwarding} AS "hasForwarding"
     FROM domains WHERE slug = ? AND ${isKept("domains")}`,
  );
  const selectPreview = file.query<LinkPreview, [string]>(`SELECT ${quoted(previewColumns)} FROM links WHERE id = ?`);
  const reads = sharedReads(file);
  const lookupFile = openActiveLookupFile(file, lookupFiles);
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

/** The blocks as last read, and a function that reads them again when they have changed and then returns true. */
type CachedBlocks = { readonly current: Blocks; readonly userWorkspaces: ReadonlySet<number>; catchUp(): boolean };

function openCachedBlocks(file: SqliteReader): CachedBlocks {
  const selectRevision = file.query<{ revision: string }, []>(`SELECT ${blocksRevision} AS revision`);
  const select = file.query<Blocked, []>("SELECT kind, target, name FROM blocks");
  // The look-up file does not say who created a link; the workspaces say which links have to be looked at.
  const users = `SELECT target FROM blocks WHERE kind = 'user'`;
  const selectWorkspaces = file.query<{ workspaceId: number }, []>(
    `SELECT "workspaceId" FROM members WHERE "userId" IN (${users})
     UNION SELECT "workspaceId" FROM events WHERE "objectId" IN (${users})`,
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

/** Links as they are remembered, else in the look-up file, else in the database; what has changed is to be forgotten. */
class LinkCache {
  readonly #reads: SharedReads;
  readonly #lookupFile: ActiveLookupFile;
  readonly #blocks: CachedBlocks;
  readonly #select: SqliteQuery<LookupRow & { seq: number }, [string, string]>;
  readonly #cached = new LruPairCache<RedirectLink>(cachedLinksMax);
  /** What is absent is remembered apart: a flood of unknown keys pushes no link out. */
  readonly #absent = new LruPairCache<true>(cachedAbsentMax);
  /** Of absent keys, whether a link had them that was deleted. */
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
    // So cheap an answer is not remembered: to remember even a thousand of them makes visits slower on the whole.
    if (found === "absent") return undefined;
    return this.#mayBeBlocked(found) ? this.#findInDatabase(domainId, foldedKey) : plainRedirectLink(found);
  }

  #mayBeBlocked({ id, workspaceId, url }: Pick<RedirectLink, "id" | "workspaceId" | "url">): boolean {
    const { current, userWorkspaces } = this.#blocks;
    if (current.isEmpty) return false;
    return (
      userWorkspaces.has(workspaceId) || current.hasLink({ id, workspaceId, userId: null }) || current.hasHostOf(url)
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
    // Most links of very many are not asked for again soon: they would push out those that are, and what has been
    // remembered for a while is what the collector of memory finds hardest to take away.
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

/** A transaction that reads share; neither call does anything where there is nothing to begin or to end. */
type SharedReads = { begin(): void; end(): void };

/**
 * Lets the look-ups of one turn of the event loop share a transaction: to begin and end one for each takes four calls of
 * the system, 3.5 of the 11 µs in which a link is found among ten million. No look-up sees less by it: the next one
 * after a commit that counts ends it first, and the others are the counters', of which nothing is read here.
 */
function sharedReads(file: SqliteReader): SharedReads {
  const begin = file.query("BEGIN");
  const commit = file.query("COMMIT");
  let isOpen = false;
  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    // An error of the disk ends it by itself.
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

/** What was found, and apart from it what is absent: a flood of unknown names pushes none out. */
class HostCache<Value extends object> {
  readonly #found: LruCache<string, Value>;
  readonly #absent = new LruCache<string, null>(cachedAbsentMax);

  constructor(entriesMax: number) {
    this.#found = new LruCache(entriesMax);
  }

  /** null for what is known to be absent, undefined for what is not known. */
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

/** A function that, called before each look-up, makes the memory forget what has changed. */
function openChangeWatch({ file, commits, reads, lookupFile, blocks }: ChangeSources, caches: Caches): () => void {
  const changes = openChanges(file);
  // Nothing is remembered yet; the first look-up asks all the same.
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
    // What is read from here on is not older than the changes that are looked at now.
    reads.end();
    forgetChanged();
    lookupFile.catchUp();
    // Last, so that all is done again where something failed. The number is the one of before: a commit meanwhile is
    // looked at again by the next look-up, which does no harm.
    lastCommits = now;
  };
}

/** A deleted workspace has its links and domains for a while yet, and no events for each of them. */
function concernsDomains(type: string): boolean {
  return type.startsWith("domain.") || type === "workspace.deleted";
}

/** A link is forgotten where it stands after a change, and where it stood before. */
function forgetLinkOf(caches: Caches, change: RecordedChange): void {
  forEachLinkKey(change, caches.forgetLink);
  // A domain knows whether a link of it forwards paths; the event of a move does not say whether the link does.
  if (change.isForwarding !== 0 || change.domainIdBefore !== null) caches.forgetDomains();
}

function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(", ");
}
