import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waypost } from "../support/command.ts";
import { testDatabase } from "../support/databases.ts";

test("benchmark generate fills PostgreSQL with more links than one statement takes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-generate-"));
  const { database, location, close } = await testDatabase("postgres");
  try {
    const environment = { WAYPOST_DATABASE_URL: location.kind === "postgres" ? location.url : "" };
    const args = ["benchmark", "generate", "--clicks", "3000", "--links", "4200"];
    const { code, stderr } = await waypost(args, { data: folder, environment });

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { links, counted } = await database.db
      .selectFrom("links")
      .select(({ fn }) => [fn.countAll<number>().as("links"), fn.sum<number>("clicks").as("counted")])
      .where("key", "<>", "_root")
      .executeTakeFirstOrThrow();
    expect(Number(links)).toBe(4_200);
    expect(Number(counted)).toBeWithin(0.8 * 3_000, 0.9 * 3_000);
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
});
