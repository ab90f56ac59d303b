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

const raising = `
  import { getPriority } from "node:os";
  import { lowerPriority, lowerThreadPriority } from "./priority.ts";

  lowerPriority(5);
  lowerThreadPriority(5);
  console.log(JSON.stringify([getPriority()]));`;

test.skipIf(process.platform !== "linux")("lowers the priority of all threads, including later ones", async () => {
  const child = Bun.spawn([process.execPath, "--no-install", "--eval", program], { cwd: import.meta.dir });

  const threads = Priorities.parse(await new Response(child.stdout).json());

  expect(threads.length).toBeGreaterThan(1);
  expect(Math.min(...threads)).toBeGreaterThanOrEqual(niceness);
});

// A process needs a permission to raise its priority. Without it, a service started with `nice` had no threads.
test.skipIf(process.platform !== "linux")("keeps a priority that is already lower", async () => {
  const words = ["nice", "-n", "10", process.execPath, "--no-install", "--eval", raising];
  const child = Bun.spawn(words, { cwd: import.meta.dir });

  const [priority] = Priorities.parse(await new Response(child.stdout).json());

  expect(priority).toBeGreaterThanOrEqual(10);
});

const competing = `
  import { coreWaitMs } from "./priority.ts";

  const before = coreWaitMs();
  const end = performance.now() + 300;
  while (performance.now() < end);
  console.log(JSON.stringify([Math.round(coreWaitMs() - before), Math.round(performance.now() - end + 300)]));`;

test.skipIf(process.platform !== "linux")("a thread that shares a core measures its waits for it", async () => {
  const cwd = import.meta.dir;
  const words = ["taskset", "--cpu-list", "0", process.execPath, "--no-install", "--eval", competing];
  const children = [Bun.spawn(words, { cwd }), Bun.spawn(words, { cwd })];

  const measured = await Promise.all(
    children.map(async ({ stdout }) => Priorities.parse(await new Response(stdout).json())),
  );

  for (const [waited = 0, elapsed = 0] of measured) expect(waited).toBeLessThanOrEqual(elapsed);
  expect(Math.max(...measured.map(([waited = 0]) => waited))).toBeGreaterThan(0);
});
