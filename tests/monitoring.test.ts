import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { version } from "../package.json";
import { repository } from "./support/command.ts";
import { eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

let server: TestService;
beforeAll(async () => {
  server = await startService();
});
afterAll(() => server.remove());

const read = (path: string) => readFileSync(join(repository, "deploy", path), "utf8");
/** The metrics that an expression names; Prometheus adds the suffixes of histograms. */
const metricsIn = (text: string) =>
  new Set(Array.from(text.matchAll(/\bwaypost_[a-z0-9_]+/g), ([name]) => name.replace(/_(bucket|sum|count)$/, "")));

const expression = z.object({ expr: z.string() });
const dashboard = z.object({ panels: z.array(z.object({ id: z.number(), targets: z.array(expression).min(1) })) });

test("every metric of the alerts and of the Grafana dashboard is one of a real server", async () => {
  const { panels } = dashboard.parse(JSON.parse(read("grafana/waypost.json")));
  const alerts = Array.from(read("prometheus/alerts.yaml").matchAll(/^ +expr: (.*)$/gm), ([, expr = ""]) => expr);
  const expressions = [...alerts, ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))];

  const text = await (await fetch(`${server.url}/metrics`)).text();
  const served = new Set(Array.from(text.matchAll(/^# TYPE (\w+) /gm), ([, name = ""]) => name));

  expect(alerts.length).toBeGreaterThan(10);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect([...metricsIn(expressions.join("\n"))].filter((name) => !served.has(name))).toEqual([]);
});

test("the metrics show the version, the database's size and the queues of hashes", async () => {
  const text = await eventually(
    async () => await (await fetch(`${server.url}/metrics`)).text(),
    (metrics) => !metrics.includes("waypost_database_bytes 0\n"),
  );

  expect(text).toContain(`waypost_build_info{version="${version}"} 1\n`);
  expect(text).toContain('waypost_hashes_waiting{queue="accounts"} 0\n');
  expect(Number(/^waypost_database_bytes (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(100_000);
});
