/**
 * Reports on synthetic clicks in ClickHouse, against the same queries on one flat MergeTree table in order of time, which
 * must return the same rows, and against the DuckDB store with the same clicks, in the same run. ClickHouse is the engine
 * of the tests (tests/clickhouse/bridge.ts), or the server of TEST_CLICKHOUSE_URL; both stores have two threads.
 *
 *   npm run benchmark:report:clickhouse             10,000,000 clicks, twenty runs of each query
 *   npm run benchmark:report:clickhouse -- --quick  300,000 clicks and few runs, only to check that it works
 *     --clicks 100000000   clicks, with --links 100000 links in --workspaces 100 workspaces
 *     --folder FOLDER      the folder of instances, used again with --keep
 */
import { parseArgs } from "node:util";
import type { AnalyticsGrouping } from "../src/analytics/groupings.ts";
import type { ClickStore } from "../src/clicks/store.ts";
import { openDuckDbStore } from "../src/clicks/stores/duckdb/duckdb-store.ts";
import { openDatabase } from "../src/database/open-database.ts";
import { openClickHouse } from "../tests/clickhouse/clickhouse.ts";
import { openTestedStore } from "../tests/clickhouse/tested-clickhouse.ts";
import { copyToClickHouse, flatClickHouse } from "./support/clickhouse-clicks.ts";
import { median } from "./support/load.ts";
import { ReportFolder } from "./support/report-folder.ts";
import { count, printRow, type RowTitle } from "./support/report-lines.ts";
import { measureSubject, type QuestionTimes } from "./support/report-measures.ts";
import { findSubjects, measuredGroupings, type ReportSubjects } from "./support/report-questions.ts";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    clicks: { type: "string" },
    links: { type: "string" },
    workspaces: { type: "string", default: "100" },
    folder: { type: "string", default: "" },
    keep: { type: "boolean", default: false },
  },
});
const size = {
  clicks: Number(options.clicks ?? (options.quick ? 300_000 : 10_000_000)),
  links: Number(options.links ?? (options.quick ? 3_000 : 100_000)),
  workspaces: Number(options.workspaces),
};
const counts = options.quick ? { runs: 3, visitorRuns: 1, flatRuns: 1 } : { runs: 20, visitorRuns: 3, flatRuns: 3 };

type Row = RowTitle & { subject: keyof ReportSubjects };
const bare = ["count", "timeseries"] as const satisfies AnalyticsGrouping[];
/** TABLE of the queries, with the limit of each 95th percentile in milliseconds at 100,000,000 clicks. */
const table: readonly Row[] = [
  { subject: "popular", intervals: ["30d", "all"], groupings: measuredGroupings, p95Max: 30 },
  { subject: "ordinary", intervals: ["30d", "all"], groupings: measuredGroupings, p95Max: 30 },
  { subject: "largest", intervals: ["all"], groupings: bare, p95Max: 500 },
  { subject: "largest", intervals: ["all"], groupings: measuredGroupings, p95Max: 500 },
];

const folder = new ReportFolder(options.folder, options.keep);
const clickHouse = await openClickHouse();
try {
  const instance = folder.instance(size);
  const { store, url, remove } = await openTestedStore(clickHouse);
  await store.storeId();
  const startedAt = performance.now();
  await copyToClickHouse(instance, url);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`${count(size.clicks)} clicks of ${count(size.links)} links, copied into two tables in ${seconds} s`);
  const database = await openDatabase({ kind: "sqlite", path: instance.sqlite });
  const duckDb = await openDuckDbStore({ path: instance.store, threads: 2 });
  const flat = flatClickHouse(url);
  const subjects = await findSubjects(database.db);
  for (const row of table) {
    const measuring = { db: database.db, at: instance.at, ...counts };
    const times = await measureRow({ ...measuring, store, flat }, row, subjects);
    printRow(row, subjects[row.subject], times, false);
    const ofDuckDb = await measureRow({ ...measuring, store: duckDb, flat: undefined }, row, subjects);
    const ratios = times.map(({ p50 }, index) => p50 / (ofDuckDb[index]?.p50 ?? Number.NaN));
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    console.log(`  ratio to the DuckDB store: ${median(ratios).toFixed(2)} at the median, ${range}`);
  }
  await flat.close();
  await duckDb.close();
  await database.close();
  await remove();
} finally {
  await clickHouse.stop();
  folder.remove();
}
process.exit(0);

type Measured = Parameters<typeof measureSubject>[0] & { store: ClickStore };

async function measureRow(measuring: Measured, row: Row, subjects: ReportSubjects): Promise<QuestionTimes[]> {
  const times: QuestionTimes[] = [];
  for (const interval of row.intervals) {
    times.push(
      ...(await measureSubject(measuring, { subject: subjects[row.subject], interval, groupings: row.groupings })),
    );
  }
  return times;
}
