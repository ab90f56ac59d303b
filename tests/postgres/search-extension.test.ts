import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { waypost } from "../support/command.ts";
import { sharedPostgres } from "../support/postgres.ts";

test("on PostgreSQL, a start that cannot add the search extension is refused in one line that names the remedy", async () => {
  const server = await sharedPostgres();
  const url = new URL(await server.createDatabase());
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  const role = `role_${randomUUID().replaceAll("-", "")}`;
  // The user may create tables, but has no right on the database itself.
  await admin.query(`create role ${role} login password 'secret'; grant create on schema public to ${role}`);
  const limited = new URL(url);
  limited.username = role;
  limited.password = "secret";
  const data = mkdtempSync(join(tmpdir(), "waypost-extension-"));

  const { code, stderr } = await waypost(["serve"], { data, environment: { WAYPOST_DATABASE_URL: limited.href } });

  expect(code).not.toBe(0);
  expect(stderr).toContain("pg_trgm");
  expect(stderr).toContain("create extension pg_trgm;");
  expect(stderr.trim().split("\n")).toHaveLength(1);
  await admin.query(`drop owned by ${role}; drop role ${role}`);
  await admin.end();
  await server.stop();
  rmSync(data, { recursive: true, force: true });
});
