import { readdirSync, readFileSync } from "node:fs";
import type { SoakRecord } from "./soak-record.ts";
import type { SoakWorld } from "./soak-world.ts";

/** Memory and open files of all processes of the server, summed. */
type Sample = { memoryMiB: number; files: number };

/**
 * The memory of all processes together, as the proportional set size: twice the largest value of a run of
 * 30 minutes, 869 MiB.
 */
const memoryMiBMax = 1_800;
/** Sockets of the visitors, and the files of the store, the spools and the database. */
const filesMax = 1_000;
/** Between the second and the last fifth of the samples, memory may grow by this share, and by these MiB. */
const growthMax = 1.4;
const growthMiBMax = 150;
const filesGrowthMax = 100;
const samplesMin = 30;

/** Samples the resources of a server, and checks that they do not grow without bound. */
export class SoakResources {
  readonly samples: Sample[] = [];

  /** Takes a sample, unless a process is missing at the moment. */
  sample(world: SoakWorld): void {
    try {
      const { main, store, workers } = world.processes();
      if (store === undefined) return;
      const ids = [world.server.process.pid, main, store, ...workers];
      this.samples.push({
        memoryMiB: ids.reduce((sum, id) => sum + memoryOf(id), 0),
        files: ids.reduce((sum, id) => sum + readdirSync(`/proc/${id}/fd`).length, 0),
      });
    } catch {
      // A process has just ended; the next sample finds its successor.
    }
  }

  /** Checks the bounds, and the growth if there are enough samples. */
  check(record: SoakRecord): void {
    const most = (name: keyof Sample) => Math.max(0, ...this.samples.map((sample) => sample[name]));
    record.count("most memory of all processes, MiB", Math.round(most("memoryMiB")));
    record.count("most open files of all processes", most("files"));
    if (most("memoryMiB") > memoryMiBMax)
      record.violate("memory is bounded", { memoryMiB: most("memoryMiB"), memoryMiBMax });
    if (most("files") > filesMax) record.violate("open files are bounded", { files: most("files"), filesMax });
    if (this.samples.length < samplesMin) return;
    const [early, late] = [this.#fifth(1), this.#fifth(4)];
    record.count("median memory in the second fifth, MiB", Math.round(median(early, "memoryMiB")));
    record.count("median memory in the last fifth, MiB", Math.round(median(late, "memoryMiB")));
    if (median(late, "memoryMiB") > median(early, "memoryMiB") * growthMax + growthMiBMax) {
      record.violate("memory does not grow without bound", { early: early.at(-1), late: late.at(-1) });
    }
    if (median(late, "files") > median(early, "files") + filesGrowthMax) {
      record.violate("open files do not grow without bound", { early: early.at(-1), late: late.at(-1) });
    }
  }

  #fifth(index: number): Sample[] {
    const length = Math.floor(this.samples.length / 5);
    return this.samples.slice(index * length, (index + 1) * length);
  }
}

function median(samples: readonly Sample[], name: keyof Sample): number {
  const sorted = samples.map((sample) => sample[name]).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function memoryOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1_024;
}
