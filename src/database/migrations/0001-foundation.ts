import { type ColumnBuilderCallback, type CreateTableBuilder, type Kysely, type Migration, sql } from "kysely";
import type { Engine } from "../database.ts";

/** Users, workspaces, keys, domains, links, the outbox and the cursors. */
export function foundation(engine: Engine): Migration {
  return { up: (db) => createTables(db, columnTypes(engine)) };
}

type DataType = Parameters<CreateTableBuilder<string>["addColumn"]>[1];
type ColumnTypes = { id: DataType; text: DataType; instant: DataType };

/** The types of columns, as the engine calls them. */
export function columnTypes(engine: Engine): ColumnTypes & { growing: ColumnBuilderCallback } {
  if (engine === "sqlite") {
    // AUTOINCREMENT never hands out an identifier twice, not even after a deletion.
    return {
      id: "integer",
      text: "text",
      instant: "integer",
      growing: (column) => column.primaryKey().autoIncrement(),
    };
  }
  // Byte order, as SQLite has it: identifiers sort by creation, and a page is the same on both engines.
  return {
    id: "integer",
    text: sql`text collate "C"`,
    instant: "bigint",
    growing: (column) => column.primaryKey().generatedAlwaysAsIdentity(),
  };
}

async function createTables(
  db: Kysely<unknown>,
  { id, text, instant, growing }: ReturnType<typeof columnTypes>,
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
    .addColumn("id", id, growing)
    .addColumn("name", text, required)
    .addColumn("avatarUrl", text)
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
  // The first to prove ownership wins; whoever comes second runs into this index.
  await sql`create unique index "domainsByProvenSlug" on "domains" ("slug") where "status" <> 'pending'`.execute(db);
  await db.schema.createIndex("domainsBySlug").on("domains").column("slug").execute();
  // There is one instance's domain at most, whoever else starts at the same moment.
  await sql`create unique index "domainsByInstance" on "domains" ("isInstance") where "isInstance" = 1`.execute(db);
  await db.schema.createIndex("domainsByCheck").on("domains").column("checkedAt").execute();

  await createLinks(db, { id, text, instant }, required, flag);

  await db.schema
    .createTable("events")
    .addColumn("id", id, growing)
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
  { text, instant }: ColumnTypes,
  required: ColumnBuilderCallback,
  flag: ColumnBuilderCallback,
): Promise<void> {
  await db.schema
    .createTable("links")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("workspaceId", "integer", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("userId", text, (column) => column.references("users.id").onDelete("set null"))
    .addColumn("domainId", text, (column) => column.notNull().references("domains.id").onDelete("cascade"))
    .addColumn("key", text, required)
    .addColumn("foldedKey", text, required)
    .addColumn("url", text, required)
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
    .addColumn("redirectStatus", "integer")
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
  await db.schema.createIndex("linksByKey").unique().on("links").columns(["domainId", "foldedKey"]).execute();
  await db.schema
    .createIndex("linksByExternalId")
    .unique()
    .on("links")
    .columns(["workspaceId", "externalId"])
    .execute();
  await db.schema.createIndex("linksByWorkspace").on("links").columns(["workspaceId", "id"]).execute();
  // None for the listings by clicks and lastClicked, which sort all links of the workspace: with those two indices the
  // counters' transaction of 500 among 100,000 links takes 40 to 46 ms of the write lock instead of 12 (SQLite, two
  // cores). Workspaces whose listings become slow would be the reason to add them, with smaller tallies.
  await db.schema.createIndex("linksByDomain").on("links").columns(["domainId", "id"]).execute();

  await db.schema
    .createTable("releasedKeys")
    .addColumn("domainId", text, (column) => column.notNull().references("domains.id").onDelete("cascade"))
    .addColumn("foldedKey", text, required)
    .addColumn("workspaceId", "integer", required)
    .addColumn("releasedAt", instant, required)
    .addPrimaryKeyConstraint("releasedKeysPrimary", ["domainId", "foldedKey"])
    .execute();
}
