/**
 * Redirects per second over TLS on keep-alive connections, and handshakes per second, new and resumed, of one core, against
 * nginx with `return 302` and the same certificate (an elliptic curve, P-256). Both are measured in turns, on the same core,
 * under load from the other core; while one is measured, the other is paused. The clients of handshakes cost more than
 * the servers, so the figure that counts is handshakes per second of the server's processor time.
 *
 *   npm run benchmark:tls             nine rounds of three seconds for each figure, after five of warm-up
 *   npm run benchmark:tls -- --quick  one short round, only to check that it works
 *
 * Needs nginx and wrk, Debian packages of the same names.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "../tests/support/certificates.ts";
import { keyOf } from "./support/links.ts";
import { median } from "./support/load.ts";
import { startNginx } from "./support/nginx.ts";
import { readOptions } from "./support/rounds.ts";
import { type BenchmarkServer, mainRunSeconds, pinApart, startServer } from "./support/servers.ts";

const { quick } = readOptions({});
const rounds = quick ? 1 : 9;
const seconds = quick ? 1 : 3;
/** Rounds before the first that counts, in which the JIT compiles the hot code. */
const warmUps = quick ? 1 : 5;
const linksCount = 1_000;
const connections = 64;
const domain = "localhost.example.com";

/** What was done in one round: how often, in how much time, and in how much of the server's processor time. */
type Round = { count: number; seconds: number; cpuSeconds: number };
type Measure = { title: string; command(port: number): string[]; count(output: string): number };

const measures: Measure[] = [
  {
    title: `redirects, ${connections} keep-alive connections`,
    command: (port) => [
      ...["wrk", "-t1", `-c${connections}`, `-d${seconds}`, "-H", `Host: ${domain}`],
      `https://localhost:${port}/${keyOf(1)}`,
    ],
    count(output) {
      if (/Non-2xx|Socket errors/.test(output)) throw new Error(output);
      return Number(/(\d+) requests in/.exec(output)?.[1]);
    },
  },
  ...(["new", "resumed"] as const).map((kind) => ({
    title: `handshakes, ${kind}`,
    command: (port: number) => [
      ...[process.execPath, "benchmarks/support/handshakes.ts", String(port), "localhost", String(seconds), kind],
    ],
    count: Number,
  })),
];

const folder = mkdtempSync(join(tmpdir(), "waypost-benchmark-"));
const files = { chain: join(folder, "chain"), privateKey: join(folder, "key") };
const certificate = createAuthority().issue(["localhost", domain]);
writeFileSync(files.chain, certificate.chain);
writeFileSync(files.privateKey, certificate.privateKey);
const servers: BenchmarkServer[] = [];
try {
  const nginx = await startNginx(files);
  if (nginx === undefined || Bun.which("wrk") === null) throw new Error("Install nginx and wrk.");
  servers.push(nginx);
  const program = ["benchmarks/support/tls-server.ts", files.chain, files.privateKey, String(linksCount)];
  servers.push(await startServer(program, /https port (\d+)/, {}));
  const subjects = servers.map((server, index) => ({ ...server, name: index === 0 ? "nginx" : "Waypost" }));
  for (const subject of subjects) {
    pinApart(subject);
    subject.pause();
  }
  console.log(`load average ${loadavg()[0]?.toFixed(1)}`);
  for (const measure of measures) {
    const results = new Map(subjects.map((subject) => [subject, [] as Round[]]));
    for (const subject of subjects) {
      for (let round = 0; round < warmUps; round++) await run(subject, measure);
    }
    for (let round = 0; round < rounds; round++) {
      for (const [subject, list] of results) list.push(await run(subject, measure));
    }
    print(measure.title, results);
  }
} finally {
  for (const server of servers) await server.end();
  rmSync(folder, { recursive: true });
}

async function run(subject: BenchmarkServer, measure: Measure): Promise<Round> {
  subject.resume();
  const before = mainRunSeconds(subject.pid);
  const startedAt = performance.now();
  const child = Bun.spawn(measure.command(subject.port), { stdout: "pipe", stderr: "inherit" });
  const count = measure.count(await child.stdout.text());
  const took = (performance.now() - startedAt) / 1_000;
  const cpuSeconds = mainRunSeconds(subject.pid) - before;
  subject.pause();
  return { count, seconds: took, cpuSeconds };
}

function print(title: string, results: ReadonlyMap<{ name: string }, readonly Round[]>): void {
  console.log(title);
  const figures = [...results].map(([{ name }, list]) => {
    const perSecond = list.map((round) => round.count / round.seconds);
    const perCpuSecond = list.map((round) => round.count / round.cpuSeconds);
    console.log(
      `  ${name.padEnd(8)} ${median(perSecond).toFixed(0).padStart(7)} a second` +
        ` ${median(perCpuSecond).toFixed(0).padStart(7)} a second of the main thread's processor time`,
    );
    return { perSecond, perCpuSecond };
  });
  const [nginx, waypost] = figures;
  for (const figure of ["perSecond", "perCpuSecond"] as const) {
    const ratios = (waypost?.[figure] ?? []).map((value, round) => value / (nginx?.[figure][round] ?? Number.NaN));
    const each = ratios.map((ratio) => ratio.toFixed(2)).join(" ");
    console.log(`  ratio ${figure === "perSecond" ? "" : "by processor time "}${median(ratios).toFixed(2)} (${each})`);
  }
}
