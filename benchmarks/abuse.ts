/**
 * Latency of visitors during attacks: thousands of idle connections, floods of one domain, floods of unknown keys.
 *
 *   npm run benchmark:abuse             everything
 *   npm run benchmark:abuse -- --quick  short rounds, only to check that it works
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./support/load.ts";
import { type BenchmarkServer, ownerKey, pinApart, startWaypost } from "./support/servers.ts";
import type { VisitPlan, VisitResult } from "./support/visitors.ts";

const links = 1_000;
const calm = "calm.example.com";
const flooded = "flooded.example.com";
const isQuick = process.argv.includes("--quick");
const rounds = isQuick ? 1 : 3;
const roundSeconds = isQuick ? 1 : 2;
const idleConnections = 10_000;
const connectedAtOnce = 500;
/** A flood starts this long before the probe, and ends after it. */
const floodLeadMs = 500;

/**
 * The probe shares the load's core with the flood, takes a few per cent of it, and must not wait for the flood there.
 * Users without the right to a real-time priority lower the flood's priority instead.
 */
const realTimePriority = Bun.spawnSync(["chrt", "-f", "1", "true"]).success ? ["chrt", "-f", "1"] : [];
const lowPriority = ["nice", "-n", "5"];

const data = mkdtempSync(join(tmpdir(), "waypost-benchmark-"));
const server = await startWaypost(data, { WAYPOST_UNVERIFIED_REDIRECTS: "true" });
try {
  for (const slug of [calm, flooded]) await addLinks(server, slug);
  pinApart(server);
  await probe();
  await compareIdle();
  await compare("a flood of known keys, 64 connections", { connections: 64 });
  await compare("a flood of known keys, 1,000 connections", { connections: 1_000 });
  await compare("a flood of unknown keys, 1,000 connections", { connections: 1_000, keys: { kind: "unknown" } });
  await compare("16 connections that pipeline 1,000 unknown keys", {
    ...{ connections: 16, ahead: 1_000, keys: { kind: "unknown" } },
  });
  await compareUnknown();
} finally {
  await server.end();
  rmSync(data, { recursive: true, force: true });
}

/** Compares the calm domain's latency with and without a flood of the other domain, in turns. */
async function compare(name: string, flood: Partial<VisitPlan>): Promise<void> {
  const pairs: { quiet: VisitResult; busy: VisitResult; flood: VisitResult }[] = [];
  for (let round = 0; round < rounds; round++) {
    const quiet = await probe();
    const flooding = visit({ host: flooded, seconds: roundSeconds + 1.5, ...flood }, lowPriority);
    await Bun.sleep(floodLeadMs);
    const busy = await probe();
    pairs.push({ quiet, busy, flood: await flooding });
  }
  const medianOf = (pick: (pair: (typeof pairs)[number]) => number) => median(pairs.map(pick));
  console.log(
    `${name.padEnd(52)} p50 ${ms(medianOf(({ quiet }) => quiet.p50))} → ${ms(medianOf(({ busy }) => busy.p50))}   ` +
      `p99 ${ms(medianOf(({ quiet }) => quiet.p99))} → ${ms(medianOf(({ busy }) => busy.p99))}   ` +
      `ratio ${medianOf(({ quiet, busy }) => busy.p99 / quiet.p99).toFixed(2)} ` +
      `(${pairs.map(({ quiet, busy }) => (busy.p99 / quiet.p99).toFixed(2)).join(" ")})   ` +
      `flood ${medianOf((one) => one.flood.perSecond).toFixed(0)}/s, its p99 ${ms(medianOf((one) => one.flood.p99))}` +
      `   ${JSON.stringify(pairs.at(-1)?.busy.statuses)}`,
  );
}

/** Compares unknown with known keys per second, in turns, and known keys with and without a flood of unknown ones. */
async function compareUnknown(): Promise<void> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const known = await visit({ connections: 64 });
    const unknown = await visit({ connections: 64, keys: { kind: "unknown" } });
    ratios.push(unknown.perSecond / known.perSecond);
    if (round === rounds - 1)
      console.log(`known ${known.perSecond.toFixed(0)}/s, unknown ${unknown.perSecond.toFixed(0)}/s`);
  }
  console.log(`unknown keys per second during requests for known ones: ratio ${median(ratios).toFixed(2)}`);
}

/** Measures the memory of thousands of idle connections, and the latency of others. */
async function compareIdle(): Promise<void> {
  const before = residentKilobytes();
  const quiet = await probe();
  const sockets: Bun.Socket[] = [];
  let closed = 0;
  const request = `GET /key1 HTTP/1.1\r\nHost: ${flooded}\r\n\r\n`;
  while (sockets.length < idleConnections) {
    const opening = Array.from({ length: connectedAtOnce }, async () => {
      const answered = Promise.withResolvers<void>();
      const socket = await Bun.connect({
        ...{ hostname: "127.0.0.1", port: server.port },
        socket: {
          data: () => answered.resolve(),
          close() {
            closed++;
            answered.resolve();
          },
        },
      });
      socket.write(request);
      await answered.promise;
      return socket;
    });
    sockets.push(...(await Promise.all(opening)));
  }
  const during = await probe();
  const open = idleConnections - closed;
  const perConnection = (residentKilobytes() - before) / open;
  for (const socket of sockets) socket.terminate();
  console.log(
    `${open} idle connections: ${perConnection.toFixed(1)} KB each; p99 of others ${ms(quiet.p99)} → ${ms(during.p99)}`,
  );
}

async function probe(): Promise<VisitResult> {
  return await visit({ host: calm, connections: 32, perSecond: 500 }, realTimePriority);
}

/** Runs visitors in a separate process on the load's core. */
async function visit(plan: Partial<VisitPlan>, scheduling: readonly string[] = []): Promise<VisitResult> {
  const fullPlan: VisitPlan = {
    ...{ port: server.port, host: flooded, connections: 64, seconds: roundSeconds, perSecond: 0, ahead: 1 },
    ...{ keys: { kind: "known", count: links } },
    ...plan,
  };
  const file = join(import.meta.dir, "support/visitors.ts");
  const child = Bun.spawn([...scheduling, process.execPath, file, JSON.stringify(fullPlan)], {
    ...{ stdin: "ignore", stdout: "pipe", stderr: "inherit" },
  });
  return JSON.parse(await new Response(child.stdout).text());
}

async function addLinks({ port }: BenchmarkServer, slug: string): Promise<void> {
  const call = async (path: string, body: unknown) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${ownerKey}`, "Content-Type": "application/json", Host: "localhost" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
  };
  await call("/domains", { slug });
  for (let first = 0; first < links; first += 100) {
    const part = Array.from({ length: 100 }, (_, index) => first + index);
    await call(
      "/links/bulk",
      part.map((number) => ({ url: `https://example.com/${number}`, domain: slug, key: `key${number}` })),
    );
  }
}

function residentKilobytes(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]);
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
