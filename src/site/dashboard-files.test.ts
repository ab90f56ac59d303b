import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sourceHash } from "./dashboard-files.ts";

test("a changed source of the dashboard changes the hash, so that it is built again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waypost-sources-"));
  try {
    await Bun.write(join(folder, "dashboard/src/main.tsx"), "export {};");
    const before = await sourceHash(folder);

    const added = join(folder, "dashboard/src/added.ts");
    await Bun.write(added, "export {};");
    const changed = await sourceHash(folder);
    rmSync(added);

    expect(changed).not.toBe(before);
    expect(await sourceHash(folder)).toBe(before);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
