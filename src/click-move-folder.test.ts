import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMovingClicks, moveAtStart, movePaths, removeMove } from "./click-move-folder.ts";
import { readConfig } from "./config.ts";

let data = "";
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "waypost-move-"));
});
afterEach(() => rmSync(data, { recursive: true }));

const databaseUrl = "postgres://waypost@localhost/waypost";
const onFile = () => readConfig({ WAYPOST_DATA: data, WAYPOST_DATABASE_URL: databaseUrl });
const onClickHouse = () =>
  readConfig({ WAYPOST_DATA: data, WAYPOST_DATABASE_URL: databaseUrl, WAYPOST_CLICKS_URL: "http://localhost/waypost" });

function create(...paths: string[]): void {
  mkdirSync(movePaths(onFile()).folder, { recursive: true });
  for (const path of paths) writeFileSync(path, "");
}

test("ClickHouse is used only when it has the clicks of the file, also after a move was stopped or canceled", () => {
  const { complete, copy } = movePaths(onFile());
  const file = join(data, "clicks.duckdb");

  expect([moveAtStart(onFile()), moveAtStart(onClickHouse())]).toEqual(["none", "none"]);
  create(file, copy("id"));
  expect(moveAtStart(onFile())).toBe("moving");
  expect(() => moveAtStart(onClickHouse())).toThrow("WAYPOST_CLICKS_URL");
  create(complete);
  expect([moveAtStart(onFile()), moveAtStart(onClickHouse())]).toEqual(["moving", "complete"]);
  removeMove(onFile());
  expect(isMovingClicks(onFile())).toBe(false);
  expect(() => moveAtStart(onClickHouse())).toThrow(file);
});

test("an unfinished move back begins again after a start on ClickHouse, and keeps the service from starting on a new file", () => {
  const { back } = movePaths(onFile());
  create(back);

  expect(() => moveAtStart(onFile())).toThrow("WAYPOST_CLICKS_URL");
  expect(moveAtStart(onClickHouse())).toBe("none");
  expect(moveAtStart(onFile())).toBe("none");
});
