import { type Kysely, sql } from "kysely";
import { indexLinks, rowidBits, trigramText } from "../link-search.ts";
import type { ColumnTypes } from "./column-types.ts";
import type { ReportMigration } from "./report-migration.ts";

/** Links that one transaction indexes, in less than a second. */
const batchLinksMax = 10_000;
/** How often a long migration reports its progress. */
const reportEveryMs = 5_000;

const message = "The search index is built again, with titles and comments.";

/**
 * Adds titles and comments to the search index, and indexes all links again. On SQLite, an interrupted migration begins
 * again with an empty index; on PostgreSQL, one transaction does all.
 */
export async function searchTitles(
  db: Kysely<unknown>,
  { hasRowids }: ColumnTypes,
  report: ReportMigration,
): Promise<void> {
  await (hasRowids ? indexAgainOnSqlite(db, report) : indexAgainOnPostgres(db, report));
}

/** See database/link-search.ts for the content of the index. */
async function indexAgainOnSqlite(db: Kysely<unknown>, report: ReportMigration): Promise<void> {
  await replaceIndex(db);
  await replaceUpdateTrigger(db);
  const { rows } = await sql<{ last: number | null }>`select max("seq") as "last" from "links"`.execute(db);
  const of = rows[0]?.last ?? 0;
  let reportedAt = performance.now();
  for (let done = 0; done < of; done += batchLinksMax) {
    await sql.raw(indexLinks(`"seq" > ${done} and "seq" <= ${done + batchLinksMax}`)).execute(db);
    if (performance.now() - reportedAt < reportEveryMs) continue;
    reportedAt = performance.now();
    report(message, { done: Math.min(of, done + batchLinksMax), of });
  }
}

/** The table has the options of migration 0003. */
async function replaceIndex(db: Kysely<unknown>): Promise<void> {
  await sql`drop table if exists "linkSearch"`.execute(db);
  await sql`
    create virtual table "linkSearch"
    using fts5(text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram')
  `.execute(db);
  // The migration indexes these links too.
  await sql`delete from "linkSearchPending"`.execute(db);
}

async function replaceUpdateTrigger(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger if exists "linkSearchUpdate"`.execute(db);
  await sql`
    create trigger "linkSearchUpdate" after update of "foldedKey", "domainId", "url", "title", "comments" on "links"
    when old."foldedKey" <> new."foldedKey" or old."domainId" <> new."domainId" or old."url" <> new."url"
      or old."title" is not new."title" or old."comments" is not new."comments"
    begin
      delete from "linkSearch" where "rowid" = (old."workspaceId" << ${sql.lit(rowidBits)}) + old."seq"
        and old."seq" not in (select "seq" from "linkSearchPending");
      insert or ignore into "linkSearchPending" values (new."seq");
    end
  `.execute(db);
}

async function indexAgainOnPostgres(db: Kysely<unknown>, report: ReportMigration): Promise<void> {
  const { rows } = await sql<{ of: string }>`select count(*) as "of" from "links"`.execute(db);
  const of = Number(rows[0]?.of ?? 0);
  if (of > batchLinksMax) report(message, { done: 0, of });
  await sql`drop index "linksBySearch"`.execute(db);
  await sql`create index "linksBySearch" on "links" using gin ((${sql.raw(trigramText)}) gin_trgm_ops)`.execute(db);
  // As in migration 0003, which says why.
  await sql`alter index "linksBySearch" alter column 1 set statistics 1000`.execute(db);
}
