import { type Kysely, sql } from "kysely";

/** The workspace of each framed link, by which checks of destinations take turns; see links/check-framing.ts. */
export async function framingTurns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("framingChecks")
    .addColumn("workspaceId", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`
    update "framingChecks"
    set "workspaceId" = (select "workspaceId" from "links" where "links"."id" = "framingChecks"."linkId")`.execute(db);
  await db.schema
    .createIndex("framingChecksByWorkspace")
    .on("framingChecks")
    .columns(["workspaceId", "dueAt"])
    .execute();
  await db.schema.dropIndex("framingChecksByTime").execute();
}
