/**
 * The reading side of a replica: PostgreSQL.
 *
 * 1. A position is a snapshot. The changes since then are the events whose transaction that snapshot did not show and
 *    the current one shows. Ids do not serve: a transaction with a lower id may commit later. Events of a restored dump
 *    name transactions of its former server, which may be far ahead: they are not changes.
 * 2. Only the keys are taken from events. The rows are read in the same snapshot, so the order of events is irrelevant.
 * 3. A change of a link waits for the read, so usually the read is one statement, which PostgreSQL has planned before:
 *    six statements took 2.2 ms, five times as long as their execution, and one planned before takes 0.7 ms.
 */
import { blocksRevision } from "../../access/blocks.ts";
import type { PostgresFollower, PostgresQuery } from "../../database/postgres-follower.ts";
import { quoted } from "../../database/quoted.ts";
import { forEachLinkKey } from "../link-changes.ts";
import type { Delta, ReplicatedBlocks, ReplicatedChange } from "./replica-file.ts";
import { type CopiedRow, type CopiedTableName, copiedTableNames, copiedTables } from "./replica-tables.ts";
import type { LinkName } from "./visited-links.ts";

/** Rows of one page of a copy, and the characters of their columns that end it earlier: a link may have 400,000. */
const pageRowsMax = 1_000;
const pageCharactersMax = 4 * 1024 * 1024;
/** Links that one query reads by name; each may have 400,000 characters. */
export const namedLinksMax = 100;
/** Changes that are read and applied together, with their rows. */
const changesPerPart = 20;

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

/** The current rows of some links, up to namedLinksMax. */
export async function readLinks(
  { query }: Pick<PostgresFollower, "query">,
  names: readonly LinkName[],
): Promise<CopiedRow[]> {
  return await query<CopiedRow>(
    `SELECT ${selectedColumns("links")} FROM links
     WHERE ("domainId", "foldedKey") IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    [names.map(([domainId]) => domainId), names.map(([, foldedKey]) => foldedKey)],
    "links",
  );
}

/**
 * Reads all changes since a snapshot and gives them to `apply`, in several parts when there are many. The last part comes
 * with the snapshot up to which they were read.
 */
export async function readChanges(
  source: PostgresFollower,
  since: Since,
  apply: (delta: Delta, snapshot: string | undefined) => void,
): Promise<void> {
  const first = await readPart(source.query, since, beginning);
  if (first.isLast && first.revision === since.blocksRevision) {
    apply(deltaOf(first, undefined), first.snapshot);
    return;
  }
  // Several statements see one state only in a transaction.
  await source.inSnapshot(async (query) => {
    let part = await readPart(query, since, beginning);
    const { revision } = part;
    let blocks = revision === since.blocksRevision ? undefined : await readBlocks(query, revision);
    for (; !part.isLast; part = await readPart(query, since, part.end)) {
      apply(deltaOf(part, blocks), undefined);
      blocks = undefined;
    }
    apply(deltaOf(part, blocks), part.snapshot);
  });
}

/** The state whose changes are read. */
type Since = { snapshot: string; blocksRevision: string | undefined };
/** A place in the order in which changes are read. */
type Place = { transactionId: string; id: number };
const beginning: Place = { transactionId: "0", id: 0 };

type Change = ReplicatedChange & Place;
type Part = {
  snapshot: string;
  erasures: number[];
  revision: string;
  changes: Change[];
  rows: Record<CopiedTableName, CopiedRow[]>;
  /** False when more changes may follow, after `end`. */
  isLast: boolean;
  end: Place;
};

/** Reads the first changes after a place, with the current rows of their keys, in one statement, which sees one state. */
async function readPart(query: PostgresQuery, { snapshot }: Since, after: Place): Promise<Part> {
  const [row] = await query<Omit<Part, "isLast" | "end">>(
    selectPart,
    [snapshot, after.transactionId, after.id],
    "changes",
  );
  if (row === undefined) throw new Error("PostgreSQL returned no snapshot.");
  return { ...row, isLast: row.changes.length < changesPerPart, end: row.changes.at(-1) ?? after };
}

/** ORDER BY names the columns of the table, whose order is that of the index: those of the answer are sorted as texts. */
const selectPart = `
  WITH changes AS MATERIALIZED (
    SELECT id, "transactionId"::text AS "transactionId", "workspaceId", type, "objectId", at,
      "domainId", "foldedKey", before->>'domainId' AS "domainIdBefore", before->>'foldedKey' AS "foldedKeyBefore",
      CASE WHEN before->>'forwardPath' IN ('true', '1') OR after->>'forwardPath' IN ('true', '1') THEN 1 ELSE 0 END
        AS "isForwarding"
    FROM events, json_to_record(data::json) AS fields("domainId" text, "foldedKey" text, before json, after json)
    WHERE "transactionId" >= pg_snapshot_xmin($1::pg_snapshot)
      AND NOT pg_visible_in_snapshot("transactionId", $1::pg_snapshot)
      AND "transactionId" < pg_snapshot_xmax(pg_current_snapshot())
      AND ("transactionId", id) > ($2::xid8, $3::bigint)
      AND (type LIKE 'link.%' OR type LIKE 'domain.%' OR type = 'workspace.deleted')
    ORDER BY events."transactionId", events.id LIMIT ${changesPerPart}
  )
  SELECT pg_current_snapshot()::text AS snapshot, ARRAY(SELECT "workspaceId" FROM erasures) AS erasures,
    ${blocksRevision} AS revision, ${jsonOf("SELECT * FROM changes")} AS changes,
    json_build_object(
      'links', ${rowsWithKeys("links", `SELECT "objectId" FROM changes WHERE type LIKE 'link.%'`)},
      'domains', ${rowsWithKeys("domains", `SELECT "objectId" FROM changes WHERE type LIKE 'domain.%'`)},
      'releasedKeys', ${rowsWithKeys(
        "releasedKeys",
        `SELECT "domainId", "foldedKey" FROM changes
         UNION SELECT coalesce("domainIdBefore", "domainId"), coalesce("foldedKeyBefore", "foldedKey") FROM changes`,
      )}
    ) AS rows`;

/** SQL of the rows of a table with the keys that `keys` selects. */
function rowsWithKeys(table: CopiedTableName, keys: string): string {
  const { key, where } = copiedTables[table];
  return jsonOf(`SELECT ${selectedColumns(table)} FROM "${table}" WHERE ${where} AND (${quoted(key)}) IN (${keys})`);
}

function jsonOf(select: string): string {
  return `(SELECT coalesce(json_agg(selected), '[]') FROM (${select}) AS selected)`;
}

function deltaOf({ changes, erasures, rows }: Part, blocks: ReplicatedBlocks | undefined): Delta {
  const keys: Record<CopiedTableName, Map<string, string[]>> = {
    links: new Map(),
    domains: new Map(),
    releasedKeys: new Map(),
  };
  for (const change of changes) {
    const { type, objectId } = change;
    if (type.startsWith("link.")) keys.links.set(objectId, [objectId]);
    if (type.startsWith("domain.")) keys.domains.set(objectId, [objectId]);
    forEachLinkKey(change, (domainId, foldedKey) => {
      keys.releasedKeys.set(`${domainId}/${foldedKey}`, [domainId, foldedKey]);
    });
  }
  const current = copiedTableNames.map((table) => ({ table, keys: [...keys[table].values()], rows: rows[table] }));
  return { changes, current, erasures, blocks };
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
