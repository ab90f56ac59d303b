import type { SqliteReader } from "../database/sqlite-reader.ts";

/** A change that the outbox has recorded; what names a link is null in changes of other things. */
export type RecordedChange = {
  id: number;
  workspaceId: number;
  type: string;
  domainId: string | null;
  foldedKey: string | null;
  domainIdBefore: string | null;
  foldedKeyBefore: string | null;
  /** 1 when the link passes on paths, or did; the change of a link that is moved does not say. */
  isForwarding: number;
};

/** The outbox as look-ups read it: at once, in the order of the changes. */
export type RecordedChanges = {
  /** The first `limit` changes behind this one. */
  after(id: number, limit: number): RecordedChange[];
  /** How many bytes those changes have in the file; SQLite knows it without reading them. */
  bytesAfter(id: number, limit: number): number;
  /** The number of the last change; 0 when there is none. */
  last(): number;
};

/** Reads the outbox by way of an open connection. */
export function openChanges(file: SqliteReader): RecordedChanges {
  const select = file.query<RecordedChange, [number, number]>(
    // Taken apart there: the data holds the whole link, of which little matters here.
    `SELECT id, "workspaceId", type, data->>'domainId' AS "domainId", data->>'foldedKey' AS "foldedKey",
       data->'before'->>'domainId' AS "domainIdBefore", data->'before'->>'foldedKey' AS "foldedKeyBefore",
       coalesce(data->'before'->>'forwardPath', 0) OR coalesce(data->'after'->>'forwardPath', 0) AS "isForwarding"
     FROM events WHERE id > ? ORDER BY id LIMIT ?`,
  );
  const selectBytes = file.query<{ bytes: number }, [number, number]>(
    `SELECT coalesce(sum(bytes), 0) AS bytes
     FROM (SELECT octet_length(data) AS bytes FROM events WHERE id > ? ORDER BY id LIMIT ?)`,
  );
  const selectLast = file.query<{ id: number }, []>("SELECT coalesce(max(id), 0) AS id FROM events");
  return {
    after: (id, limit) => select.all(id, limit),
    bytesAfter: (id, limit) => selectBytes.get(id, limit)?.bytes ?? 0,
    last: () => selectLast.get()?.id ?? 0,
  };
}

/** Calls back with where the link of a change stands after it, and where it stood before; not for other changes. */
export function forEachLinkKey(change: RecordedChange, visit: (domainId: string, foldedKey: string) => void): void {
  const { type, domainId, foldedKey, domainIdBefore, foldedKeyBefore } = change;
  // Events of links all name a place, see links/link-events.ts.
  if (!type.startsWith("link.") || domainId === null || foldedKey === null) return;
  visit(domainId, foldedKey);
  if (domainIdBefore !== null || foldedKeyBefore !== null) {
    visit(domainIdBefore ?? domainId, foldedKeyBefore ?? foldedKey);
  }
}
