import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { sourceHash } from "./dashboard-files.ts";

test("another source of the dashboard makes another hash, so that it is built anew", async () => {
  const added = join(import.meta.dir, "../../dashboard/src", `added-${crypto.randomUUID()}.ts`);
  const before = await sourceHash();

  await Bun.write(added, "export {};");
  const changed = await sourceHash();
  rmSync(added);

  expect(changed).not.toBe(before);
  expect(await sourceHash()).toBe(before);
});
