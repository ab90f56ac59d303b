/**
 * Migrated, empty databases that the tests of a run copy, since migrating an empty database takes longer than most tests.
 * The migrations themselves make them. A file that runs without `node bin/test.mjs` has no template and migrates each
 * database that it opens. Tests of the command line cover starts without any database.
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DatabaseLocation, openDatabase } from "../../src/database/database.ts";
import type { TestPostgres } from "./postgres.ts";

/** What makes the templates known to the tests of a run, until they are removed. */
type Templates = { environment: Record<string, string>; remove(): void };

/** Makes a template for SQLite, and one on `postgres` if it is given; the server's end removes that one. */
export async function makeTemplates(postgres: TestPostgres | undefined): Promise<Templates> {
  const folder = mkdtempSync(join(tmpdir(), "waypost-templates-"));
  const path = join(folder, "waypost.sqlite");
  const [postgresName] = await Promise.all([postgresTemplate(postgres), migrate({ kind: "sqlite", path })]);
  return {
    environment: { TEST_SQLITE_TEMPLATE: path, ...postgresName },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function postgresTemplate(postgres: TestPostgres | undefined): Promise<Record<string, string>> {
  if (postgres === undefined) return {};
  const url = await postgres.createDatabase();
  await migrate({ kind: "postgres", url });
  return { TEST_POSTGRES_TEMPLATE: new URL(url).pathname.slice(1) };
}

/** Copies the run's template to `path`; where there is none, nothing is made. */
export function beginSqlite(path: string): void {
  const template = process.env.TEST_SQLITE_TEMPLATE;
  if (template !== undefined) copyFileSync(template, path);
}

/** Creates a copy of the run's template, or an empty database where there is none, and returns its connection URL. */
export function beginPostgres(postgres: TestPostgres): Promise<string> {
  return postgres.createDatabase(process.env.TEST_POSTGRES_TEMPLATE);
}

async function migrate(location: DatabaseLocation): Promise<void> {
  const { close } = await openDatabase(location);
  await close();
}
