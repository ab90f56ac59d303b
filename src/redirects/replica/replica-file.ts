import { rmSync } from "node:fs";
import { openCommitCount } from "../../database/commit-count.ts";
import { quoted } from "../../database/quoted.ts";
import { openSqliteWriter, type SqliteWriter } from "../../database/sqlite-writer.ts";
import type { RecordedChange } from "../link-changes.ts";
import {
  type Filling,
  type PositionInDatabase,
  positionSetting,
  type ReplicaPosition,
  readPosition,
  replicaLayout,
} from "./replica-position.ts";
import { type CopiedRow, type CopiedTableName, copiedTables, keyOf, replicaSchema } from "./replica-tables.ts";

/** Rows of a deleted domain or erased workspace that one transaction deletes from a table. */
const deletedRowsMax = 5_000;
/** Rows that one transaction deletes from a file that is too large: a small part of the smallest limit. */
const evictedRowsMax = 100;
/** Changes that the replica keeps: more than a lookup file may lag behind. */
const keptChanges = 400_000;
/** Old changes are deleted when there are this many more. */
const excessChangesMax = 100_000;

/** A change of the outbox, as the replica keeps it for lookups and lookup files. */
export type ReplicatedChange = Omit<RecordedChange, "id"> & { objectId: string; at: number };

/** The current rows of some keys; keys without a row were deleted. */
type CurrentRows = { table: CopiedTableName; keys: readonly (readonly string[])[]; rows: readonly CopiedRow[] };

/** The blocks as the lookups read them: the blocks, their revision, and the workspaces of blocked users. */
export type ReplicatedBlocks = {
  revision: string;
  blocks: readonly { kind: string; target: string; name: string | null }[];
  members: readonly { workspaceId: number; userId: string }[];
};

/** Changes between two snapshots, or a part of them. */
export type Delta = {
  changes: readonly ReplicatedChange[];
  current: readonly CurrentRows[];
  /** Every deleted workspace whose rows are not erased yet. */
  erasures: readonly number[];
  /** undefined when they have not changed. */
  blocks: ReplicatedBlocks | undefined;
};

/**
 * The writing side of a replica: a SQLite file with what redirects read of a PostgreSQL database. One thread writes it;
 * lookups of all processes of the node read it.
 */
export class ReplicaFile {
  readonly #file: SqliteWriter;
  readonly #commits: { add(): void };

  /** Opens the file at `path`; creates it if it is absent or has the tables of another version. */
  constructor(path: string) {
    this.#file = openTables(path);
    this.#commits = openCommitCount(`${path}-commits`);
  }

  /** undefined for a replica that has not begun. */
  get position(): ReplicaPosition | undefined {
    return readPosition(this.#file);
  }

  /** The revision of the copied blocks. */
  get blocksRevision(): string | undefined {
    return this.#setting("blocksRevision");
  }

  /** Bytes of the file that are in use, without its log. Free pages are used before the file grows. */
  get bytes(): number {
    const pragma = (name: string) => Number(this.#file.query<number[], []>(`PRAGMA ${name}`).values()[0]?.[0] ?? 0);
    return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
  }

  setPosition(position: PositionInDatabase): void {
    this.#commit(() => this.#storePosition(position));
  }

  /** Begins to fill the replica. What it knows of deleted workspaces may belong to another timeline. */
  beginFilling(position: PositionInDatabase): void {
    this.#commit(() => {
      this.#file.query("DELETE FROM erasures").run();
      this.#file.query("DELETE FROM pendingDeletions").run();
      this.#storePosition(position);
    });
  }

  /**
   * Replaces the rows of a table whose keys come after `after`, up to the last of `rows`; to the end of the table when
   * `isLast`.
   */
  replacePage(
    table: CopiedTableName,
    { after, rows, isLast }: { after: readonly string[] | null; rows: readonly CopiedRow[]; isLast: boolean },
    position: PositionInDatabase,
  ): void {
    const key = copiedTables[table].key;
    const last = rows.at(-1);
    const bounds = [
      ...(after === null ? [] : [{ sign: ">", values: after }]),
      ...(isLast || last === undefined ? [] : [{ sign: "<=", values: keyOf(table, last) }]),
    ];
    const list = quoted(key);
    const where = bounds.map(({ sign, values }) => `(${list}) ${sign} (${values.map(() => "?").join(", ")})`);
    const condition = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
    this.#commit(() => {
      this.#file.query(`DELETE FROM "${table}" ${condition}`).run(...bounds.flatMap(({ values }) => values));
      this.#insert(table, rows);
      this.#storePosition(position);
    });
  }

  /**
   * Declares that rows may be missing from now on. Lookup files are made of complete replicas only, so the current one is
   * no longer used.
   */
  markPartial(position: PositionInDatabase): void {
    this.#commit(() => {
      this.#deleteLookupFile();
      this.#storePosition({ ...position, isPartial: true });
    });
  }

  /**
   * Deletes some rows of a partial replica, in a short transaction; false when there are none that may be missing. Deleted keys
   * go first, then the links that were stored first. While links are copied, those that the copy has not reached go, the last
   * first: they may be from before it.
   */
  evict(filling: Filling | null): boolean {
    if (filling !== null && filling.table !== "links") return false;
    const evictFrom = (table: "links" | "releasedKeys", condition: string, values: string[] = []) => {
      const rows = `SELECT rowid FROM "${table}" ${condition} LIMIT ${evictedRowsMax}`;
      return this.#file.query(`DELETE FROM "${table}" WHERE rowid IN (${rows})`).run(...values).changes > 0;
    };
    let isEvicted = false;
    this.#commit(() => {
      isEvicted =
        evictFrom("releasedKeys", "") ||
        (filling === null
          ? evictFrom("links", "ORDER BY seq")
          : evictFrom("links", "WHERE id > ? ORDER BY id DESC", filling.after?.slice() ?? [""]));
    });
    return isEvicted;
  }

  /** Stores links that PostgreSQL has, as they were read there since the position's snapshot. */
  addLinks(rows: readonly CopiedRow[]): void {
    this.#commit(() => this.#insert("links", rows));
  }

  /** Makes lookups forget all that they remember; for rows that were replaced without changes. */
  forgetAll(at: number): void {
    this.#commit(() => {
      this.#deleteLookupFile();
      this.#insertChange({ ...noLink, workspaceId: 0, type: "domain.updated", objectId: "", at });
    });
  }

  /**
   * Applies changes, and stores the snapshot that is then reached, if any. Safe to repeat: the rows are those of the moment
   * at which they were read.
   */
  apply({ changes, current, erasures, blocks }: Delta, snapshot: string | undefined): void {
    const known = this.#knownErasures();
    const isSameErasures = known.length === erasures.length && erasures.every((id) => known.includes(id));
    if (changes.length === 0 && blocks === undefined && isSameErasures) {
      this.#storeSnapshot(snapshot);
      return;
    }
    this.#commit(() => {
      for (const { table, keys, rows } of current) {
        this.#delete(table, keys);
        this.#insert(table, rows);
      }
      if (blocks !== undefined) this.#replaceBlocks(blocks);
      for (const change of changes) {
        this.#insertChange(change);
        if (change.type === "domain.deleted") this.#addPendingDeletion("domainId", change.objectId);
        // Also of a workspace that was erased before this replica saw it among the erasures.
        if (change.type === "workspace.deleted" && !erasures.includes(change.workspaceId))
          known.push(change.workspaceId);
      }
      this.#file.query("DELETE FROM erasures").run();
      for (const id of erasures) this.#file.query("INSERT INTO erasures VALUES (?)").run(id);
      // Rows of an erased workspace are gone from PostgreSQL, without events.
      for (const id of known) if (!erasures.includes(id)) this.#addPendingDeletion("workspaceId", id);
      this.#storeSnapshot(snapshot);
    });
    this.#deleteOldChanges();
  }

  /**
   * Deletes some rows of deleted domains and erased workspaces, in a short transaction; true while some are left. No
   * lookup finds these rows, except those of workspaces on shared domains.
   */
  deletePending(): boolean {
    const next = this.#file
      .query<{ column: "domainId" | "workspaceId"; value: string | number }, []>(
        "SELECT * FROM pendingDeletions LIMIT 1",
      )
      .get();
    if (next === null) return false;
    const { column, value } = next;
    const tables = { domainId: ["links", "releasedKeys"], workspaceId: ["links", "domains", "events"] }[column];
    this.#commit(() => {
      for (const table of tables) {
        const rows = `SELECT rowid FROM "${table}" WHERE "${column}" = ? LIMIT ${deletedRowsMax}`;
        const { changes } = this.#file.query(`DELETE FROM "${table}" WHERE rowid IN (${rows})`).run(value);
        if (changes === deletedRowsMax) return;
      }
      this.#file.query(`DELETE FROM pendingDeletions WHERE "column" = ? AND value = ?`).run(column, value);
    });
    return true;
  }

  close(): void {
    this.#file.close();
  }

  #setting(name: string): string | undefined {
    return this.#file.query<{ value: string }, [string]>("SELECT value FROM settings WHERE name = ?").get(name)?.value;
  }

  /** Commits, then counts the commit, so that a lookup that sees the count sees the rows; see commit-count.ts. */
  #commit(work: () => void): void {
    this.#file.transaction(work).immediate();
    this.#commits.add();
  }

  #storePosition(position: PositionInDatabase): void {
    const value = JSON.stringify({ layout: replicaLayout, ...position });
    if (value === this.#setting(positionSetting)) return;
    this.#file.query("INSERT OR REPLACE INTO settings VALUES (?, ?)").run(positionSetting, value);
  }

  /** Stores the snapshot whose changes are applied; a filled replica is then usable. */
  #storeSnapshot(snapshot: string | undefined): void {
    const { position } = this;
    if (position === undefined || snapshot === undefined) return;
    this.#storePosition({ ...position, snapshot, isUsable: position.isUsable || position.filling === null });
  }

  #deleteLookupFile(): void {
    this.#file.query("DELETE FROM settings WHERE name = 'lookupFile'").run();
  }

  #insert(table: CopiedTableName, rows: readonly CopiedRow[]): void {
    const { columns } = copiedTables[table];
    // OR REPLACE: a link may take a key whose former link is read only later.
    const insert = this.#file.query(
      `INSERT OR REPLACE INTO "${table}" (${quoted(columns)}) VALUES (${columns.map(() => "?").join(", ")})`,
    );
    for (const row of rows) insert.run(...columns.map((column) => row[column] ?? null));
  }

  #delete(table: CopiedTableName, keys: readonly (readonly string[])[]): void {
    const condition = copiedTables[table].key.map((column) => `"${column}" = ?`).join(" AND ");
    const statement = this.#file.query(`DELETE FROM "${table}" WHERE ${condition}`);
    for (const key of keys) statement.run(...key);
  }

  #insertChange(change: ReplicatedChange): void {
    const { workspaceId, type, objectId, at, domainId, foldedKey, domainIdBefore, foldedKeyBefore, isForwarding } =
      change;
    const hasBefore = domainIdBefore !== null || foldedKeyBefore !== null || isForwarding === 1;
    // The parts of an event's data that link-changes.ts reads.
    const before = { domainId: domainIdBefore, foldedKey: foldedKeyBefore, forwardPath: isForwarding };
    const data = JSON.stringify({ domainId, foldedKey, ...(hasBefore ? { before } : {}) });
    this.#file
      .query(`INSERT INTO events ("workspaceId", type, "objectId", at, data) VALUES (?, ?, ?, ?, ?)`)
      .run(workspaceId, type, objectId, at, data);
  }

  #replaceBlocks({ revision, blocks, members }: ReplicatedBlocks): void {
    this.#file.query("DELETE FROM blocks").run();
    this.#file.query("DELETE FROM members").run();
    for (const { kind, target, name } of blocks) {
      this.#file.query("INSERT INTO blocks VALUES (?, ?, ?)").run(kind, target, name);
    }
    for (const { workspaceId, userId } of members) {
      this.#file.query("INSERT INTO members VALUES (?, ?)").run(workspaceId, userId);
    }
    this.#file.query("INSERT OR REPLACE INTO settings VALUES ('blocksRevision', ?)").run(revision);
  }

  #knownErasures(): number[] {
    const select = this.#file.query<{ workspaceId: number }, []>(`SELECT "workspaceId" FROM erasures`);
    return select.all().map(({ workspaceId }) => workspaceId);
  }

  #addPendingDeletion(column: "domainId" | "workspaceId", value: string | number): void {
    this.#file.query("INSERT OR IGNORE INTO pendingDeletions VALUES (?, ?)").run(column, value);
  }

  /** A lookup file follows from its own change on, so changes are kept far beyond the age at which it is replaced. */
  #deleteOldChanges(): void {
    const [bounds] = this.#file
      .query<{ first: number | null; last: number | null }, []>("SELECT min(id) AS first, max(id) AS last FROM events")
      .all();
    const { first, last } = bounds ?? { first: null, last: null };
    if (first === null || last === null || last - first < keptChanges + excessChangesMax) return;
    this.#commit(() => this.#file.query("DELETE FROM events WHERE id <= ?").run(last - keptChanges));
  }
}

const noLink = { domainId: null, foldedKey: null, domainIdBefore: null, foldedKeyBefore: null, isForwarding: 0 };

function openTables(path: string): SqliteWriter {
  const file = openSqliteWriter(path);
  const { tables } = file.query<{ tables: number }, []>("SELECT count(*) AS tables FROM sqlite_schema").get() ?? {
    tables: 0,
  };
  if (tables > 0 && readPosition(file) !== undefined) return file;
  if (tables === 0) {
    file.run(replicaSchema);
    return file;
  }
  file.close();
  // A copy of another version: it is made again. Processes that have it open keep reading the removed file.
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
  return openTables(path);
}
