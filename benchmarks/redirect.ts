/**
 * Redirects per second of one core, with recording on, beside a bare Bun.serve that answers 302 from a Map.
 * Both are measured in the same run, in turns, on the same core, under the same load from the other core.
 *
 *   npm run benchmark:redirect            all rounds
 *   npm run benchmark:redirect -- --quick one short round, to see that it works
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely } from "kysely";
import type { Schema } from "../src/database/schema.ts";
import { sqliteDialect } from "../src/database/sqlite.ts";
import { type LoadResult, median, runLoad } from "./support/load.ts";
import { type BenchmarkServer, cpuSeconds, pinApart, startServer, startWaypost } from "./support/servers.ts";

const linksCount = 10_000;
const connections = 64;
const isQuick = process.argv.includes("--quick");
const rounds = isQuick ? 1 : 5;
const roundSeconds = isQuick ? 2 : 6;
const root = join(import.meta.dir, "..");

const userAgents = readFileSync(join(root, "tests/fixtures/agents.tsv"), "utf8")
  .split("\n")
  .slice(1)
  .map((line) => line.split("\t"))
  .filter((columns) => columns.at(-1) === "" || columns.length === 4)
  .map(([agent = ""]) => agent);
const languages = ["en-US,en;q=0.9", "de-DE,de;q=0.9,en;q=0.8", "fr-FR,fr;q=0.9", "zh-CN,zh;q=0.9", "es-ES,es;q=0.9"];
const referers = ["https://www.google.com/", "https://t.co/abc", "https://news.ycombinator.com/item?id=1", ""];

type Subject = BenchmarkServer & { name: string };

const data = mkdtempSync(join(tmpdir(), "waypost-benchmark-"));
const subjects: Subject[] = [];
try {
  const bare = await startSubject("bare", startBare());
  const waypost = await startSubject("waypost", startFilled());
  const results = new Map<Subject, Measured[]>([
    [bare, []],
    [waypost, []],
  ]);
  for (const subject of [bare, waypost]) await measure(subject, 2);
  for (let round = 0; round < rounds; round++) {
    for (const [subject, list] of results) list.push(await measure(subject, roundSeconds));
  }
  report(bare, waypost, results);
} finally {
  for (const subject of subjects) await subject.end();
  rmSync(data, { recursive: true, force: true });
}

type Measured = LoadResult & { cpuSeconds: number };

async function measure(subject: Subject, seconds: number): Promise<Measured> {
  const before = cpuSeconds(subject.pid);
  const result = await runLoad({
    port: subject.port,
    connections,
    seconds,
    requests: requestBytes(subject.port),
    expected: "HTTP/1.1 302",
  });
  return { ...result, cpuSeconds: cpuSeconds(subject.pid) - before };
}

function report(bare: Subject, waypost: Subject, results: Map<Subject, Measured[]>): void {
  for (const [subject, list] of results) {
    const middle = (pick: (measured: Measured) => number) => median(list.map(pick));
    const errors = list.reduce((sum, measured) => sum + measured.errors, 0);
    console.log(
      `${subject.name.padEnd(10)} ${middle((one) => one.perSecond)
        .toFixed(0)
        .padStart(7)} requests/s` +
        `   p50 ${middle((one) => one.p50).toFixed(2)} ms   p99 ${middle((one) => one.p99).toFixed(2)} ms` +
        `   main thread ${middle((one) => (one.cpuSeconds / one.requests) * 1e6).toFixed(1)} µs a request, busy ` +
        `${(middle((one) => one.cpuSeconds / one.seconds) * 100).toFixed(0)} %   wrong answers ${errors}`,
    );
  }
  const ratios = (results.get(waypost) ?? []).map(
    (measured, round) => measured.perSecond / (results.get(bare)?.[round]?.perSecond ?? Number.NaN),
  );
  console.log(
    `ratio to bare Bun.serve + Map: ${median(ratios).toFixed(2)} (median of ${ratios.length} rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(" ")})`,
  );
}

function requestBytes(port: number): Buffer[] {
  return Array.from({ length: 20_000 }, (_, index) => {
    const referer = referers[index % referers.length] ?? "";
    const lines = [
      `GET /key${Math.floor(Math.random() * linksCount)} HTTP/1.1`,
      `Host: localhost:${port}`,
      `User-Agent: ${userAgents[index % userAgents.length]}`,
      "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
      `Accept-Language: ${languages[index % languages.length]}`,
      "Accept-Encoding: gzip, deflate, br",
      ...(referer === "" ? [] : [`Referer: ${referer}`]),
      `X-Forwarded-For: ${80 + (index % 100)}.${index % 200}.${(index * 7) % 250}.${1 + (index % 250)}`,
      "Upgrade-Insecure-Requests: 1",
    ];
    return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
  });
}

async function startSubject(name: string, starting: Promise<BenchmarkServer>): Promise<Subject> {
  const subject = { ...(await starting), name };
  pinApart(subject);
  subjects.push(subject);
  return subject;
}

async function startBare(): Promise<BenchmarkServer> {
  return await startServer(["benchmarks/support/bare-server.ts", String(linksCount)], /^(\d+)$/m, {});
}

async function startFilled(): Promise<BenchmarkServer> {
  const first = await startWaypost(data);
  await first.end();
  await insertLinks();
  return await startWaypost(data);
}

/** Straight into the database, while no server runs: the benchmark is of redirects, not of creating links. */
async function insertLinks(): Promise<void> {
  const db = new Kysely<Schema>({ dialect: sqliteDialect(join(data, "waypost.sqlite"), "lossy") });
  const domain = await db.selectFrom("domains").selectAll().executeTakeFirstOrThrow();
  await db.transaction().execute(async (tx) => {
    for (let index = 0; index < linksCount; index++) {
      const key = `key${index}`;
      const id = `link_${String(index).padStart(26, "0")}`;
      const url = `https://example.com/page/${index}?from=short`;
      await tx
        .insertInto("links")
        .values({
          ...{ id, workspaceId: domain.workspaceId, domainId: domain.id, key, foldedKey: key, url },
          ...{ archived: 0, proxy: 0, rewrite: 0, doIndex: 0, publicStats: 0, trackConversion: 0 },
          ...{ createdAt: Date.now(), updatedAt: Date.now() },
        })
        .execute();
    }
  });
  await db.destroy();
}
