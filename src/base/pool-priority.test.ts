import { expect, test } from "bun:test";
import { z } from "zod";

const niceness = 15;
const Threads = z.array(z.object({ name: z.string(), niceness: z.int() }));

// In a process of its own: a pool that stepped back would keep the tests after this one waiting.
const program = `
  import { readdirSync, readFileSync } from "node:fs";
  import { readFile } from "node:fs/promises";
  import { getPriority } from "node:os";
  import { stepPoolBack } from "./pool-priority.ts";

  // So that the pool has a thread.
  await readFile("pool-priority.ts");
  stepPoolBack(${niceness});
  const threads = readdirSync("/proc/self/task").flatMap((id) => {
    try {
      const name = readFileSync(\`/proc/self/task/\${id}/comm\`, "utf8").trim();
      return [{ name: Number(id) === process.pid ? "main" : name, niceness: getPriority(Number(id)) }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
  console.log(JSON.stringify(threads));`;

test.skipIf(process.platform !== "linux")("the pool's threads step back, and the main thread does not", async () => {
  const child = Bun.spawn([process.execPath, "--no-install", "--eval", program], { cwd: import.meta.dir });

  const threads = Threads.parse(await new Response(child.stdout).json());

  const pool = threads.filter(({ name }) => name.startsWith("Bun Pool"));
  expect(pool.length).toBeGreaterThan(0);
  expect(Math.min(...pool.map((thread) => thread.niceness))).toBeGreaterThanOrEqual(niceness);
  expect(threads.find(({ name }) => name === "main")?.niceness).toBeLessThan(niceness);
});
