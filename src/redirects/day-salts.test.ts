import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayMs } from "../base/time.ts";
import { openDatabase } from "../database/open-database.ts";
import { renewDaySalts } from "./day-salts.ts";

test("no file of the folder contains a destroyed salt", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-salts-"));
  const database = await openDatabase({ kind: "sqlite", path: join(folder, "waypost.sqlite") });
  const firstDay = Date.UTC(2026, 10, 21);
  const first = [...(await renewDaySalts(database, firstDay)).values()];
  expect(first).toBeArrayOfSize(2);

  const last = [...(await renewDaySalts(database, firstDay + 10 * dayMs)).values()];

  const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
  const isKept = (salt: string) => bytes.some((text) => text.includes(salt));
  const found = { first: first.map(isKept), last: last.map(isKept) };
  await database.close();
  rmSync(folder, { recursive: true });
  expect(found).toEqual({ first: [false, false], last: [true, true] });
});
