import type { Migration } from "kysely";
import type { Engine } from "../engine.ts";
import { columnTypes } from "./0001-foundation.ts";

/** Browsers in which people are signed in, and what these call the API with. */
export function sessions(engine: Engine): Migration {
  const { text, instant } = columnTypes(engine);
  return {
    async up(db) {
      await db.schema
        .createTable("sessions")
        .addColumn("id", text, (column) => column.primaryKey())
        .addColumn("userId", text, (column) => column.notNull().references("users.id").onDelete("cascade"))
        .addColumn("hash", text, (column) => column.notNull().unique())
        .addColumn("label", text, (column) => column.notNull())
        .addColumn("createdAt", instant, (column) => column.notNull())
        .addColumn("lastSeenAt", instant, (column) => column.notNull())
        .addColumn("expiresAt", instant, (column) => column.notNull())
        .execute();
      await db.schema.createIndex("sessionsByUser").on("sessions").column("userId").execute();
      await db.schema
        .createTable("accessTokens")
        .addColumn("hash", text, (column) => column.primaryKey())
        .addColumn("sessionId", text, (column) => column.notNull().references("sessions.id").onDelete("cascade"))
        .addColumn("expiresAt", instant, (column) => column.notNull())
        .execute();
      await db.schema.createIndex("accessTokensBySession").on("accessTokens").column("sessionId").execute();
    },
  };
}
