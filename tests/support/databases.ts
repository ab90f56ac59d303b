import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database, DatabaseLocation } from "../../src/database/database.ts";
import type { Engine } from "../../src/database/engine.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import { sharedPostgres } from "./postgres.ts";
import { copySqliteTemplate, createPostgresDatabase } from "./templates.ts";

/**
 * The relational engines a suite runs on, `for (const engine of engines) describe(engine, …)`: SQLite in `npm test`,
 * PostgreSQL in `npm run test:postgres`, which runs every file that imports this.
 */
export const engines: readonly [Engine] = [process.env.TEST_ENGINE === "postgres" ? "postgres" : "sqlite"];

export type TestDatabase = {
  database: Database;
  /** The location of the database, for another connection. */
  location: DatabaseLocation;
  /** Closes the database and removes it. */
  close(): Promise<void>;
};

/** A new, migrated, empty database on a real engine. */
export async function testDatabase(engine: Engine): Promise<TestDatabase> {
  return engine === "sqlite" ? await sqliteDatabase() : await postgresDatabase();
}

async function sqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "waypost-test-"));
  const location = { kind: "sqlite", path: join(folder, `${randomUUID()}.sqlite`) } as const;
  copySqliteTemplate(location.path);
  const database = await openDatabase(location);
  return {
    database,
    location,
    async close() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function postgresDatabase(): Promise<TestDatabase> {
  const server = await sharedPostgres();
  const location = { kind: "postgres", url: await createPostgresDatabase(server) } as const;
  const database = await openDatabase(location);
  return {
    database,
    location,
    async close() {
      await database.close();
      await server.stop();
    },
  };
}
