/**
 * The reading side of a replica: PostgreSQL.
 *
 * 1. A position is a snapshot. The changes since then are the events whose transaction that snapshot did not show and
 *    the current one shows. Ids do not serve: a transaction with a lower id may commit later. Events of a restored dump
 *    name transactions of its former server, which may be far ahead: they are no changes.
 * 2. Only the keys are taken from events. The rows are read in the same snapshot, so the order of events is irrelevant.
 */
import { blocksRevision } from "../../access/blocks.ts";
import type { PostgresFollower, PostgresQuery } from "../../database/postgres-follower.ts";
import { forEachLinkKey } from "../link-changes.ts";
import type { CurrentRows, Delta, ReplicatedBlocks, ReplicatedChange } from "./replica-file.ts";
import { type CopiedRow, type CopiedTableName, copiedTables, quoted } from "./replica-tables.ts";

/** Rows of one page of a copy, and the characters of their columns that end it earlier: a link may have 400,000. */
const pageRowsMax = 1_000;
const pageCharactersMax = 4 * 1024 * 1024;
/** Changes that one query reads: only their keys. */
const changesMax = 1_000;
/** Changes whose rows are read and applied at once. */
const changesPerStep = 20;

/**
 * The server with its database and its events, and the timeline; snapshots of other ones cannot be compared. A dump that is
 * restored into the same database creates the table of events again.
 */
export async function clusterOf({ query }: PostgresFollower): Promise<{ database: string; timeline: string }> {
  // The timeline of the checkpoint would be outdated for minutes after a fast promotion, so this is that of the log.
  const [row] = await query<{ database: string; timeline: string }>(
    `SELECT concat_ws('/', system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database()),
         'events'::regclass::oid) AS database,
       substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline
     FROM pg_control_system()`,
  );
  if (row === undefined) throw new Error("PostgreSQL did not identify itself.");
  return row;
}

/** The current snapshot, as text. */
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
  const columns = quoted(copiedTables[table].columns);
  // A frame that excludes the current row would be summed again for each row.
  const rows = await query<CopiedRow & { rowsRead: number }>(
    `SELECT * FROM (
       SELECT *, count(*) OVER ()::int AS "rowsRead", sum(characters) OVER (ORDER BY ${list}) AS "charactersSoFar"
       FROM (
         SELECT *, length(concat(${columns})) AS characters FROM (
           SELECT ${selectedColumns(table)} FROM "${table}" WHERE ${where} AND ${isAfter} ORDER BY ${list} LIMIT ${pageRowsMax}
         ) AS page
       ) AS measured
     ) AS bounded WHERE "charactersSoFar" - characters < ${pageCharactersMax} ORDER BY ${list}`,
    after ?? [],
  );
  const isWhole = rows.length === (rows[0]?.rowsRead ?? 0);
  return { rows, isLast: isWhole && rows.length < pageRowsMax };
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
    const [state] = await query<SourceState>(selectState);
    if (state === undefined) throw new Error("PostgreSQL returned no snapshot.");
    const { snapshot, erasures, revision } = state;
    const blocks = revision === since.blocksRevision ? undefined : await readBlocks(query, revision);
    apply({ changes: [], current: [], erasures, blocks });
    let last = { transactionId: "0", id: 0 };
    for (let isLast = false; !isLast; ) {
      const page = await query<ReplicatedChange & { id: number; transactionId: string }>(selectChanges, [
        since.snapshot,
        last.transactionId,
        last.id,
      ]);
      for (let from = 0; from < page.length; from += changesPerStep) {
        const changes = page.slice(from, from + changesPerStep);
        apply({ changes, current: await currentRows(query, changes), erasures, blocks: undefined });
      }
      last = page.at(-1) ?? last;
      isLast = page.length < changesMax;
    }
    return snapshot;
  });
}

/** What each read begins with, in one query: it delays every change of a link, since the change waits for the read. */
type SourceState = { snapshot: string; erasures: number[]; revision: string };
const selectState = `
  SELECT pg_current_snapshot()::text AS snapshot, ARRAY(SELECT "workspaceId" FROM erasures) AS erasures,
    ${blocksRevision} AS revision`;

const selectChanges = `
  SELECT id, "transactionId"::text AS "transactionId", "workspaceId", type, "objectId", at, data::json->>'domainId' AS "domainId",
    data::json->>'foldedKey' AS "foldedKey", data::json->'before'->>'domainId' AS "domainIdBefore",
    data::json->'before'->>'foldedKey' AS "foldedKeyBefore",
    CASE WHEN coalesce(data::json->'before'->>'forwardPath', 'false') IN ('true', '1')
      OR coalesce(data::json->'after'->>'forwardPath', 'false') IN ('true', '1') THEN 1 ELSE 0 END AS "isForwarding"
  FROM events
  WHERE "transactionId" >= pg_snapshot_xmin($1::pg_snapshot)
    AND NOT pg_visible_in_snapshot("transactionId", $1::pg_snapshot)
    AND "transactionId" < pg_snapshot_xmax(pg_current_snapshot())
    AND ("transactionId", id) > ($2::xid8, $3) AND (type LIKE 'link.%' OR type LIKE 'domain.%' OR type = 'workspace.deleted')
  ORDER BY events."transactionId", id LIMIT ${changesMax}`;

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

async function readBlocks(query: PostgresQuery, revision: string): Promise<ReplicatedBlocks> {
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
