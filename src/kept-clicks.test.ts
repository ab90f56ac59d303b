import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { segmentFileName, segmentHeaderBytes } from "./clicks/spool-format.ts";
import { readConfig } from "./config.ts";
import { refuseMissingDatabase } from "./kept-clicks.ts";

const folder = mkdtempSync(join(tmpdir(), "waypost-kept-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const first = segmentFileName(0);
const later = segmentFileName(4_096);

/** Whether a start without PostgreSQL is refused on a folder with these files of these sizes. */
function isRefused(files: Record<string, number>): boolean {
  const data = mkdtempSync(join(folder, "data-"));
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(data, name)), { recursive: true });
    writeFileSync(join(data, name), Buffer.alloc(bytes));
  }
  try {
    refuseMissingDatabase(readConfig({ WAYPOST_DATA: data }));
    return false;
  } catch {
    return true;
  }
}

test.each<[string, Record<string, number>, boolean]>([
  ["an empty folder", {}, false],
  ["a first start that was killed", { [`spool/${first}`]: segmentHeaderBytes, "waypost.lock": 0, secret: 43 }, false],
  ["one whose worker has begun a spool", { [`spool/worker-1/${first}`]: segmentHeaderBytes }, false],
  ["a click store", { "clicks.duckdb": 1 }, true],
  ["a click in the spool", { [`spool/${first}`]: segmentHeaderBytes + 1 }, true],
  ["a click in the spool of a worker", { [`spool/worker-1/${first}`]: segmentHeaderBytes + 1 }, true],
  ["a spool whose clicks were stored", { [`spool/${later}`]: segmentHeaderBytes }, true],
  ["a copy of the links in PostgreSQL", { "links.replica": 1 }, true],
  ["clicks with their database", { "clicks.duckdb": 1, "waypost.sqlite": 1 }, false],
])("a folder without waypost.sqlite is refused when it was used: %s", (_, files, expected) => {
  expect(isRefused(files)).toBe(expected);
});
