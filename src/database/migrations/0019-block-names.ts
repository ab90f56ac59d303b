import { type Kysely, sql } from "kysely";
import { newId } from "../../base/ids.ts";
import type { ColumnTypes } from "./column-types.ts";

/**
 * Stores with each block of a link or domain its short link or slug, so that the block outlives it. Adds a revision of
 * the blocks.
 */
export async function blockNames(db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await db.schema.alterTable("blocks").addColumn("name", text).execute();
  await sql`
    update "blocks" set "name" = (select "slug" from "domains" where "id" = "blocks"."target")
    where "kind" = 'domain'`.execute(db);
  await sql`
    update "blocks" set "name" = (
      select "domains"."slug" || '/' || "links"."foldedKey" from "links"
      join "domains" on "domains"."id" = "links"."domainId"
      where "links"."id" = "blocks"."target"
    ) where "kind" = 'link'`.execute(db);
  const revision = newId("rev", Date.now());
  await sql`insert into "settings" ("name", "value") values ('blocksRevision', ${revision})`.execute(db);
}
