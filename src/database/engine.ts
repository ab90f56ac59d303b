import { type Kysely, PostgresAdapter } from "kysely";
import type { Schema } from "./schema.ts";

/** The relational engines. */
export type Engine = "sqlite" | "postgres";

/** The engine behind `db`. */
export function engineOf(db: Kysely<Schema>): Engine {
  return db.getExecutor().adapter instanceof PostgresAdapter ? "postgres" : "sqlite";
}
