import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDatabase } from "../../tests/support/databases.ts";
import { backPaths, movePaths } from "../click-move-folder.ts";
import { readConfig } from "../config.ts";
import { continueClickMove } from "./continue-move.ts";

test("a start removes the copies of clicks of ended moves whose removal was interrupted", async () => {
  const config = readConfig({ WAYPOST_DATA: mkdtempSync(join(tmpdir(), "waypost-move-")) });
  const left = [movePaths(config), backPaths(config)].map(({ folder }) => `${folder}.ended`);
  for (const folder of left) {
    mkdirSync(folder);
    writeFileSync(join(folder, "copy.duckdb"), "clicks");
  }
  const { database, close } = await testDatabase("sqlite");
  try {
    await continueClickMove({ config, db: database.db, log: { info() {} } });

    expect(left.filter((folder) => existsSync(folder))).toEqual([]);
  } finally {
    await close();
    rmSync(config.WAYPOST_DATA, { recursive: true });
  }
});
