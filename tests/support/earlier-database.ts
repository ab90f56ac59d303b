import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Migrator } from "kysely";
import { connect, type Database, type DatabaseLocation } from "../../src/database/database.ts";
import type { Engine } from "../../src/database/engine.ts";
import { migrations } from "../../src/database/migrations/migrations.ts";
import { sharedPostgres } from "./postgres.ts";

/** A new database with the tables of an earlier version: those after the migration `last`. */
export async function openBefore(
  engine: Engine,
  last: string,
): Promise<{ database: Database; close(): Promise<void> }> {
  const { location, remove } = await emptyLocation(engine);
  const database = connect(location, "full");
  await migrate(database, last);
  return {
    database,
    async close() {
      await database.close();
      await remove();
    },
  };
}

/** Migrates a database to the migration `last`, or to the newest one. */
export async function migrate({ db, engine }: Database, last?: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations(engine) } });
  const { error } = last === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(last);
  if (error !== undefined) throw error;
}

async function emptyLocation(engine: Engine): Promise<{ location: DatabaseLocation; remove(): Promise<void> }> {
  if (engine === "postgres") {
    const server = await sharedPostgres();
    const url = await server.createDatabase();
    return { location: { kind: "postgres", url }, remove: () => server.stop() };
  }
  const folder = await mkdtemp(join(tmpdir(), "waypost-test-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  return { location: { kind: "sqlite", path: join(folder, `${randomUUID()}.sqlite`) }, remove };
}
