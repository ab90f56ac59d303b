/** The disturbances of a soak test, by a plan that a seed decides. */
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../clicks.ts";
import { fillDisk, fillerName } from "../small-disk.ts";
import type { SoakWorld } from "./soak-world.ts";

/** TABLE of disturbances: how often each happens, and what it does with a random number from 0 to below 1. */
const disturbances = {
  "kill of the service": { share: 3, run: killService },
  "kill of the main process": { share: 3, run: (world, random) => killProcess(world, "main", random) },
  "kill of the store process": { share: 4, run: (world, random) => killProcess(world, "store", random) },
  "kill of a redirect worker": { share: 4, run: (world, random) => killProcess(world, "worker", random) },
  "stop and start": { share: 3, run: stopAndStart },
  "pause of the main process": { share: 2, run: (world, random) => pauseProcess(world, "main", random) },
  "pause of the store process": { share: 2, run: (world, random) => pauseProcess(world, "store", random) },
  "pause of a redirect worker": { share: 2, run: (world, random) => pauseProcess(world, "worker", random) },
  "full disk": { share: 3, run: fullDisk },
  "clock forward": { share: 3, run: clockForward },
  "clock back": { share: 2, run: clockBack },
} satisfies Record<string, { share: number; run(world: SoakWorld, random: Random): Promise<void> }>;

type DisturbanceName = keyof typeof disturbances;
type ProcessName = "main" | "store" | "worker";

/** A step of the plan. `pauseMs` precedes it. */
type PlannedDisturbance = { step: number; name: DisturbanceName; pauseMs: number };

/** The quiet time between a recovery and the next disturbance. */
const pauseMsMin = 2_000;
const pauseMsMax = 15_000;
const secondMs = 1_000;
const forwardSecondsMax = 3 * 3_600;
const backSecondsMax = 240;
const spareBytesMax = 64 * 1024;
/** What fillDisk writes after `fallocate`. */
const writtenBytes = 16 * 1024 ** 2;

/** An endless plan: first each disturbance once, in random order, and then random ones. */
export function* planDisturbances(random: Random): Generator<PlannedDisturbance, never> {
  const names = Object.keys(disturbances) as DisturbanceName[];
  const weighted = names.flatMap((name) => new Array<DisturbanceName>(disturbances[name].share).fill(name));
  const first = names.map((name) => ({ name, at: random() })).sort((one, other) => one.at - other.at);
  for (let step = 1; ; step++) {
    const name = first[step - 1]?.name ?? weighted[Math.floor(random() * weighted.length)] ?? "kill of the service";
    yield { step, name, pauseMs: pauseMsMin + random() * (pauseMsMax - pauseMsMin) };
  }
}

/** True if this machine can cause the disturbance. */
export function isPossible(world: SoakWorld, name: DisturbanceName): boolean {
  if (name === "full disk") return world.hasSmallDisk;
  return !name.startsWith("clock") || world.clock !== undefined;
}

/** Causes a disturbance, and resolves when the server has recovered. */
export async function disturb(world: SoakWorld, name: DisturbanceName, random: Random): Promise<void> {
  await world.disturb(name, async () => await disturbances[name].run(world, random));
}

async function killService(world: SoakWorld, random: Random): Promise<void> {
  await world.end("SIGKILL");
  await Bun.sleep(random() * 2_000);
  await world.start();
}

async function stopAndStart(world: SoakWorld): Promise<void> {
  const code = await world.end("SIGTERM");
  world.record.requireEqual("a stop ends with exit code 0", code, 0);
  await world.start();
}

async function killProcess(world: SoakWorld, name: ProcessName, random: Random): Promise<void> {
  const pid = processOf(world, name, random);
  if (pid !== undefined) signal(pid, "SIGKILL");
}

async function pauseProcess(world: SoakWorld, name: ProcessName, random: Random): Promise<void> {
  const pid = processOf(world, name, random);
  if (pid === undefined) return;
  signal(pid, "SIGSTOP");
  try {
    await Bun.sleep(secondMs + random() * 4 * secondMs);
  } finally {
    signal(pid, "SIGCONT");
  }
}

/** Fills the disk for some seconds; in half of the cases, the store process is killed as well. */
async function fullDisk(world: SoakWorld, random: Random): Promise<void> {
  const filler = await fillQuickly(world.data, Math.floor(random() * spareBytesMax));
  try {
    await Bun.sleep(2 * secondMs + random() * 6 * secondMs);
    if (random() < 0.5) await killProcess(world, "store", random);
    await Bun.sleep(random() * 3 * secondMs);
  } finally {
    filler.free();
  }
}

/** Reserves most of the space in another process, because writing so much here would stop the visitors for seconds. */
async function fillQuickly(folder: string, spareBytes: number): Promise<{ free(): void }> {
  const { bavail, bsize } = await statfs(folder);
  const bytes = Math.max(1, bavail * bsize - writtenBytes);
  await Bun.spawn(["fallocate", "--length", String(bytes), join(folder, fillerName)]).exited;
  return fillDisk(folder, spareBytes);
}

async function clockForward({ clock }: SoakWorld, random: Random): Promise<void> {
  clock?.shiftTo(clock.shiftMs() + Math.ceil(random() * forwardSecondsMax) * secondMs);
}

async function clockBack({ clock }: SoakWorld, random: Random): Promise<void> {
  clock?.shiftTo(clock.shiftMs() - Math.ceil(random() * backSecondsMax) * secondMs);
}

function processOf(world: SoakWorld, name: ProcessName, random: Random): number | undefined {
  const { main, store, workers } = world.processes();
  if (name === "main") return main;
  return name === "store" ? store : workers[Math.floor(random() * workers.length)];
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended by itself.
  }
}
