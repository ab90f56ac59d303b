import { Recent } from "../base/recent.ts";
import { openSqliteReader, type SqliteReader } from "../database/sqlite.ts";
import {
  chooseDomain,
  type DomainRow,
  type DomainTarget,
  domainColumns,
  domainTarget,
  type LinkRow,
  type LinkTarget,
  type Lookup,
  linkColumns,
  linkTarget,
} from "./lookup.ts";

/** Links and absent keys remembered: some 100 MB when all of them are long. */
const recentLinksMax = 100_000;
const recentHostsMax = 10_000;
/** Recorded changes looked at one by one; beyond them everything is forgotten instead, which is cheaper. */
const eventsMax = 500;

/** Remembered in place of undefined, which a cache cannot hold. */
const absent = Symbol("absent");
type Remembered<Value> = Value | typeof absent;

/**
 * Look-ups from a read-only connection of its own, behind a cache that is never stale.
 *
 * Once in each turn of the event loop that asks anything, `PRAGMA data_version` tells whether any connection of any
 * process has committed since; if so, the events committed name what to forget. A request that is answered after a
 * change was answered is looked up in a later turn, and so sees it.
 */
export function openSqliteLookup(path: string): Lookup {
  const file = openSqliteReader(path);
  const selectDomains = file.query<DomainRow, [string]>(`SELECT ${quoted(domainColumns)} FROM domains WHERE slug = ?`);
  const selectLink = file.query<LinkRow, [string, string]>(
    `SELECT ${quoted(linkColumns)} FROM links WHERE "domainId" = ? AND "foldedKey" = ?`,
  );
  const links = new Recent<string, Remembered<LinkTarget>>(recentLinksMax);
  const hosts = new Recent<string, Remembered<DomainTarget>>(recentHostsMax);
  const catchUp = changeWatch(file, {
    forgetLink: (domainId, foldedKey) => links.delete(cacheKey(domainId, foldedKey)),
    forgetAll() {
      links.clear();
      hosts.clear();
    },
  });

  return {
    domain(host) {
      catchUp();
      let known = hosts.get(host);
      if (known === undefined) {
        const row = chooseDomain(selectDomains.all(host));
        known = row === undefined ? absent : domainTarget(row);
        hosts.set(host, known);
      }
      return known === absent ? undefined : known;
    },
    link(domainId, foldedKey) {
      catchUp();
      const key = cacheKey(domainId, foldedKey);
      let known = links.get(key);
      if (known === undefined) {
        const row = selectLink.get(domainId, foldedKey);
        known = row === null ? absent : linkTarget(row);
        links.set(key, known);
      }
      return known === absent ? undefined : known;
    },
    close: () => file.close(),
  };
}

type Memory = { forgetLink(domainId: string, foldedKey: string): void; forgetAll(): void };

/** A function that, called before each look-up, makes the memory forget what has changed; one check in each turn. */
function changeWatch(file: SqliteReader, memory: Memory): () => void {
  const selectVersion = file.query<{ data_version: number }, []>("PRAGMA data_version");
  const selectEvents = file.query<EventRow, [number, number]>(
    "SELECT id, type, data FROM events WHERE id > ? ORDER BY id LIMIT ?",
  );
  const selectLastEvent = file.query<{ id: number }, []>("SELECT coalesce(max(id), 0) AS id FROM events");
  let version = -1;
  let lastEvent = 0;
  let isChecked = false;

  function forgetEverything(): void {
    memory.forgetAll();
    lastEvent = selectLastEvent.get()?.id ?? 0;
  }

  function forgetChanged(): void {
    const events = selectEvents.all(lastEvent, eventsMax + 1);
    if (events.length > eventsMax || events.some(({ type }) => type.startsWith("domain."))) {
      forgetEverything();
      return;
    }
    for (const { id, type, data } of events) {
      lastEvent = id;
      if (type.startsWith("link.")) forgetLinkOf(memory, data);
    }
  }

  return () => {
    if (isChecked) return;
    isChecked = true;
    setImmediate(() => {
      isChecked = false;
    });
    const now = selectVersion.get()?.data_version ?? 0;
    if (now === version) return;
    if (version === -1) forgetEverything();
    else forgetChanged();
    version = now;
  };
}

type EventRow = { id: number; type: string; data: string };
type ChangeOfLink = { domainId: string; foldedKey: string; before?: { domainId?: string; foldedKey?: string } };

/** A link is forgotten where it stands after a change, and where it stood before. */
function forgetLinkOf(memory: Memory, data: string): void {
  // Written by the verbs of links/, which all name both.
  const { domainId, foldedKey, before } = JSON.parse(data) as ChangeOfLink;
  memory.forgetLink(domainId, foldedKey);
  memory.forgetLink(before?.domainId ?? domainId, before?.foldedKey ?? foldedKey);
}

function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(", ");
}

function cacheKey(domainId: string, foldedKey: string): string {
  return `${domainId}/${foldedKey}`;
}
