import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waypost } from "../support/command.ts";
import { sharedPostgres } from "../support/postgres.ts";

test("a start with a database that does not exist is refused in one line that names it", async () => {
  const data = mkdtempSync(join(tmpdir(), "waypost-refusals-"));
  const postgres = await sharedPostgres();
  try {
    const environment = { WAYPOST_DATABASE_URL: postgres.url("absent") };
    const { code, stdout, stderr } = await waypost(["serve"], { data, environment });

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^waypost: .*refuses absent: database "absent" does not exist \(3D000\)\.[^\n]*\n$/);
  } finally {
    await postgres.stop();
    rmSync(data, { recursive: true, force: true });
  }
});
