import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";
import { fileDescriptorsMax } from "./file-descriptors.ts";
import { secondMs } from "./time.ts";

const microsecondsPerSecond = 1_000_000;
const nanosecondsPerSecond = 1_000_000_000;

/** The resolution of the event loop's delay. */
const delayResolutionMs = 10;

/**
 * Adds metrics of this process under the names of Prometheus' clients. prom-client's default metrics are not used: they
 * walk the whole heap, which blocks visitors for 30 ms at the start and at every scrape.
 */
export function addProcessMetrics(registers: Registry[]): void {
  addProcessorTime(registers);
  addMemory(registers);
  addDescriptors(registers);
  addEventLoopDelay(registers);
  new Gauge({
    name: "waypost_process_start_time_seconds",
    help: "Start time of the process since the Unix epoch",
    registers,
  }).set(Date.now() / secondMs - process.uptime());
}

function addProcessorTime(registers: Registry[]): void {
  const add = (kind: string, help: string, read: (usage: NodeJS.CpuUsage) => number) =>
    new Counter({
      name: `waypost_process_cpu_${kind}seconds_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read(process.cpuUsage()) / microsecondsPerSecond);
      },
    });
  add("", "Total processor time", ({ user, system }) => user + system);
  add("user_", "Processor time in user mode", ({ user }) => user);
  add("system_", "Processor time in system mode", ({ system }) => system);
}

function addMemory(registers: Registry[]): void {
  const add = (name: string, help: string, read: (usage: NodeJS.MemoryUsage) => number) =>
    addGauge(registers, `waypost_${name}_bytes`, help, () => read(process.memoryUsage()));
  add("process_resident_memory", "Resident memory", ({ rss }) => rss);
  add("nodejs_heap_size_total", "Heap size, including free space", ({ heapTotal }) => heapTotal);
  add("nodejs_heap_size_used", "Used heap", ({ heapUsed }) => heapUsed);
  add("nodejs_external_memory", "Memory that objects hold outside the heap", ({ external }) => external);
}

/** Linux only. */
function addDescriptors(registers: Registry[]): void {
  if (process.platform !== "linux") return;
  addGauge(registers, "waypost_process_open_fds", "Open file descriptors", () => readdirSync("/proc/self/fd").length);
  new Gauge({ name: "waypost_process_max_fds", help: "Limit of open file descriptors", registers }).set(
    fileDescriptorsMax(),
  );
}

/** Delays since the previous scrape. */
function addEventLoopDelay(registers: Registry[]): void {
  const delay = monitorEventLoopDelay({ resolution: delayResolutionMs });
  delay.enable();
  const add = (kind: string, help: string, read: () => number) =>
    addGauge(registers, `waypost_nodejs_eventloop_lag_${kind}_seconds`, help, () => read() / nanosecondsPerSecond);
  add("min", "Shortest delay of the event loop", () => delay.min);
  add("mean", "Mean delay of the event loop", () => delay.mean);
  add("stddev", "Standard deviation of the event loop's delays", () => delay.stddev);
  for (const percent of [50, 90, 99]) {
    add(`p${percent}`, `${percent}th percentile of the event loop's delays`, () => delay.percentile(percent));
  }
  add("max", "Longest delay of the event loop", () => {
    const { max } = delay;
    // Registered last: a registry collects its metrics in order and synchronously.
    delay.reset();
    return max;
  });
}

/** Adds a gauge that is read at each scrape. */
function addGauge(registers: Registry[], name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}
