/**
 * The reading side of a replica: PostgreSQL.
 *
 * 1. A position is a snapshot. The changes since then are the events whose transaction that snapshot did not show and
 *    the present one shows. Ids do not serve: a transaction with a lower id may commit later.
 * 2. Only the keys are taken from events. The rows are read in the same snapshot, so the order of events is irrelevant.
 */
import { blocksRevision } from "../../access/blocks.ts";
import type { PostgresFollower, PostgresQuery } from "../../database/postgres-follower.ts";
import { forEachLinkKey } from "../link-changes.ts";
import type { CurrentRows, Delta, ReplicatedBlocks, ReplicatedChange } from "./replica-file.ts";
import { type CopiedRow, type CopiedTableName, copiedTables, quoted } from "./replica-tables.ts";

/** Rows of one page of a copy: about half a megabyte. */
const pageRowsMax = 1_000;
/** Changes that are read and applied at once. */
const changesMax = 1_000;

/** Identifies the server, its timeline and the database; snapshots of another one cannot be compared. */
export async function clusterOf({ query }: PostgresFollower): Promise<string> {
  const [row] = await query<{ cluster: string }>(
    `SELECT concat_ws('/', system_identifier, timeline_id, (SELECT oid FROM pg_database WHERE datname = current_database()))
       AS cluster
     FROM pg_control_system(), pg_control_checkpoint()`,
  );
  if (row === undefined) throw new Error("PostgreSQL did not identify itself.");
  return row.cluster;
}

/** The present snapshot, as text. */
export async function snapshotOf({ query }: Pick<PostgresFollower, "query">): Promise<string> {
  const [row] = await query<{ snapshot: string }>("SELECT pg_current_snapshot()::text AS snapshot");
  if (row === undefined) throw new Error("PostgreSQL returned no snapshot.");
  return row.snapshot;
}

/** The rows of a table whose keys come after `after`, in the order of their keys; `isLast` when no more follow. */
export async function readPage(
  { query }: Pick<PostgresFollower, "query">,
  table: CopiedTableName,
  after: readonly string[] | null,
): Promise<{ rows: CopiedRow[]; isLast: boolean }> {
  const { key, where } = copiedTables[table];
  const list = quoted(key);
  const isAfter = after === null ? "true" : `(${list}) > (${after.map((_, index) => `$${index + 1}`).join(", ")})`;
  const rows = await query<CopiedRow>(
    `SELECT ${selectedColumns(table)} FROM "${table}" WHERE ${where} AND ${isAfter} ORDER BY ${list} LIMIT ${pageRowsMax}`,
    after ?? [],
  );
  return { rows, isLast: rows.length < pageRowsMax };
}

/**
 * Reads all changes since a snapshot and gives them to `apply`, in several parts when there are many. Resolves with the
 * snapshot up to which they were read.
 */
export async function readChanges(
  source: PostgresFollower,
  since: { snapshot: string; blocksRevision: string | undefined },
  apply: (delta: Delta) => void,
): Promise<string> {
  return await source.inSnapshot(async (query) => {
    const snapshot = await snapshotOf({ query });
    const erasures = (await query<{ workspaceId: number }>(`SELECT "workspaceId" FROM erasures`)).map(
      ({ workspaceId }) => workspaceId,
    );
    const blocks = await changedBlocks(query, since.blocksRevision);
    for (let after = 0, isLast = false; !isLast; ) {
      const page = await query<ReplicatedChange & { id: number }>(selectChanges, [since.snapshot, after]);
      apply({ changes: page, current: await currentRows(query, page), erasures, blocks });
      after = page.at(-1)?.id ?? after;
      isLast = page.length < changesMax;
    }
    return snapshot;
  });
}

const selectChanges = `
  SELECT id, "workspaceId", type, "objectId", at, data::json->>'domainId' AS "domainId",
    data::json->>'foldedKey' AS "foldedKey", data::json->'before'->>'domainId' AS "domainIdBefore",
    data::json->'before'->>'foldedKey' AS "foldedKeyBefore",
    CASE WHEN coalesce(data::json->'before'->>'forwardPath', 'false') IN ('true', '1')
      OR coalesce(data::json->'after'->>'forwardPath', 'false') IN ('true', '1') THEN 1 ELSE 0 END AS "isForwarding"
  FROM events
  WHERE "transactionId" >= pg_snapshot_xmin($1::pg_snapshot)
    AND NOT pg_visible_in_snapshot("transactionId", $1::pg_snapshot)
    AND id > $2 AND (type LIKE 'link.%' OR type LIKE 'domain.%' OR type = 'workspace.deleted')
  ORDER BY id LIMIT ${changesMax}`;

async function currentRows(query: PostgresQuery, changes: readonly ReplicatedChange[]): Promise<CurrentRows[]> {
  const idsOf = (noun: string) => [
    ...new Set(changes.flatMap(({ type, objectId }) => (type.startsWith(noun) ? [objectId] : []))),
  ];
  const places = new Map<string, string[]>();
  for (const change of changes) {
    forEachLinkKey({ ...change, id: 0 }, (domainId, foldedKey) => {
      places.set(`${domainId}/${foldedKey}`, [domainId, foldedKey]);
    });
  }
  return [
    await rowsWithKeys(
      query,
      "links",
      idsOf("link.").map((id) => [id]),
    ),
    await rowsWithKeys(
      query,
      "domains",
      idsOf("domain.").map((id) => [id]),
    ),
    await rowsWithKeys(query, "releasedKeys", [...places.values()]),
  ];
}

async function rowsWithKeys(query: PostgresQuery, table: CopiedTableName, keys: string[][]): Promise<CurrentRows> {
  if (keys.length === 0) return { table, keys, rows: [] };
  const { key, where } = copiedTables[table];
  const arrays = key.map((_, index) => `$${index + 1}::text[]`);
  const rows = await query<CopiedRow>(
    `SELECT ${selectedColumns(table)} FROM "${table}"
     WHERE ${where} AND (${quoted(key)}) IN (SELECT * FROM unnest(${arrays.join(", ")}))`,
    key.map((_, index) => keys.map((values) => values[index])),
  );
  return { table, keys, rows };
}

function selectedColumns(table: CopiedTableName): string {
  const { columns, expressions }: { columns: readonly string[]; expressions: Readonly<Record<string, string>> } =
    copiedTables[table];
  return columns.map((name) => `${expressions[name] ?? `"${name}"`} AS "${name}"`).join(", ");
}

async function changedBlocks(query: PostgresQuery, known: string | undefined): Promise<ReplicatedBlocks | undefined> {
  const [row] = await query<{ revision: string }>(`SELECT ${blocksRevision} AS revision`);
  const revision = row?.revision ?? "";
  if (revision === known) return undefined;
  const blockedUsers = `SELECT target FROM blocks WHERE kind = 'user'`;
  return {
    revision,
    blocks: await query("SELECT kind, target, name FROM blocks"),
    members: await query(
      `SELECT "workspaceId", "userId" FROM members WHERE "userId" IN (${blockedUsers})
       UNION SELECT "workspaceId", "objectId" FROM events WHERE "objectId" IN (${blockedUsers})`,
    ),
  };
}
