import { type Migration, sql } from "kysely";
import type { Engine } from "../engine.ts";

/** What was answered to a POST with an Idempotency-Key. */
export function idempotency(engine: Engine): Migration {
  const text = engine === "postgres" ? sql`text collate "C"` : "text";
  const instant = engine === "postgres" ? "bigint" : "integer";
  return {
    async up(db) {
      await db.schema
        .createTable("idempotentCalls")
        .addColumn("id", text, (column) => column.primaryKey())
        .addColumn("workspaceId", "integer", (column) =>
          column.notNull().references("workspaces.id").onDelete("cascade"),
        )
        .addColumn("contents", text, (column) => column.notNull())
        .addColumn("state", text, (column) => column.notNull())
        .addColumn("status", "integer")
        .addColumn("body", text)
        .addColumn("at", instant, (column) => column.notNull())
        .execute();
      await db.schema.createIndex("idempotentCallsByAge").on("idempotentCalls").column("at").execute();
      await db.schema.createIndex("idempotentCallsByWorkspace").on("idempotentCalls").column("workspaceId").execute();
    },
  };
}
