/**
 * Reports on 100,000,000 synthetic clicks of 100,000 links in 100 workspaces: each query that `GET /v1/analytics` sends
 * to the store, with two DuckDB threads, against the same query as a scan of one flat DuckDB table of all clicks in
 * order of time, which must return the same rows. Exact visitors are measured without a limit; the first run after
 * opening the file is separate.
 *
 *   npm run benchmark:report             fills, measures fifty runs of each query, and ingests 20,000 clicks per second
 *   npm run benchmark:report -- --quick  300,000 clicks and few runs, only to check that it works
 *     --clicks 100000000   clicks, with --links 100000 links in --workspaces 100 workspaces
 *     --visitor-runs 10    runs of exact visitors, and --flat-runs 3 of the flat table; 0 skips them
 *     --also 10000000      a second instance with this number of clicks, for links of the same sizes
 *     --folder FOLDER      the folder of instances and flat tables (about 30 and 90 bytes per click), used again
 *     --keep               keep them for the next run; useless after the store's tables have changed
 */
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { AnalyticsGrouping } from "../src/analytics/groupings.ts";
import { intervals } from "../src/analytics/interval.ts";
import type { ClickStore } from "../src/clicks/store.ts";
import { openDuckDbStore } from "../src/clicks/stores/duckdb/duckdb-store.ts";
import type { Database } from "../src/database/database.ts";
import { openDatabase } from "../src/database/open-database.ts";
import { openFlat } from "./support/flat-clicks.ts";
import { median } from "./support/load.ts";
import { clickBytesOf, forgetPages, type Instance, ReportFolder } from "./support/report-folder.ts";
import { ingestBesideQuestions } from "./support/report-ingest.ts";
import { count, printIngest, printRow, type RowTitle, verdict } from "./support/report-lines.ts";
import { type Measuring, measureSubject, type QuestionTimes } from "./support/report-measures.ts";
import {
  findSubjects,
  measuredGroupings,
  questionOf,
  type ReportSubject,
  type ReportSubjects,
} from "./support/report-questions.ts";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    clicks: { type: "string" },
    links: { type: "string" },
    workspaces: { type: "string", default: "100" },
    also: { type: "string" },
    "visitor-runs": { type: "string" },
    "flat-runs": { type: "string" },
    folder: { type: "string", default: "" },
    keep: { type: "boolean", default: false },
  },
});
const size = {
  clicks: Number(options.clicks ?? (options.quick ? 300_000 : 100_000_000)),
  links: Number(options.links ?? (options.quick ? 3_000 : 100_000)),
  workspaces: Number(options.workspaces),
};
const runs = options.quick ? 5 : 50;
const visitorRuns = Number(options["visitor-runs"] ?? (options.quick ? 2 : 10));
const flatRuns = Number(options["flat-runs"] ?? (options.quick ? 1 : 3));
const ingestSeconds = options.quick ? 3 : 20;
const threads = 2;
const growthMax = 1.5;
const bytesMax = 40;

/** True when the store was last opened with a cold page cache. */
let isCold = false;

type Row = RowTitle & { subject: keyof ReportSubjects };

const bare = ["count", "timeseries"] as const satisfies AnalyticsGrouping[];
/** TABLE of the queries, with the limit of each 95th percentile in milliseconds. */
const table: readonly Row[] = [
  { subject: "popular", intervals: ["30d", "all"], groupings: measuredGroupings, p95Max: 50 },
  { subject: "ordinary", intervals, groupings: measuredGroupings, p95Max: 15 },
  { subject: "middling", intervals: ["30d"], groupings: measuredGroupings, p95Max: 80 },
  { subject: "middling", intervals: ["all"], groupings: measuredGroupings, p95Max: 250 },
  { subject: "largest", intervals: ["all"], groupings: bare, p95Max: 100 },
  { subject: "largest", intervals: ["all"], groupings: measuredGroupings, p95Max: 500 },
];

const folder = new ReportFolder(options.folder, options.keep);
try {
  const instance = folder.instance(size);
  printInstance(instance);
  const links = await measureTable(instance);
  if (options.also !== undefined) await compareSizes(folder.instance({ ...size, clicks: Number(options.also) }), links);
  await measureIngest(instance);
} finally {
  folder.remove();
}
process.exit(0);

function printInstance(instance: Instance): void {
  const { clicks, links, workspaces, fillSeconds } = instance;
  const filled = fillSeconds === undefined ? "were there" : `filled in ${fillSeconds.toFixed(0)} s`;
  console.log(`${count(clicks)} clicks on ${count(links)} links of ${workspaces} workspaces, ${filled}`);
  console.log(verdict("disk, bytes a click", clickBytesOf(instance) / clicks, bytesMax));
}

/** The results of the two links, for the comparison with a smaller instance. */
type LinkTimes = Record<"popular" | "ordinary", { subject: ReportSubject; times: QuestionTimes[] }>;

async function measureTable(instance: Instance): Promise<LinkTimes> {
  const found: Partial<LinkTimes> = {};
  const flat = flatRuns === 0 ? undefined : await openFlat(instance);
  try {
    for (const row of table) {
      const { subject, times } = await withStore(instance, async (measuring, subjects) => {
        const subject = subjects[row.subject];
        return { subject, times: await measureRow({ ...measuring, flat }, row, subject) };
      });
      printRow(row, subject, times, isCold);
      if (row.subject === "popular" || row.subject === "ordinary") found[row.subject] = { subject, times };
    }
  } finally {
    flat?.close();
  }
  const { popular, ordinary } = found;
  if (popular === undefined || ordinary === undefined) throw new Error("The table has no questions about links.");
  return { popular, ordinary };
}

/** Opens the store again, with a cold page cache if possible. */
async function withStore<Result>(
  instance: Instance,
  use: (measuring: Measuring & { store: ClickStore }, subjects: ReportSubjects) => Promise<Result>,
): Promise<Result> {
  const database: Database = await openDatabase({ kind: "sqlite", path: instance.sqlite });
  const subjects = await findSubjects(database.db);
  isCold = forgetPages(instance.store);
  const store = await openDuckDbStore({ path: instance.store, threads });
  try {
    const counts = { runs, visitorRuns, flatRuns };
    return await use({ db: database.db, store, flat: undefined, at: instance.at, ...counts }, subjects);
  } finally {
    await store.close();
    await database.close();
  }
}

async function measureRow(measuring: Measuring, row: Row, subject: ReportSubject): Promise<QuestionTimes[]> {
  const times: QuestionTimes[] = [];
  for (const interval of row.intervals) {
    // A full scan takes the same time for each of nine intervals; two are enough.
    const flat = interval === "30d" || interval === "all" ? measuring.flat : undefined;
    times.push(...(await measureSubject({ ...measuring, flat }, { subject, interval, groupings: row.groupings })));
  }
  return times;
}

async function compareSizes(smaller: Instance, larger: LinkTimes): Promise<void> {
  console.log("");
  printInstance(smaller);
  for (const name of ["popular", "ordinary"] as const) {
    const row = table.find(({ subject }) => subject === name);
    if (row === undefined) continue;
    const { subject, times } = await withStore(smaller, async (measuring, subjects) => ({
      subject: subjects[name],
      times: await measureRow(measuring, row, subjects[name]),
    }));
    const growth = larger[name].times.map(({ p50 }, index) => p50 / (times[index]?.p50 ?? Number.NaN));
    const clicks = `${count(larger[name].subject.clicks)} clicks among ${count(size.clicks)}`;
    console.log(`${subject.name}: ${clicks}, beside ${count(subject.clicks)} among ${count(smaller.clicks)}`);
    const all = `${Math.min(...growth).toFixed(2)} to ${Math.max(...growth).toFixed(2)}`;
    console.log(`  ${verdict("growth of the p50, median of all questions", median(growth), growthMax)} (${all})`);
  }
}

/** Measures a copy, so that the instance can be used again. */
async function measureIngest(instance: Instance): Promise<void> {
  const copy = `${instance.data}-ingest`;
  rmSync(copy, { recursive: true, force: true });
  try {
    for (const name of readdirSync(instance.data)) {
      if (name.startsWith("clicks")) cpSync(join(instance.data, name), join(copy, name), { recursive: true });
    }
    const store = join(copy, "clicks.duckdb");
    await withStore({ ...instance, store }, async (measuring, subjects) => {
      const questions = [];
      for (const subject of [subjects.popular, subjects.ordinary, subjects.middling]) {
        for (const grouping of ["timeseries", "countries", "referers", "top_links"] as const) {
          questions.push(await questionOf(measuring, { subject, grouping, interval: "30d", metric: "clicks" }));
        }
      }
      const about = { subject: subjects.largest, questions, at: instance.at, seconds: ingestSeconds };
      printIngest(await ingestBesideQuestions(measuring.store, about));
    });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
