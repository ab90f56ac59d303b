/**
 * Time from the start command on an empty data folder to the first answered request, against a start of Node and Bun
 * without a program.
 *
 *   npm run benchmark:start
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reservePorts } from "../src/http1/reserve-ports.ts";
import { median } from "./support/load.ts";

const rounds = 7;
const startMaxMs = 20_000;
const root = join(import.meta.dir, "..");

const waypost: number[] = [];
const bare: number[] = [];
for (let round = 0; round < rounds; round++) {
  bare.push(await timeBareStart());
  waypost.push(await timeFirstAnswer());
}
const [first, reference] = [median(waypost), median(bare)];
console.log(`first answered request after ${first.toFixed(0)} ms; Node and Bun alone take ${reference.toFixed(0)} ms`);
console.log(`ratio ${(first / reference).toFixed(1)} (medians of ${rounds} rounds)`);

async function timeFirstAnswer(): Promise<number> {
  const data = mkdtempSync(join(tmpdir(), "waypost-benchmark-"));
  const port = reservePorts({ port: 0, hostname: "127.0.0.1" }).port;
  const startedAt = performance.now();
  const child = Bun.spawn(["node", "bin/waypost.mjs", "serve"], {
    cwd: root,
    env: { ...process.env, WAYPOST_DATA: data, WAYPOST_PORT: String(port), WAYPOST_LOG_LEVEL: "warn" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  try {
    while (!(await isReady(port))) {
      if (performance.now() - startedAt > startMaxMs) throw new Error("Waypost did not start.");
      await Bun.sleep(2);
    }
    return performance.now() - startedAt;
  } finally {
    child.kill("SIGTERM");
    await child.exited;
    rmSync(data, { recursive: true, force: true });
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
  } catch {
    // No server listens yet.
    return false;
  }
}

async function timeBareStart(): Promise<number> {
  const startedAt = performance.now();
  const child = Bun.spawn(["node", "bin/bun.mjs", "-e", "0"], { cwd: root, stdin: "ignore", stdout: "ignore" });
  await child.exited;
  return performance.now() - startedAt;
}
