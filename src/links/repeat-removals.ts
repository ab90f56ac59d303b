import { sql } from "kysely";
import type { Tx } from "../database/outbox.ts";

/**
 * Repeats all erasures and purges since a snapshot of PostgreSQL, for clicks that a node recorded without knowing of them
 * and that no other node waited for: it had stopped in order, and started again while PostgreSQL was away.
 */
export async function repeatRemovals(tx: Tx, snapshot: string, now: number): Promise<void> {
  // As in redirects/replica/link-source.ts.
  const isLater = sql`"transactionId" >= pg_snapshot_xmin(${snapshot}::pg_snapshot)
    AND NOT pg_visible_in_snapshot("transactionId", ${snapshot}::pg_snapshot)
    AND "transactionId" < pg_snapshot_xmax(pg_current_snapshot())`;
  await sql`
    INSERT INTO erasures ("workspaceId", "requestedAt", "eventsTo")
    SELECT DISTINCT "workspaceId", ${now}::bigint, 0 FROM events WHERE type = 'workspace.deleted' AND ${isLater}
    ON CONFLICT ("workspaceId") DO UPDATE SET "requestedAt" = excluded."requestedAt", "spoolEnds" = null`.execute(tx);
  await sql`
    INSERT INTO purges ("linkId", "workspaceId", before, "isErased")
    SELECT "objectId", "workspaceId", max((data::json->>'until')::bigint) + 1, 0 FROM events
    WHERE type = 'clicks.purged' AND ${isLater} AND "workspaceId" IN (SELECT id FROM workspaces)
    GROUP BY "objectId", "workspaceId"
    ON CONFLICT ("linkId") DO UPDATE
    SET before = greatest(purges.before, excluded.before), "isErased" = 0, "spoolEnds" = null`.execute(tx);
}
