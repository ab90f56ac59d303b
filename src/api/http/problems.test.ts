import { Database as SqliteFile } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { Problem } from "../../base/problem.ts";
import { toProblem } from "./problems.ts";

/** TABLE of driver errors by message and code, and the resulting problem codes. */
const failures: [string, string | undefined, string][] = [
  ["database is locked", "SQLITE_BUSY", "unavailable"],
  ["database is locked", "SQLITE_BUSY_SNAPSHOT", "unavailable"],
  ["database or disk is full", "SQLITE_FULL", "unavailable"],
  ["disk I/O error", "SQLITE_IOERR_WRITE", "unavailable"],
  ["connect ECONNREFUSED 127.0.0.1:5432", "ECONNREFUSED", "unavailable"],
  ["read ECONNRESET", "ECONNRESET", "unavailable"],
  ["terminating connection due to administrator command", "57P01", "unavailable"],
  ["the database system is starting up", "57P03", "unavailable"],
  ["connection failure", "08006", "unavailable"],
  ["could not serialize access due to concurrent update", "40001", "unavailable"],
  ["Connection terminated unexpectedly", undefined, "unavailable"],
  ["Connection terminated due to connection timeout", undefined, "unavailable"],
  ["timeout exceeded when trying to connect", undefined, "unavailable"],
  ["Query read timeout", undefined, "unavailable"],
  ["canceling statement due to statement timeout", "57014", "unavailable"],
  ["no such column: colour", "SQLITE_ERROR", "internal_server_error"],
  ["column does not exist", "42703", "internal_server_error"],
  ["x is undefined", undefined, "internal_server_error"],
];

test.each(failures)("%s (%s) is %s", (message, code, expected) => {
  const failure = Object.assign(new Error(message), code === undefined ? {} : { code });

  const problem = toProblem(failure);

  expect(problem).toMatchObject({ code: expected as Problem["code"], cause: failure });
  expect(problem.message).not.toContain(message);
});

test("a SQLite file that is locked by another connection is unavailable", () => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-test-"));
  const [writer, other] = [new SqliteFile(join(folder, "a.sqlite")), new SqliteFile(join(folder, "a.sqlite"))];
  writer.run("BEGIN IMMEDIATE");

  expect(toProblem(failureOf(() => other.run("CREATE TABLE a (b)"))).code).toBe("unavailable");
  for (const file of [writer, other]) file.close();
  rmSync(folder, { recursive: true });
});

test("an unreachable PostgreSQL is unavailable", async () => {
  const pool = new Pool({ connectionString: "postgres://127.0.0.1:1/none" });

  const failure: unknown = await pool.query("select 1").catch((error: unknown) => error);

  expect(toProblem(failure).code).toBe("unavailable");
  await pool.end();
});

test("a problem is returned unchanged", () => {
  const problem = new Problem("conflict", "Taken.");

  expect(toProblem(problem)).toBe(problem);
});

function failureOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
