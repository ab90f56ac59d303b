import { Database as SqliteFile } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json";
import { migrate } from "../../tests/support/earlier-database.ts";
import { connect } from "./database.ts";
import { openDatabase } from "./open-database.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-before-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function earlierFile(name: string): Promise<string> {
  const path = join(folder, name);
  const earlier = connect({ kind: "sqlite", path }, "full");
  await migrate(earlier, "0018-blocks");
  await earlier.db.insertInto("settings").values({ name: "kept", value: "yes" }).execute();
  await earlier.db.insertInto("daySalts").values({ day: "2026-11-24", salt: "00" }).execute();
  await earlier.close();
  return path;
}

const copiesOf = (path: string) =>
  readdirSync(folder).filter((name) => join(folder, name).startsWith(`${path}.before-`));

test("a database is copied before it is migrated, without salts, and only once", async () => {
  const path = await earlierFile("first.sqlite");
  const messages: string[] = [];
  await (await openDatabase({ kind: "sqlite", path }, (message) => messages.push(message))).close();
  await (await openDatabase({ kind: "sqlite", path })).close();

  expect(copiesOf(path)).toEqual([`first.sqlite.before-${version}-from-0018`]);
  const copy = new SqliteFile(join(folder, copiesOf(path)[0] ?? ""), { readonly: true });
  expect(copy.query("SELECT value FROM settings WHERE name = 'kept'").all()).toEqual([{ value: "yes" }]);
  expect(copy.query('SELECT * FROM "daySalts"').all()).toEqual([]);
  expect(copy.query("SELECT max(name) AS last FROM kysely_migration").all()).toEqual([{ last: "0018-blocks" }]);
  copy.close();
  expect(messages.join("\n")).toContain("is a copy from before");
});

test("a new database is not copied, and only the two newest copies stay", async () => {
  await (await openDatabase({ kind: "sqlite", path: join(folder, "new.sqlite") })).close();
  const path = await earlierFile("second.sqlite");
  for (const old of ["0.0.1", "0.0.2"]) writeFileSync(`${path}.before-${old}-from-0001`, old);
  await (await openDatabase({ kind: "sqlite", path })).close();

  expect(readdirSync(folder).filter((name) => name.startsWith("new.sqlite.before"))).toEqual([]);
  expect(copiesOf(path)).toHaveLength(2);
  expect(copiesOf(path)).toContain(`second.sqlite.before-${version}-from-0018`);
  expect(statSync(join(folder, copiesOf(path).at(-1) ?? "")).size).toBeGreaterThan(1_000);
});
