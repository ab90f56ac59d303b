import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, type DatabaseLocation, openDatabase } from "../../src/database/database.ts";
import type { Engine } from "../../src/database/engine.ts";
import { sharedPostgres } from "./postgres.ts";
import { beginPostgres, beginSqlite } from "./templates.ts";

/**
 * The relational engines a suite runs on, `for (const engine of engines) describe(engine, …)`: SQLite in `npm test`,
 * PostgreSQL in `npm run test:postgres`, which runs every file that imports this.
 */
export const engines: readonly [Engine] = [process.env.TEST_ENGINE === "postgres" ? "postgres" : "sqlite"];

/** Time for beforeAll to start a cold PostgreSQL. */
export const databaseStartMsMax = 120_000;

export type TestDatabase = {
  database: Database;
  /** Where it is, for another connection. */
  location: DatabaseLocation;
  /** Closes the database and removes everything it left behind. */
  close(): Promise<void>;
};

/** A new, migrated, empty database on a real engine. */
export async function testDatabase(engine: Engine): Promise<TestDatabase> {
  return engine === "sqlite" ? await sqliteDatabase() : await postgresDatabase();
}

async function sqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "waypost-test-"));
  const location = { kind: "sqlite", path: join(folder, `${randomUUID()}.sqlite`) } as const;
  beginSqlite(location.path);
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
  const location = { kind: "postgres", url: await beginPostgres(server) } as const;
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
