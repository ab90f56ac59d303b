import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** The number of partitions of the links when this migration was written. Each has a cursor; see clicks/tally.ts. */
const parts = 64;

/** The counters' cursor for each spool and partition, and the position up to which each spool may be deleted. */
export async function counterCursors(db: Kysely<unknown>, { text, instant }: ColumnTypes): Promise<void> {
  await db.schema
    .createTable("counterCursors")
    .addColumn("spoolId", text, (column) => column.notNull())
    .addColumn("part", "integer", (column) => column.notNull())
    .addColumn("position", instant, (column) => column.notNull())
    .addPrimaryKeyConstraint("counterCursorsPrimary", ["spoolId", "part"])
    .execute();
  await db.schema
    .createTable("releases")
    .addColumn("spoolId", text, (column) => column.primaryKey())
    .addColumn("position", instant, (column) => column.notNull())
    .execute();
  await takeOver(db);
  await db.schema.dropTable("cursors").execute();
}

async function takeOver(db: Kysely<unknown>): Promise<void> {
  await sql`
    with recursive "parts" ("part") as (select 0 union all select "part" + 1 from "parts" where "part" + 1 < ${sql.lit(parts)})
    insert into "counterCursors" ("spoolId", "part", "position")
    select "spoolId", "part", "position" from "cursors" cross join "parts" where "reader" = 'counters'`.execute(db);
  await sql`
    insert into "releases" ("spoolId", "position")
    select "spoolId", "position" from "cursors" where "reader" = 'release'`.execute(db);
}
