/**
 * Databases with every table and no row, which the tests of a run begin with copies of: to migrate an empty one takes
 * longer than most tests. They are made by the migrations themselves; where a file is run without `node bin/test.mjs`
 * there are none, and whoever opens a database migrates it. Starts on nothing at all are tests of the command line's.
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DatabaseLocation, openDatabase } from "../../src/database/database.ts";
import type { TestPostgres } from "./postgres.ts";

/** What makes the templates known to the tests of a run, until they are removed. */
export type Templates = { environment: Record<string, string>; remove(): void };

/** Makes a template of each engine. That of PostgreSQL goes with its server. */
export async function makeTemplates(postgres: TestPostgres): Promise<Templates> {
  const folder = mkdtempSync(join(tmpdir(), "waypost-templates-"));
  const path = join(folder, "waypost.sqlite");
  const url = await postgres.createDatabase();
  await Promise.all([migrate({ kind: "sqlite", path }), migrate({ kind: "postgres", url })]);
  return {
    environment: { TEST_SQLITE_TEMPLATE: path, TEST_POSTGRES_TEMPLATE: new URL(url).pathname.slice(1) },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
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
