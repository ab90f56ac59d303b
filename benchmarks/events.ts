/**
 * Times of pages of `GET /v1/events` over HTTP, from a server with all its usual processes and 12,000,000 synthetic
 * clicks on 100,000 links of 10 workspaces. The reference from the same run is the time series of a small link, a
 * typical question about a link. The output also has the processor time of the server's processes, on which other
 * programs have less influence.
 *
 *   npm run benchmark:events
 *     --clicks 12000000 --links 100000 --workspaces 10   the size of the instance
 *     --rounds 40          requests of each question, after a fifth of that number as warm-up
 *     --folder FOLDER      the folder of the instance; an existing instance of that size is used again
 *     --keep               keep the instance for the next run
 */
import { parseArgs } from "node:util";
import { openDatabase } from "../src/database/open-database.ts";
import { median, percentile } from "./support/load.ts";
import { ReportFolder } from "./support/report-folder.ts";
import { count, verdict } from "./support/report-lines.ts";
import { findSubjects, type ReportSubject, type ReportSubjects } from "./support/report-questions.ts";
import { type BenchmarkServer, ownerKey, startWaypost, treeCpuSeconds } from "./support/servers.ts";

const { values: options } = parseArgs({
  options: {
    clicks: { type: "string", default: "12000000" },
    links: { type: "string", default: "100000" },
    workspaces: { type: "string", default: "10" },
    rounds: { type: "string", default: "40" },
    folder: { type: "string", default: "" },
    keep: { type: "boolean", default: false },
  },
});
const rounds = Number(options.rounds);
const warmUps = Math.ceil(rounds / 5);
const linkMsMax = 15;
const workspaceMsMax = 100;

/** `p95Max` in milliseconds; undefined for the reference. */
type Question = { name: string; subject: keyof ReportSubjects; path: string; p95Max: number | undefined };

/** TABLE of the questions. The interval is always `all`, so that pages include every click. */
const questions: readonly Question[] = [
  { name: "reference: time series", subject: "small", path: "/analytics?groupBy=timeseries", p95Max: undefined },
  { name: "page 1", subject: "small", path: "/events?page=1", p95Max: linkMsMax },
  { name: "page 1", subject: "popular", path: "/events?page=1", p95Max: workspaceMsMax },
  { name: "page 100", subject: "popular", path: "/events?page=100", p95Max: workspaceMsMax },
  { name: "page 1", subject: "largest", path: "/events?page=1", p95Max: workspaceMsMax },
  { name: "page 100", subject: "largest", path: "/events?page=100", p95Max: workspaceMsMax },
  { name: "page 1,000, the last one", subject: "largest", path: "/events?page=1000", p95Max: workspaceMsMax },
  { name: "page 1, oldest first", subject: "largest", path: "/events?page=1&sortOrder=asc", p95Max: workspaceMsMax },
  { name: "page 1, a country", subject: "largest", path: "/events?page=1&country=DE", p95Max: workspaceMsMax },
  { name: "page 100, a country", subject: "largest", path: "/events?page=100&country=DE", p95Max: workspaceMsMax },
  { name: "page 1, a rare country", subject: "largest", path: "/events?page=1&country=AQ", p95Max: workspaceMsMax },
  {
    name: "page 1, a browser and a referrer",
    subject: "largest",
    path: "/events?page=1&browser=Firefox&referer=google.com",
    p95Max: workspaceMsMax,
  },
];

const folder = new ReportFolder(options.folder, options.keep);
try {
  const size = {
    clicks: Number(options.clicks),
    links: Number(options.links),
    workspaces: Number(options.workspaces),
  };
  const { data, sqlite, fillSeconds } = folder.instance(size);
  const filled = fillSeconds === undefined ? "were there" : `filled in ${fillSeconds.toFixed(0)} s`;
  console.log(`${count(size.clicks)} clicks on ${count(size.links)} links of ${size.workspaces} workspaces, ${filled}`);
  const database = await openDatabase({ kind: "sqlite", path: sqlite });
  const subjects = await findSubjects(database.db).finally(() => database.close());
  const server = await startWaypost(data);
  try {
    for (const question of questions) await measure(server, question, subjects[question.subject]);
  } finally {
    await server.end();
  }
} finally {
  folder.remove();
}
process.exit(0);

async function measure(server: BenchmarkServer, { name, path, p95Max }: Question, subject: ReportSubject) {
  const scope = subject.linkId === undefined ? "" : `&linkId=${subject.linkId}`;
  const url = `http://127.0.0.1:${server.port}/v1${path}&interval=all&workspaceId=${subject.workspaceId}${scope}`;
  const times: number[] = [];
  let first = 0;
  let rows = 0;
  let cpuSeconds = 0;
  for (let round = 0; round < warmUps + rounds; round++) {
    if (round === warmUps) cpuSeconds = treeCpuSeconds(server.pid);
    const startedAt = performance.now();
    const response = await fetch(url, { headers: { Authorization: `Bearer ${ownerKey}` } });
    const answer: unknown = await response.json();
    const takenMs = performance.now() - startedAt;
    if (response.status !== 200 || !Array.isArray(answer)) throw new Error(`${url}: ${JSON.stringify(answer)}`);
    if (round === 0) first = takenMs;
    if (round >= warmUps) times.push(takenMs);
    rows = answer.length;
  }
  const [p50, p95] = [median(times), percentile(times, 0.95)];
  const cpuMs = ((treeCpuSeconds(server.pid) - cpuSeconds) * 1_000) / rounds;
  const figures = `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, processor ${cpuMs.toFixed(0)} ms, first ${first.toFixed(1)} ms, ${rows} rows`;
  console.log(`${subject.name} (${count(subject.clicks)} clicks), ${name}: ${figures}`);
  if (p95Max !== undefined) console.log(`  ${verdict("p95, ms", p95, p95Max)}`);
}
