import { Database as SqliteFile } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "./database.ts";
import { openDatabase } from "./open-database.ts";
import { openSqliteReader } from "./sqlite-reader.ts";

let folder = "";
let path = "";
let database: Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "waypost-sqlite-"));
  path = join(folder, "waypost.sqlite");
  database = await openDatabase({ kind: "sqlite", path });
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

// The other connection releases its lock in a later tick of this thread, so a blocked thread would wait forever.
for (const kind of ["a transaction", "a statement by itself"] as const) {
  test(`${kind} waits for another connection's write without blocking the thread, and succeeds`, async () => {
    const events: string[] = [];
    const other = new SqliteFile(path);
    const reader = openSqliteReader(path);
    other.run("BEGIN IMMEDIATE");
    const insert = (db: Database["db"]) =>
      db.insertInto("settings").values({ name: "colour", value: "blue" }).execute();

    const writing = kind === "a transaction" ? database.db.transaction().execute(insert) : insert(database.db);
    const written = writing.then(() => events.push("written"));
    for (let turn = 0; turn < 3; turn++) {
      await Bun.sleep(1);
      events.push(`read ${reader.query("select count(*) as rows from settings where name = 'colour'").values()}`);
    }
    other.run("COMMIT");
    await written;

    expect(events).toEqual(["read 0", "read 0", "read 0", "written"]);
    expect(reader.query("select value from settings where name = 'colour'").values()).toEqual([["blue"]]);
    other.close();
    reader.close();
  });
}
