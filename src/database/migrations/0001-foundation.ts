import { type ColumnBuilderCallback, type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./column-types.ts";

/** Users, workspaces, keys, domains, links, the outbox and the cursors. */
export async function foundation(
  db: Kysely<unknown>,
  { id, text, instant, hasRowids, autoIncrement }: ColumnTypes,
): Promise<void> {
  const required: ColumnBuilderCallback = (column) => column.notNull();
  const flag: ColumnBuilderCallback = (column) => column.notNull().defaultTo(0);

  await db.schema
    .createTable("users")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("email", text, (column) => column.unique())
    .addColumn("name", text, required)
    .addColumn("passwordHash", text)
    .addColumn("createdAt", instant, required)
    .execute();

  await db.schema
    .createTable("workspaces")
    .addColumn("id", id, autoIncrement)
    .addColumn("name", text, required)
    .addColumn("avatarFile", text)
    .addColumn("createdAt", instant, required)
    .execute();

  await db.schema
    .createTable("members")
    .addColumn("workspaceId", "integer", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("userId", text, (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("role", text, required)
    .addColumn("createdAt", instant, required)
    .addPrimaryKeyConstraint("membersPrimary", ["workspaceId", "userId"])
    .execute();
  await db.schema.createIndex("membersByUser").on("members").column("userId").execute();

  await db.schema
    .createTable("apiKeys")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("userId", text, (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("workspaceId", "integer", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("name", text, required)
    .addColumn("hash", text, (column) => column.notNull().unique())
    .addColumn("prefix", text, required)
    .addColumn("scopes", text)
    .addColumn("expiresAt", instant)
    .addColumn("lastUsedAt", instant)
    .addColumn("createdAt", instant, required)
    .execute();
  await db.schema.createIndex("apiKeysByWorkspace").on("apiKeys").columns(["workspaceId", "id"]).execute();

  await db.schema
    .createTable("signInLinks")
    .addColumn("hash", text, (column) => column.primaryKey())
    .addColumn("userId", text, (column) => column.notNull().references("users.id").onDelete("cascade"))
    .addColumn("expiresAt", instant, required)
    .execute();
  await db.schema.createIndex("signInLinksByExpiry").on("signInLinks").column("expiresAt").execute();

  await db.schema
    .createTable("domains")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("workspaceId", "integer", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("slug", text, required)
    .addColumn("status", text, required)
    .addColumn("failingSince", instant)
    .addColumn("checkedAt", instant)
    .addColumn("token", text, required)
    .addColumn("isInstance", "integer", flag)
    .addColumn("primary", "integer", flag)
    .addColumn("archived", "integer", flag)
    .addColumn("caseSensitive", "integer", flag)
    .addColumn("honorDoNotTrack", "integer", flag)
    .addColumn("placeholder", text)
    .addColumn("expiredUrl", text)
    .addColumn("notFoundUrl", text)
    .addColumn("logo", text)
    .addColumn("assetLinks", text)
    .addColumn("appleAppSiteAssociation", text)
    .addColumn("createdAt", instant, required)
    .addColumn("updatedAt", instant, required)
    .execute();
  await db.schema
    .createIndex("domainsBySlugInWorkspace")
    .unique()
    .on("domains")
    .columns(["workspaceId", "slug"])
    .execute();
  // The first workspace to prove ownership wins; this index rejects the second.
  await sql`create unique index "domainsByProvenSlug" on "domains" ("slug") where "status" <> 'pending'`.execute(db);
  await db.schema.createIndex("domainsBySlug").on("domains").column("slug").execute();
  // At most one instance domain exists, even when two processes start at the same moment.
  await sql`create unique index "domainsByInstance" on "domains" ("isInstance") where "isInstance" = 1`.execute(db);
  await db.schema.createIndex("domainsByCheck").on("domains").column("checkedAt").execute();

  await createLinks(db, { text, instant, hasRowids }, required, flag);
  await createLinkIndexes(db);

  await db.schema
    .createTable("events")
    .addColumn("id", id, autoIncrement)
    .addColumn("workspaceId", "integer", required)
    .addColumn("type", text, required)
    .addColumn("objectId", text, required)
    .addColumn("userId", text)
    .addColumn("at", instant, required)
    .addColumn("data", text, required)
    .execute();
  await db.schema.createIndex("eventsByObject").on("events").columns(["objectId", "id"]).execute();

  await db.schema
    .createTable("cursors")
    .addColumn("reader", text, required)
    .addColumn("spoolId", text, required)
    .addColumn("position", instant, required)
    .addPrimaryKeyConstraint("cursorsPrimary", ["reader", "spoolId"])
    .execute();

  await db.schema
    .createTable("daySalts")
    .addColumn("day", text, (column) => column.primaryKey())
    .addColumn("salt", text, required)
    .execute();

  await db.schema
    .createTable("settings")
    .addColumn("name", text, (column) => column.primaryKey())
    .addColumn("value", text, required)
    .execute();
}

async function createLinks(
  db: Kysely<unknown>,
  { text, instant, hasRowids }: Pick<ColumnTypes, "text" | "instant" | "hasRowids">,
  required: ColumnBuilderCallback,
  flag: ColumnBuilderCallback,
): Promise<void> {
  const table = db.schema.createTable("links");
  // VACUUM renumbers rows, unless an integer primary key is their number. The search index refers to the numbers.
  const named = hasRowids
    ? table
        .addColumn("seq", "integer", (column) => column.primaryKey())
        .addColumn("id", text, (column) => column.notNull().unique())
    : table.addColumn("id", text, (column) => column.primaryKey());
  await named
    .addColumn("workspaceId", "integer", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("userId", text, (column) => column.references("users.id").onDelete("set null"))
    .addColumn("domainId", text, (column) => column.notNull().references("domains.id").onDelete("cascade"))
    .addColumn("key", text, required)
    .addColumn("foldedKey", text, required)
    .addColumn("url", text, required)
    .addColumn("urlHash", instant)
    .addColumn("externalId", text)
    .addColumn("tenantId", text)
    .addColumn("programId", text)
    .addColumn("partnerId", text)
    .addColumn("comments", text)
    .addColumn("title", text)
    .addColumn("description", text)
    .addColumn("image", text)
    .addColumn("video", text)
    .addColumn("passwordHash", text)
    .addColumn("startsAt", instant)
    .addColumn("expiresAt", instant)
    .addColumn("expiredUrl", text)
    .addColumn("disabledAt", instant)
    .addColumn("maxClicks", "integer")
    .addColumn("redirectStatus", "integer")
    .addColumn("forwardPath", "integer", flag)
    .addColumn("rules", text)
    .addColumn("ios", text)
    .addColumn("android", text)
    .addColumn("geo", text)
    .addColumn("testVariants", text)
    .addColumn("testStartedAt", instant)
    .addColumn("testCompletedAt", instant)
    .addColumn("utm_source", text)
    .addColumn("utm_medium", text)
    .addColumn("utm_campaign", text)
    .addColumn("utm_term", text)
    .addColumn("utm_content", text)
    .addColumn("archived", "integer", flag)
    .addColumn("proxy", "integer", flag)
    .addColumn("rewrite", "integer", flag)
    .addColumn("doIndex", "integer", flag)
    .addColumn("publicStats", "integer", flag)
    .addColumn("trackConversion", "integer", flag)
    .addColumn("clicks", instant, flag)
    .addColumn("lastClicked", instant)
    .addColumn("createdAt", instant, required)
    .addColumn("updatedAt", instant, required)
    .execute();
  await db.schema
    .createTable("releasedKeys")
    .addColumn("domainId", text, (column) => column.notNull().references("domains.id").onDelete("cascade"))
    .addColumn("foldedKey", text, required)
    .addColumn("workspaceId", "integer", required)
    .addColumn("releasedAt", instant, required)
    .addPrimaryKeyConstraint("releasedKeysPrimary", ["domainId", "foldedKey"])
    .execute();
}

/** The indexes of the lists of links: a list reads its index from the newest link on until the page is full. */
async function createLinkIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex("linksByKey").unique().on("links").columns(["domainId", "foldedKey"]).execute();
  // A partial index, because most links have no external id.
  await sql`
    create unique index "linksByExternalId" on "links" ("workspaceId", "externalId") where "externalId" is not null
  `.execute(db);
  // The index has the last two columns so that a query skips links, as for a deep page, without reading their rows.
  await db.schema
    .createIndex("linksByWorkspace")
    .on("links")
    .columns(["workspaceId", "id", "archived", "createdAt"])
    .execute();
  // The lists by clicks and lastClicked have no index and sort all links of the workspace: with two more indexes, a
  // transaction of the counters for 500 of 100,000 links holds the write lock for 40 to 46 ms instead of 12 (SQLite,
  // two cores). If these lists become slow in large workspaces, add the indexes, and make tallies smaller.

  // The workspace comes first, because many workspaces may share the instance domain.
  await db.schema
    .createIndex("linksByDomain")
    .on("links")
    .columns(["workspaceId", "domainId", "id", "archived"])
    .execute();
  await db.schema.createIndex("linksByUrl").on("links").columns(["workspaceId", "urlHash"]).execute();
  await db.schema.createIndex("linksByUser").on("links").columns(["workspaceId", "userId", "id", "archived"]).execute();
  // A partial index, because most links have no tenant.
  await sql`
    create index "linksByTenant" on "links" ("workspaceId", "tenantId", "id") where "tenantId" is not null
  `.execute(db);
}
