import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/**
 * On PostgreSQL: the transaction of each event, so that a reader can ask which events a snapshot did not show yet, and
 * a notification after each commit with events or blocks. Events from before the migration keep null: no reader needs them.
 */
export async function eventTransactions(db: Kysely<unknown>, { hasRowids: isSqlite }: ColumnTypes): Promise<void> {
  if (isSqlite) return;
  // Two steps: a default that is set with the column would rewrite the table.
  await sql`alter table "events" add column "transactionId" xid8`.execute(db);
  await sql`alter table "events" alter column "transactionId" set default pg_current_xact_id()`.execute(db);
  await sql`
    create index "eventsByTransaction" on "events" ("transactionId", "id") where "transactionId" is not null`.execute(
    db,
  );
  // A new column has no statistics, without which PostgreSQL would rather walk all events.
  await sql`analyze "events"`.execute(db);
  await sql`
    create function "notifyChanges"() returns trigger language plpgsql as $$
    begin
      perform pg_notify('waypost_changes', '');
      return null;
    end $$`.execute(db);
  await sql`
    create trigger "eventsNotify" after insert on "events"
    for each statement execute function "notifyChanges"()`.execute(db);
  await sql`
    create trigger "blocksNotify" after insert or delete on "blocks"
    for each statement execute function "notifyChanges"()`.execute(db);
}
