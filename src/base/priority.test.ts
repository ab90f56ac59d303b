import { expect, test } from "bun:test";
import { z } from "zod";

const niceness = 15;
const Priorities = z.array(z.int());

// In a separate process, because later tests would run with the low priority.
const program = `
  import { readdirSync } from "node:fs";
  import { readFile } from "node:fs/promises";
  import { getPriority } from "node:os";
  import { lowerPriority } from "./priority.ts";

  lowerPriority(${niceness});
  // Makes the runtime start its thread pool.
  await readFile("priority.ts");
  const threads = readdirSync("/proc/self/task").flatMap((id) => {
    try {
      return [getPriority(Number(id))];
    } catch {
      // The thread has ended.
      return [];
    }
  });
  console.log(JSON.stringify(threads));`;

test.skipIf(process.platform !== "linux")("lowers the priority of all threads, including later ones", async () => {
  const child = Bun.spawn([process.execPath, "--no-install", "--eval", program], { cwd: import.meta.dir });

  const threads = Priorities.parse(await new Response(child.stdout).json());

  expect(threads.length).toBeGreaterThan(1);
  expect(Math.min(...threads)).toBeGreaterThanOrEqual(niceness);
});
