/** The relational data moves from SQLite to PostgreSQL and back. */
import { expect, test } from "bun:test";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { copyTables } from "../../src/database/copy-tables.ts";
import { openDatabaseForCopy } from "../../src/database/open-database.ts";
import { openPostgresRows } from "../../src/database/postgres-rows.ts";
import { openSqliteRows } from "../../src/database/sqlite-rows.ts";
import { waypost } from "../support/command.ts";
import { waitUntilDrained } from "../support/counted-once.ts";
import { answersOf, fillForMove, movedLinks } from "../support/moved-service.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { browser, programCommand, startOn, startServer } from "../support/server.ts";

test("links and clicks are the same on PostgreSQL and back on SQLite, and the left database cannot be used", async () => {
  const postgres = await sharedPostgres();
  const server = await startServer({}, "sqlite");
  const { data } = server;
  try {
    await fillForMove(server);
    const expected = await answersOf(server);
    const url = await postgres.createDatabase();
    await server.end("SIGTERM");

    const moved = await waypost(["migrate", "--to-database", url], { data });
    const left = await waypost(["serve"], { data });
    const again = await waypost(["migrate", "--to-database", url], { data });
    const second = await startOn(data, programCommand("serve"), { WAYPOST_DATABASE_URL: url });
    const onPostgres = await answersOf(second);
    expect(
      (await second.call("POST", "/links", { body: { url: "https://example.com/later", key: "later" } })).status,
    ).toBe(200);
    await second.visit("/later", { headers: browser });
    await waitUntilDrained(second);
    const later = await answersOf(second);
    const running = await waypost(["migrate", "--to-database", "sqlite"], {
      data,
      environment: { WAYPOST_DATABASE_URL: url },
    });
    await second.end("SIGTERM");
    const back = await waypost(["migrate", "--to-database", "sqlite"], {
      data,
      environment: { WAYPOST_DATABASE_URL: url },
    });
    expect(back).toMatchObject({ code: 0 });
    // A kill before the complete file was put in place leaves it so.
    renameSync(join(data, "waypost.sqlite"), join(data, "waypost.sqlite.unfinished"));
    const finished = await waypost(["migrate", "--to-database", "sqlite"], {
      data,
      environment: { WAYPOST_DATABASE_URL: url },
    });
    expect(finished).toMatchObject({ code: 0 });
    const leftPostgres = await waypost(["serve"], { data, environment: { WAYPOST_DATABASE_URL: url } });
    const third = await startOn(data, programCommand("serve"), {});
    const onSqlite = await answersOf(third);
    await third.end("SIGTERM");

    expect(running.stderr).toBe(
      `waypost: Stop Waypost (process ${second.process.pid}) first; it cannot run while the data moves back to SQLite.\n`,
    );
    expect(moved).toMatchObject({ code: 0 });
    expect(JSON.parse(moved.stdout).rows.links).toBe(movedLinks + 1);
    expect(left.stderr).toBe(
      'waypost: The data was moved to PostgreSQL: set WAYPOST_DATABASE_URL to that database. To use the old data anyway, delete the row "movedTo" of the table "settings" in waypost.sqlite.\n',
    );
    expect(again.stderr).toBe(left.stderr);
    expect(leftPostgres.stderr).toBe(
      'waypost: The data was moved to SQLite: remove WAYPOST_DATABASE_URL. To use the old data anyway, delete the row "movedTo" of the table "settings" in the PostgreSQL database.\n',
    );
    expect(onPostgres).toEqual(expected);
    expect(onSqlite).toEqual(later);
    expect(existsSync(join(data, "waypost.sqlite.unfinished"))).toBe(false);
    expect(await waypost(["clicks", "verify"], { data })).toMatchObject({ code: 0 });
  } finally {
    await server.remove();
    await postgres.stop();
  }
}, 300_000);

test("an interrupted copy goes on, and keeps servers out until it is complete", async () => {
  const postgres = await sharedPostgres();
  const server = await startServer({}, "sqlite");
  try {
    await fillForMove(server);
    await server.end("SIGTERM");
    const path = join(server.data, "waypost.sqlite");
    const url = await postgres.createDatabase();
    const interrupted = await openPostgresRows(url);
    await interrupted.begin(path);
    await (await openDatabaseForCopy({ kind: "postgres", url })).close();
    const source = openSqliteRows(path);
    let copied = 0;
    const failing = copyTables(source, interrupted, {
      name: path,
      report(_, table, rows) {
        if (table === "links") copied += rows;
        if (copied > 600) throw new Error("The power failed.");
      },
    });
    await expect(failing).rejects.toThrow("The power failed.");
    await interrupted.close();
    await source.close();

    const early = await waypost(["serve"], { data: server.data, environment: { WAYPOST_DATABASE_URL: url } });
    const absent = await waypost(["migrate", "--to-database", url.replace(/[^/]+$/, "absent")], server);
    const completed = await waypost(["migrate", "--to-database", url], server);
    const occupied = await waypost(["migrate", "--to-database", url], { data: server.data });

    expect(copied).toBe(1_000);
    expect(early.stderr).toContain("unfinished copy");
    // Each problem of the target names the option that the person wrote.
    expect(absent.stderr).toMatch(/^waypost: --to-database: the PostgreSQL at .* refuses absent/m);
    expect(absent.stderr).not.toContain("WAYPOST_DATABASE_URL");
    expect(completed).toMatchObject({ code: 0 });
    expect(completed.stderr).toContain("Copying links: 201 rows.");
    expect(occupied.code).toBe(1);
  } finally {
    await server.remove();
    await postgres.stop();
  }
}, 300_000);

test("a copy that is interrupted while it empties its target begins again", async () => {
  const postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  await (await openDatabaseForCopy({ kind: "postgres", url })).close();
  const target = await openPostgresRows(url);
  try {
    await target.begin("source");
    const tables = await target.tables();
    for (const table of tables) await target.insert(table, [], "complete");

    const interrupted = target.clear([{ name: "absent", columns: [], key: [] }, ...tables]);

    await expect(interrupted).rejects.toThrow("absent");
    expect([...((await target.progress()) ?? [])]).toEqual([["*source", "source"]]);
  } finally {
    await target.close();
    await postgres.stop();
  }
}, 60_000);
