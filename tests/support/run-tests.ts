/**
 * Runs `bun test`: `bun tests/support/run-tests.ts [--tier=NAME] [files or flags…]`. All files share one bundle of the
 * program, one build of the dashboard and one migrated database, and one PostgreSQL server if the tier needs it.
 * Without files, it runs those of the tier (tiers.ts); without a tier, those of the default tier.
 *
 * Files run in parallel, in several processes. The files of one process share its global object and its modules, because
 * loading the program for each file takes a third of the processor time of a run. The slowest files start first, so that
 * none of them runs alone at the end. The tests of a file run one by one. Files that need the machine for themselves
 * (filesAlone) follow. timings/ records how long each file took, and `npm test -- --update-timings` measures it again.
 * Flags such as --timeout=60000 or --parallel=1 override the defaults here.
 *
 * With --rerun-failed, each failed file runs once more, alone. If all of them then pass, the run passes and prints
 * "flaky: FILE" for each, so that a race does not block a change and stays visible.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openLog } from "../../src/base/log.ts";
import { currentBuild } from "../../src/site/dashboard.ts";
import { startClickHouse } from "../clickhouse/clickhouse.ts";
import { bundleProgram } from "./bundle-program.ts";
import { failedFiles } from "./failed-files.ts";
import { startPostgres } from "./postgres.ts";
import { makeTemplates } from "./templates.ts";
import { filesAlone, filesOfTier, type TierName, testFiles, tiers } from "./tiers.ts";

/**
 * The timeout of each test and hook. It only ends hanging tests, since no test asserts time. It is many times the
 * duration of any test, since on a busy machine with two cores a test may get only a part of one.
 */
const testMsMax = 120_000;

/**
 * The number of files that run at once in a run of a whole tier. It exceeds the number of cores, because many tests
 * wait, for a limit to expire or a process to end, and would leave cores idle.
 */
const filesAtOnce = 2 * availableParallelism();

/** With more failed files than this, none runs again: that many failures are not chance. */
const rerunsMax = 5;

const repository = fileURLToPath(new URL("../..", import.meta.url));

const rerunFlag = "--rerun-failed";
const tierFlag = "--tier=";
const tier = tierOf(process.argv.find((word) => word.startsWith(tierFlag))?.slice(tierFlag.length) ?? "default");
const testArgs = process.argv.slice(2).filter((word) => word !== rerunFlag && !word.startsWith(tierFlag));
const { engine, clicks } = tiers[tier];

const [program, { postgres, templates }, clickHouse] = await Promise.all([
  openProgram(),
  openDatabases(),
  openClicks(),
  // Otherwise the first test that opens the dashboard waits for its build, which competes with servers of other tests.
  currentBuild(openLog("warn")),
]);
// The tests run without --no-orphans, which would end them together with this process. The flag would also kill the
// process that runs PostgreSQL, before it can stop the server.
const environment = {
  ...process.env,
  TEST_ENGINE: engine,
  ...(postgres === undefined ? {} : { TEST_POSTGRES_URL: postgres.url("postgres") }),
  ...(clickHouse === undefined ? {} : { TEST_CLICKHOUSE_URL: clickHouse.url }),
  TEST_WAYPOST_MAIN: program.mainFile,
  ...templates.environment,
};
let isStopped = false;
const code = await runAll();
await Promise.all([postgres?.stop(), clickHouse?.stop()]);
process.exit(code);

function tierOf(name: string): TierName {
  const isTier = (word: string): word is TierName => Object.hasOwn(tiers, word);
  if (isTier(name)) return name;
  console.error(`There is no tier "${name}"; the tiers are ${Object.keys(tiers).join(", ")}.`);
  process.exit(1);
}

/** Arguments of one `bun test`, and the files that it runs. */
type Group = { args: readonly string[]; files: readonly string[] };

/** A whole tier runs in parallel, then the files that need the machine for themselves. */
async function groups(): Promise<Group[]> {
  const isWholeTier = !testArgs.some((word) => !word.startsWith("-"));
  if (!isWholeTier) return [{ args: ["--parallel", ...testArgs], files: await filesNamed(testArgs) }];
  const files = (await filesOfTier(tier, repository)).map((path) => `./${path}`);
  const isAlone = (path: string) => filesAlone.includes(path.slice("./".length));
  const inParallel = files.filter((path) => !isAlone(path));
  const alone = files.filter(isAlone);
  return [
    { args: [`--parallel=${filesAtOnce}`, ...testArgs, ...inParallel], files: inParallel },
    ...(alone.length === 0 ? [] : [{ args: ["--parallel=1", ...testArgs, ...alone], files: alone }]),
  ];
}

/** Runs the groups one after another, also after a failure; resolves with the first exit code that is not 0. */
async function runAll(): Promise<number> {
  let code = 0;
  for (const group of await groups()) {
    if (isStopped) return code || 1;
    const own = process.argv.includes(rerunFlag) ? await runWithRerun(group) : await run(group.args);
    code ||= own;
  }
  return code;
}

async function runWithRerun({ args, files }: Group): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "waypost-test-report-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const report = join(folder, "report.xml");
  const code = await run([...args, "--reporter=junit", `--reporter-outfile=${report}`]);
  if (code === 0 || !existsSync(report)) return code;
  const failed = failedFiles(await Bun.file(report).text(), files);
  if (failed.length === 0 || failed.length > rerunsMax) return code;
  for (const path of failed) {
    if (isStopped) return code;
    console.log(`\n${path} failed; it runs once more, alone.`);
    if ((await run(["--parallel=1", path])) !== 0) return code;
  }
  for (const path of failed) console.log(`flaky: ${path}`);
  return 0;
}

/** Runs `bun test` with these arguments; resolves with its exit code. */
async function run(args: readonly string[]): Promise<number> {
  const flags = [
    "--no-isolate",
    `--timeout=${testMsMax}`,
    "--preload=./tests/support/cheap-passwords.ts",
    `--timings=${fileURLToPath(new URL(`timings/${tier}.json`, import.meta.url))}`,
    ...args,
  ];
  const tests = spawn(process.execPath, ["test", ...flags], { cwd: repository, env: environment, stdio: "inherit" });
  // After Ctrl-C too, this process waits for the tests and then stops PostgreSQL. A terminal also signals the tests.
  const stop = () => {
    isStopped = true;
    tests.kill("SIGTERM");
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  const [code]: (number | null)[] = await once(tests, "exit");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop);
  return code ?? 1;
}

/** Bundles the program, until this process exits. */
async function openProgram() {
  const program = await bundleProgram();
  process.on("exit", () => program.remove());
  return program;
}

/**
 * Starts PostgreSQL only for a tier that runs on it, since that takes seconds. In other tiers, files that need
 * PostgreSQL start a server themselves.
 */
async function openDatabases() {
  const postgres = engine === "postgres" ? await startPostgres() : undefined;
  const templates = await makeTemplates(postgres);
  process.on("exit", () => templates.remove());
  return { postgres, templates };
}

/** Starts a ClickHouse only for a tier whose clicks are there, unless TEST_CLICKHOUSE_URL names one. */
async function openClicks() {
  if (clicks === "duckdb" || process.env.TEST_CLICKHOUSE_URL !== undefined) return undefined;
  return await startClickHouse();
}

/** The test files whose path contains one of the arguments. */
async function filesNamed(args: readonly string[]): Promise<string[]> {
  const files = await testFiles(repository);
  return files.filter((path) => args.some((word) => path.includes(word))).map((path) => `./${path}`);
}
