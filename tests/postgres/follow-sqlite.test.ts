/** PostgreSQL equals a SQLite file that changes while it is copied, whatever changes. */
import { Database as SqliteFile } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyLastChanges, copyWhileChanging } from "../../src/database/follow-sqlite.ts";
import { type MoveSnapshots, openMoveSnapshots } from "../../src/database/move-snapshots.ts";
import { openDatabaseForCopy } from "../../src/database/open-database.ts";
import { openPostgresRows } from "../../src/database/postgres-rows.ts";
import { lockSqliteChanges } from "../../src/database/sqlite-rows.ts";
import type { ChangeTarget, TableRows } from "../../src/database/table-rows.ts";
import { sharedPostgres, type TestPostgres } from "../support/postgres.ts";

const filled = `
  INSERT INTO users (id, email, name, createdAt) VALUES ('u1', 'ann@example.com', 'Ann', 1), ('u2', 'bob@example.com', 'Bob', 1);
  INSERT INTO workspaces (id, name, createdAt) VALUES (7, 'Acme', 1);
  INSERT INTO domains (id, workspaceId, slug, status, token, createdAt, updatedAt)
    VALUES ('d1', 7, 'one.example.com', 'verified', 't', 1, 1), ('d2', 7, 'two.example.com', 'verified', 't', 1, 1);
  INSERT INTO tags (id, workspaceId, name, foldedName, color, createdAt) VALUES ('t1', 7, 'Tag', 'tag', 'red', 1);
  INSERT INTO links (id, workspaceId, domainId, key, foldedKey, url, createdAt, updatedAt)
    VALUES ('l1', 7, 'd1', 'a', 'a', 'https://example.com/1', 1, 1), ('l2', 7, 'd1', 'b', 'b', 'https://example.com/2', 1, 1);
  INSERT INTO linkTags (linkId, tagId, position) VALUES ('l1', 't1', 0);`;

const addSettings = (prefix: string) => `INSERT INTO settings (name, value)
  WITH RECURSIVE n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 1001) SELECT '${prefix}' || at, 'x' FROM n`;

let postgres: TestPostgres;
let folder = "";
let file: SqliteFile;
let snapshots: MoveSnapshots;
let target: ChangeTarget;
let heard: string[] = [];
const path = () => join(folder, "waypost.sqlite");
beforeEach(async () => {
  postgres = await sharedPostgres();
  folder = mkdtempSync(join(tmpdir(), "waypost-test-"));
  await (await openDatabaseForCopy({ kind: "sqlite", path: path() })).close();
  file = new SqliteFile(path());
  file.run("PRAGMA foreign_keys = ON");
  file.run(filled);
  const opened = openMoveSnapshots(path(), join(folder, "waypost.move"));
  if (opened === undefined) throw new Error("The folder of the snapshots is locked.");
  snapshots = opened;
  const url = await postgres.createDatabase();
  await (await openDatabaseForCopy({ kind: "postgres", url })).close();
  target = await openPostgresRows(url);
  await target.begin("test");
  heard = [];
});
afterEach(async () => {
  snapshots.remove();
  file.close();
  await target.close();
  rmSync(folder, { recursive: true });
  await postgres.stop();
});

/** `onReport` runs while nobody has locked the file, after each set of changes, too. */
function follow(onReport: (line: string) => void = () => {}) {
  const hear = (line: string) => {
    heard.push(line);
    onReport(line);
  };
  const report = {
    rows: (step: string, table: string) => onReport(`${step} ${table}`),
    changes: (rows: number) => hear(`changes ${rows}`),
    again: () => hear("again"),
  };
  return { name: "test", target, report };
}

/** Copies the file, changes it, and copies what has changed; returns the rows of both. */
async function copyAround(change: string): Promise<{ expected: unknown; found: unknown }> {
  const copied = await copyWhileChanging(snapshots, follow());
  heard = [];
  file.run(change);
  return await copyLast(copied);
}

async function copyLast(copied: string): Promise<{ expected: unknown; found: unknown }> {
  const rows = lockSqliteChanges(path(), copied);
  try {
    await copyLastChanges(rows, follow());
    return { expected: await allRows(rows), found: await allRows(target) };
  } finally {
    await rows.close();
  }
}

async function allRows(source: TableRows): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const table of await source.tables()) found[table.name] = await source.read(table, undefined, 100_000);
  return found;
}

/** TABLE of changes, and what is reported about them. */
const changes: [string, string, string[]][] = [
  ["no change", "SELECT 1", ["changes 0"]],
  [
    "new, changed and removed rows",
    `INSERT INTO tags (id, workspaceId, name, foldedName, color, createdAt) VALUES ('t2', 7, 'Two', 'two', 'red', 1);
     INSERT INTO linkTags VALUES ('l2', 't2', 0); UPDATE links SET url = 'https://example.com/é', clicks = 5 WHERE id = 'l1';
     DELETE FROM linkTags WHERE linkId = 'l1'`,
    ["changes 4"],
  ],
  [
    "a value became null, and a null a value",
    "UPDATE users SET email = NULL WHERE id = 'u1'; UPDATE links SET title = '' WHERE id = 'l1'",
    ["changes 2"],
  ],
  ["the removal of a row, which removes others", "DELETE FROM domains WHERE id = 'd1'", ["changes 4"]],
  [
    "a new row with the key of one that was removed",
    `DELETE FROM links WHERE id = 'l1'; INSERT INTO links (id, workspaceId, domainId, key, foldedKey, url, createdAt, updatedAt)
     VALUES ('l0', 7, 'd1', 'a', 'a', 'https://example.com/3', 1, 1)`,
    ["changes 3"],
  ],
  [
    "a new row with the key that another one had",
    `UPDATE links SET key = 'c', foldedKey = 'c' WHERE id = 'l2';
     INSERT INTO links (id, workspaceId, domainId, key, foldedKey, url, createdAt, updatedAt)
     VALUES ('l0', 7, 'd1', 'b', 'b', 'https://example.com/3', 1, 1)`,
    ["changes 2"],
  ],
  [
    "two rows exchanged a unique value",
    `UPDATE users SET email = NULL WHERE id = 'u1'; UPDATE users SET email = 'ann@example.com' WHERE id = 'u2';
     UPDATE users SET email = 'bob@example.com' WHERE id = 'u1'`,
    ["again"],
  ],
  [
    "a row left the one it referred to, which was removed",
    "UPDATE links SET domainId = 'd2' WHERE domainId = 'd1'; DELETE FROM domains WHERE id = 'd1'",
    ["again"],
  ],
];

test.each(changes)(
  "PostgreSQL equals SQLite after %s",
  async (_, change, reported) => {
    const { expected, found } = await copyAround(change);

    expect(found).toEqual(expected);
    expect(heard).toEqual(reported);
  },
  60_000,
);

test("the salts of visitors are not in the snapshots, and are copied at the end", async () => {
  file.run("INSERT INTO daySalts (day, salt) VALUES ('2026-11-29', 'salt')");
  const copied = await copyWhileChanging(snapshots, follow());
  const snapshot = new SqliteFile(copied);
  const salts = snapshot.query("SELECT * FROM daySalts").all();
  snapshot.close();
  const { expected, found } = await copyLast(copied);

  expect(salts).toEqual([]);
  expect(found).toEqual(expected);
}, 60_000);

test("changes that arrive faster than they are copied end after some rounds", async () => {
  let sets = 0;
  const copied = await copyWhileChanging(
    snapshots,
    follow((line) => {
      if (line === "copy users" || line.startsWith("changes")) file.run(addSettings(`set ${sets++} `));
    }),
  );
  const { expected, found } = await copyLast(copied);

  expect(heard).toEqual(Array.from({ length: 6 }, () => "changes 1001"));
  expect(found).toEqual(expected);
}, 60_000);
