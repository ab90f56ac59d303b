import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backPaths, type CompleteMove, movePaths, removeMove, writeComplete } from "../../src/click-move-folder.ts";
import { continueClickMove } from "../../src/click-moves/continue-move.ts";
import { movedSpoolsOf } from "../../src/clicks/moved-spools.ts";
import { readConfig } from "../../src/config.ts";
import { knownStoreId, setKnownStoreId } from "../../src/database/known-store.ts";
import { openClickHouse, type TestClickHouse } from "./clickhouse.ts";
import { openTestedStore, type TestedClickHouseStore } from "./tested-clickhouse.ts";

const fileId = "id-of-the-file";
const cursors = { ["ab".repeat(16)]: 701, ["cd".repeat(16)]: 0 };

let clickHouse: TestClickHouse;
beforeAll(async () => {
  clickHouse = await openClickHouse();
});
afterAll(() => clickHouse.stop());

let tested: TestedClickHouseStore;
let storeId = "";
let data = "";
beforeEach(async () => {
  tested = await openTestedStore(clickHouse);
  storeId = await tested.store.storeId();
  data = mkdtempSync(join(tmpdir(), "waypost-move-"));
  await setKnownStoreId(tested.db, fileId);
});
afterEach(async () => {
  await tested.remove();
  rmSync(data, { recursive: true });
});

const onFile = () => readConfig({ WAYPOST_DATA: data, WAYPOST_DATABASE_URL: tested.databaseUrl });
const onClickHouse = (url = tested.url) =>
  readConfig({ WAYPOST_DATA: data, WAYPOST_DATABASE_URL: tested.databaseUrl, WAYPOST_CLICKS_URL: url });
const start = (config = onClickHouse()) => continueClickMove({ config, db: tested.db, log: { info() {} } });
const file = (suffix = "") => join(data, `clicks.duckdb${suffix}`);
const recordedCursors = async () => {
  const rows = await tested.db.selectFrom("clickCursors").selectAll().execute();
  return Object.fromEntries(rows.map(({ spoolId, position }) => [spoolId, position]));
};

/** A move to ClickHouse; complete unless `complete` is undefined. */
async function movedThere(complete?: Partial<CompleteMove>): Promise<void> {
  writeFileSync(file(), "file");
  writeFileSync(file(".wal"), "wal");
  await tested.store.move.replaceMoved({ [`${movedSpoolsOf(storeId, "id")}begun`]: 0 });
  const { folder, complete: path } = movePaths(onFile());
  mkdirSync(folder);
  if (complete !== undefined) writeComplete(path, { moveId: "id", from: fileId, to: storeId, cursors, ...complete });
}

/** A move back of a service whose clicks are in ClickHouse. */
async function movedBack(isComplete: boolean): Promise<void> {
  await setKnownStoreId(tested.db, storeId);
  await tested.store.move.replaceMoved(cursors);
  const { folder, file: filled, complete } = backPaths(onFile());
  mkdirSync(folder);
  writeFileSync(filled, "filled");
  if (isComplete) writeComplete(complete, { moveId: "back", from: storeId, to: fileId, cursors });
}

test("a start on ClickHouse takes the clicks that a complete move has brought there, also after a crash in between", async () => {
  await movedThere({});

  await start();
  const first = await recordedCursors();
  writeFileSync(file(), "file");
  mkdirSync(movePaths(onFile()).folder);
  writeComplete(movePaths(onFile()).complete, { moveId: "id", from: fileId, to: storeId, cursors });
  await expect(start(onFile())).rejects.toThrow("WAYPOST_CLICKS_URL: it must be set");
  await start();
  await start();

  expect(first).toEqual(cursors);
  expect(await recordedCursors()).toEqual(cursors);
  expect(await knownStoreId(tested.db)).toBe(storeId);
  expect([existsSync(file()), existsSync(file(".wal")), existsSync(movePaths(onFile()).folder)]).toEqual([
    false,
    false,
    false,
  ]);
  expect([".moved", ".moved.wal"].map((suffix) => readFileSync(file(suffix), "utf8"))).toEqual(["file", "wal"]);
});

test("ClickHouse is not used while it has only a part of the clicks, on any data folder", async () => {
  await movedThere();

  await expect(start()).rejects.toThrow(`not all clicks of ${file()}`);
  await start(onFile());
  rmSync(data, { recursive: true });
  mkdirSync(data);
  await expect(start()).rejects.toThrow("does not have all clicks");
  await start(onClickHouse(await clickHouse.createDatabase()));
});

test("after a complete move was canceled, the service goes on with its file and refuses ClickHouse", async () => {
  await movedThere({});

  removeMove(movePaths(onFile()).folder);

  await expect(start()).rejects.toThrow(`not all clicks of ${file()}`);
  await start(onFile());
  rmSync(file());
  await expect(start()).rejects.toThrow("does not have all clicks");
  expect(await knownStoreId(tested.db)).toBe(fileId);
});

test("a complete move is used only with the databases that it was made with", async () => {
  await movedThere({ to: "another" });
  await expect(start()).rejects.toThrow("WAYPOST_CLICKS_URL: the clicks were moved to another database");
  removeMove(movePaths(onFile()).folder);

  for (const complete of [{ from: "another" }, { moveId: "another" }]) {
    await movedThere(complete);
    await expect(start()).rejects.toThrow("WAYPOST_DATABASE_URL: this PostgreSQL does not know the move");
    removeMove(movePaths(onFile()).folder);
  }

  expect(existsSync(file())).toBe(true);
  expect(await knownStoreId(tested.db)).toBe(fileId);
});

test("a complete move back puts the file in its place, and ClickHouse is not used again with what it has", async () => {
  await movedBack(true);

  await start(onFile());
  await start(onFile());

  expect(readFileSync(file(), "utf8")).toBe("filled");
  expect(await knownStoreId(tested.db)).toBe(fileId);
  await expect(start()).rejects.toThrow(`not all clicks of ${file()}`);
  rmSync(file());
  await expect(start()).rejects.toThrow("does not have all clicks");
  await tested.store.move.replaceMoved({});
});

test("a move back is not used when it is not complete, or ClickHouse has stored clicks since", async () => {
  await movedBack(false);
  await expect(start(onFile())).rejects.toThrow("not all clicks were moved back");
  await start();
  expect(existsSync(backPaths(onFile()).folder)).toBe(false);
  await tested.db.deleteFrom("clickCursors").execute();

  await movedBack(true);
  await tested.db.updateTable("clickCursors").set({ position: 702 }).where("position", "=", 701).execute();

  await expect(start(onFile())).rejects.toThrow("not all clicks were moved back");
  expect(existsSync(file())).toBe(false);
  expect(await knownStoreId(tested.db)).toBe(storeId);
});
