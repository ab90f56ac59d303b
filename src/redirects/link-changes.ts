import type { SqliteReader } from "../database/sqlite-reader.ts";

/** A change recorded in the outbox; the columns that name a link are null for changes of other objects. */
export type RecordedChange = {
  id: number;
  workspaceId: number;
  type: string;
  domainId: string | null;
  foldedKey: string | null;
  domainIdBefore: string | null;
  foldedKeyBefore: string | null;
  /** 1 when the link forwards paths or did before; not known for a moved link. */
  isForwarding: number;
};

/** Reads the outbox synchronously, in the order of the changes. */
export type RecordedChanges = {
  /** The first `limit` changes after this one. */
  after(id: number, limit: number): RecordedChange[];
  /** The bytes of those changes; SQLite knows them without reading the rows. */
  bytesAfter(id: number, limit: number): number;
  /** The id of the last change; 0 for none. */
  last(): number;
};

/** Opens the outbox on a connection. */
export function openChanges(file: SqliteReader): RecordedChanges {
  const select = file.query<RecordedChange, [number, number]>(
    // SQLite extracts these values, since the JSON holds the whole link. By paths: data->'after' would write and parse the
    // link a second time.
    `SELECT id, "workspaceId", type, data->>'domainId' AS "domainId", data->>'foldedKey' AS "foldedKey",
       data->>'$.before.domainId' AS "domainIdBefore", data->>'$.before.foldedKey' AS "foldedKeyBefore",
       coalesce(data->>'$.before.forwardPath', 0) OR coalesce(data->>'$.after.forwardPath', 0) AS "isForwarding"
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

/** Calls `visit` with the link's domain and key after a change, and with those before it if they differ. */
export function forEachLinkKey(change: RecordedChange, visit: (domainId: string, foldedKey: string) => void): void {
  const { type, domainId, foldedKey, domainIdBefore, foldedKeyBefore } = change;
  // All events of links have both; see links/link-events.ts.
  if (!type.startsWith("link.") || domainId === null || foldedKey === null) return;
  visit(domainId, foldedKey);
  if (domainIdBefore !== null || foldedKeyBefore !== null) {
    visit(domainIdBefore ?? domainId, foldedKeyBefore ?? foldedKey);
  }
}
