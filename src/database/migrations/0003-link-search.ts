import { type Kysely, sql } from "kysely";
import { rowidBits } from "../link-search.ts";
import type { ColumnTypes } from "./column-types.ts";

/** The text that PostgreSQL's index covered before migration 0020. */
const trigramText = `replace(replace(replace(replace(lower("foldedKey" || ' ' || substr("url", 1, 2000)), '-', 'q'), '/', 'x'), '.', 'j'), '_', 'z')`;

/** The index that finds links by parts of their key, domain or URL, updated in the transaction of each change. */
export async function linkSearch(db: Kysely<unknown>, { hasRowids }: ColumnTypes): Promise<void> {
  await (hasRowids ? indexTrigramsOnSqlite(db) : indexTrigramsOnPostgres(db));
}

/** See database/link-search.ts for the content of the index. */
async function indexTrigramsOnSqlite(db: Kysely<unknown>): Promise<void> {
  // Without positions ("detail=none"), the index is smaller and twice as fast. Searches compare the links it finds.
  await sql`
    create virtual table "linkSearch"
    using fts5(text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram')
  `.execute(db);
  // The links that a transaction has changed. It indexes them together at its end, in half of the time.
  await sql`create table "linkSearchPending" ("seq" integer primary key)`.execute(db);
  const remove = sql.raw(`
    delete from "linkSearch" where "rowid" = (old."workspaceId" << ${rowidBits}) + old."seq"
      and old."seq" not in (select "seq" from "linkSearchPending");`);
  await sql`
    create trigger "linkSearchInsert" after insert on "links"
    begin insert into "linkSearchPending" values (new."seq"); end
  `.execute(db);
  await sql`
    create trigger "linkSearchDelete" after delete on "links"
    begin ${remove} delete from "linkSearchPending" where "seq" = old."seq"; end
  `.execute(db);
  await sql`
    create trigger "linkSearchUpdate" after update of "foldedKey", "domainId", "url" on "links"
    when old."foldedKey" <> new."foldedKey" or old."domainId" <> new."domainId" or old."url" <> new."url"
    begin ${remove} insert or ignore into "linkSearchPending" values (new."seq"); end
  `.execute(db);
}

async function indexTrigramsOnPostgres(db: Kysely<unknown>): Promise<void> {
  await addTrigramExtension(db);
  await sql`create index "linksBySearch" on "links" using gin ((${sql.raw(trigramText)}) gin_trgm_ops)`.execute(db);
  // By default, the planner's statistics hold a hundred links. If one of them happens to match, the planner expects a
  // hundredth of all links to match, and scans from the newest link on until a page is full. With few matches, it scans
  // all links.
  await sql`alter index "linksBySearch" alter column 1 set statistics 1000`.execute(db);
  // Finds keys by their beginning, also in a workspace that shares a domain with others. The last three columns are in
  // the index so that, of 10,000 links whose keys begin with two letters, only the rows of the page are read.
  await sql`
    create index "linksByFoldedKey" on "links" ("workspaceId", "foldedKey", "id", "archived", "domainId")
  `.execute(db);
}

async function addTrigramExtension(db: Kysely<unknown>): Promise<void> {
  try {
    await sql`create extension if not exists pg_trgm`.execute(db);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // The error keeps PostgreSQL's code, so that Waypost reports it in one line when it refuses to start.
    throw Object.assign(error, {
      message: `The search needs the extension pg_trgm, which this role could not add (${error.message}). Have a superuser run "create extension pg_trgm;" in this database`,
    });
  }
}
