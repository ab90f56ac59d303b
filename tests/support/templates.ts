/**
 * Templates: migrated, empty databases that the tests of a run copy, since migrating a database takes longer than most
 * tests. The real migrations create them. A file that runs without `node bin/test.mjs` has no template and migrates
 * each database that it opens. Tests of the command line cover starts without a database.
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseLocation } from "../../src/database/database.ts";
import { openDatabase } from "../../src/database/open-database.ts";
import type { TestPostgres } from "./postgres.ts";

/** The environment variables that tell the tests of a run where the templates are. */
type Templates = { environment: Record<string, string>; remove(): void };

/** Creates a template for SQLite, and one on `postgres` if given, which the end of that server removes. */
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

/** Copies the run's template to `path`; without a template it does nothing. */
export function copySqliteTemplate(path: string): void {
  const template = process.env.TEST_SQLITE_TEMPLATE;
  if (template !== undefined) copyFileSync(template, path);
}

/** Creates a copy of the run's template, or an empty database without a template, and returns its connection URL. */
export function createPostgresDatabase(postgres: TestPostgres): Promise<string> {
  return postgres.createDatabase(process.env.TEST_POSTGRES_TEMPLATE);
}

async function migrate(location: DatabaseLocation): Promise<void> {
  const { close } = await openDatabase(location);
  await close();
}
