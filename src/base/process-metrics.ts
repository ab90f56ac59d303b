import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";
import { fileDescriptorsMax } from "./file-descriptors.ts";
import { secondMs } from "./time.ts";

const microsecondsPerSecond = 1_000_000;
const nanosecondsPerSecond = 1_000_000_000;

/** How finely the delay of the event loop is measured. */
const delayResolutionMs = 10;

/**
 * Adds what this process takes of the machine, under the names that Prometheus' clients have for it. Their own set is not
 * used: to tell sizes of the heap's parts it goes through the whole heap, 30 ms at a start and at every reading, in which
 * no visitor is answered.
 */
export function addProcessMetrics(registers: Registry[]): void {
  addProcessorTime(registers);
  addMemory(registers);
  addDescriptors(registers);
  addEventLoopDelay(registers);
  new Gauge({
    name: "waypost_process_start_time_seconds",
    help: "Start of the process since the Unix epoch",
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
  add("", "Processor time, all in all", ({ user, system }) => user + system);
  add("user_", "Processor time of the program itself", ({ user }) => user);
  add("system_", "Processor time of the system for the program", ({ system }) => system);
}

function addMemory(registers: Registry[]): void {
  const add = (name: string, help: string, read: (usage: NodeJS.MemoryUsage) => number) =>
    addGauge(registers, `waypost_${name}_bytes`, help, () => read(process.memoryUsage()));
  add("process_resident_memory", "Memory that is held", ({ rss }) => rss);
  add("nodejs_heap_size_total", "Memory of objects, free room included", ({ heapTotal }) => heapTotal);
  add("nodejs_heap_size_used", "Memory of objects", ({ heapUsed }) => heapUsed);
  add("nodejs_external_memory", "Memory that objects hold elsewhere", ({ external }) => external);
}

/** Only where the system tells of them, which is on Linux. */
function addDescriptors(registers: Registry[]): void {
  if (process.platform !== "linux") return;
  addGauge(registers, "waypost_process_open_fds", "Open descriptors", () => readdirSync("/proc/self/fd").length);
  new Gauge({ name: "waypost_process_max_fds", help: "Descriptors that may be open", registers }).set(
    fileDescriptorsMax(),
  );
}

/** Since the reading before. */
function addEventLoopDelay(registers: Registry[]): void {
  const delay = monitorEventLoopDelay({ resolution: delayResolutionMs });
  delay.enable();
  const add = (kind: string, help: string, read: () => number) =>
    addGauge(registers, `waypost_nodejs_eventloop_lag_${kind}_seconds`, help, () => read() / nanosecondsPerSecond);
  add("min", "The shortest delay of the event loop", () => delay.min);
  add("mean", "The mean delay of the event loop", () => delay.mean);
  add("stddev", "The standard deviation of the event loop's delays", () => delay.stddev);
  for (const percent of [50, 90, 99]) {
    add(`p${percent}`, `A delay of the event loop that ${percent} % of them are below`, () =>
      delay.percentile(percent),
    );
  }
  add("max", "The longest delay of the event loop", () => {
    const { max } = delay;
    // The last of them to be read: a registry reads its metrics in their order, and none waits.
    delay.reset();
    return max;
  });
}

/** Adds what is read anew at each reading of the metrics. */
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
