import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { stepPoolBack } from "./pool-priority.ts";

const tasks = "/proc/self/task";
const niceness = 15;

test.skipIf(process.platform !== "linux")("the pool's threads step back, and the main thread does not", async () => {
  // So that the pool has a thread.
  await readFile(import.meta.path);

  stepPoolBack(niceness);

  const threads = readdirSync(tasks).map((id) => ({
    name: readFileSync(`${tasks}/${id}/comm`, "utf8").trim(),
    niceness: getPriority(Number(id)),
  }));
  const pool = threads.filter(({ name }) => name.startsWith("Bun Pool"));
  expect(pool.length).toBeGreaterThan(0);
  expect(Math.min(...pool.map((thread) => thread.niceness))).toBeGreaterThanOrEqual(niceness);
  expect(getPriority(process.pid)).toBe(getPriority(0));
  expect(getPriority(process.pid)).toBeLessThan(niceness);
});
