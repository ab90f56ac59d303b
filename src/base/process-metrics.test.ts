import { expect, test } from "bun:test";
import { Registry } from "prom-client";
import { addProcessMetrics } from "./process-metrics.ts";

async function read(registry: Registry): Promise<Map<string, number>> {
  const metrics = await registry.getMetricsAsJSON();
  return new Map(metrics.map(({ name, values }) => [name, values[0]?.value ?? Number.NaN]));
}

test("each scrape reports the current resource usage under Prometheus' names", async () => {
  const registry = new Registry();
  addProcessMetrics([registry]);
  const before = await read(registry);
  const start = process.cpuUsage();
  while (process.cpuUsage(start).user < 50_000) Math.sqrt(Math.random());

  const after = await read(registry);

  const grown =
    (after.get("waypost_process_cpu_seconds_total") ?? 0) - (before.get("waypost_process_cpu_seconds_total") ?? 0);
  expect(grown).toBeGreaterThanOrEqual(0.05 - 1e-9);
  expect(after.get("waypost_process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  expect(after.get("waypost_nodejs_heap_size_used_bytes")).toBeGreaterThan(0);
  expect(after.get("waypost_process_start_time_seconds")).toBeWithin(1_700_000_000, Date.now() / 1_000);
  if (process.platform === "linux") {
    const [open = 0, most = 0] = ["open", "max"].map((kind) => after.get(`waypost_process_${kind}_fds`));
    expect(open).toBeWithin(1, most);
  }
});

test("each scrape reports the event loop's delays since the previous scrape", async () => {
  const registry = new Registry();
  addProcessMetrics([registry]);
  const longest = "waypost_nodejs_eventloop_lag_max_seconds";
  const turn = () => new Promise((resolve) => setTimeout(resolve, 30));
  await turn();
  const until = performance.now() + 300;
  while (performance.now() < until);
  await turn();

  const blocked = (await read(registry)).get(longest) ?? 0;
  // On a busy machine, a single scrape may have such a delay.
  const next = [await read(registry), await read(registry), await read(registry)].map((values) => values.get(longest));

  expect(blocked).toBeGreaterThan(0.2);
  expect(Math.min(...next.map(Number))).toBeLessThan(blocked);
});
