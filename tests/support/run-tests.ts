/**
 * Runs `bun test` with one bundle of the program, one build of the dashboard and one migrated database for all files, and
 * with one PostgreSQL server where the tier needs it: `bun tests/support/run-tests.ts [--tier=NAME] [files or flags…]`.
 * Without files it runs those of the tier (tiers.ts), and of the default tier without a name.
 *
 * Files run in parallel, each in a fresh global object, and those that take longest first, so that none of them runs
 * alone at the end; tests of one file run one by one. timings/ holds how long each file took;
 * `npm test -- --update-timings` measures them again. A flag given here comes after ours and wins, such as
 * --timeout=60000 or --parallel=1.
 *
 * With --rerun-failed, files that fail run once more, each alone. When all of them pass then, the run passes and prints
 * "flaky: FILE" for each, so that a race does not stop a change and is not forgotten.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openLog } from "../../src/base/log.ts";
import { currentBuild } from "../../src/site/dashboard.ts";
import { bundleProgram } from "./bundle-program.ts";
import { failedFiles } from "./failed-files.ts";
import { startPostgres } from "./postgres.ts";
import { makeTemplates } from "./templates.ts";
import { filesOfTier, type TierName, testFiles, tiers } from "./tiers.ts";

/**
 * Per test and hook, to end what hangs: no test asserts time. Many times what a test takes, since a machine of two cores
 * that others keep busy gives it a part of one.
 */
const testMsMax = 120_000;

/**
 * How many files run at once when all do. More than there are cores: many tests wait, for a limit to pass or a process
 * to end, and a core would wait with them.
 */
const filesAtOnce = Math.ceil(1.5 * availableParallelism());

/** Files that run once more at most: when more fail, it is not chance. */
const rerunsMax = 5;

const repository = fileURLToPath(new URL("../..", import.meta.url));

const rerunFlag = "--rerun-failed";
const tierFlag = "--tier=";
const tier = tierOf(process.argv.find((word) => word.startsWith(tierFlag))?.slice(tierFlag.length) ?? "default");
const args = process.argv.slice(2).filter((word) => word !== rerunFlag && !word.startsWith(tierFlag));
const { engine } = tiers[tier];

const program = await bundleProgram();
process.on("exit", () => program.remove());
// Without the dashboard, the first test that opens it would wait for its build, in line with servers of other tests.
const [{ postgres, templates }] = await Promise.all([openDatabases(), currentBuild(openLog("warn"))]);
// Without --no-orphans, although it would end the tests with this process: it kills the server's keeper as well, which
// then cannot stop the server.
const environment = {
  ...process.env,
  TEST_ENGINE: engine,
  ...(postgres === undefined ? {} : { TEST_POSTGRES_URL: postgres.url("postgres") }),
  TEST_WAYPOST_MAIN: program.mainFile,
  ...templates.environment,
};
const code = process.argv.includes(rerunFlag) ? await runTwice() : await run(args);
await postgres?.stop();
process.exit(code);

function tierOf(name: string): TierName {
  const isTier = (word: string): word is TierName => Object.hasOwn(tiers, word);
  if (isTier(name)) return name;
  console.error(`There is no tier "${name}"; the tiers are ${Object.keys(tiers).join(", ")}.`);
  process.exit(1);
}

async function runTwice(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "waypost-test-report-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const report = join(folder, "report.xml");
  const code = await run([...args, "--reporter=junit", `--reporter-outfile=${report}`]);
  if (code === 0 || !existsSync(report)) return code;
  const failed = failedFiles(await Bun.file(report).text(), await filesOf(args));
  if (failed.length === 0 || failed.length > rerunsMax) return code;
  for (const path of failed) {
    console.log(`\n${path} failed; it runs once more, alone.`);
    if ((await run([path, "--parallel=1"])) !== 0) return code;
  }
  for (const path of failed) console.log(`flaky: ${path}`);
  return 0;
}

/** Runs `bun test` with these words; resolves with its exit code. */
async function run(args: readonly string[]): Promise<number> {
  const isWhole = !args.some((word) => !word.startsWith("-"));
  const flags = [
    isWhole ? `--parallel=${filesAtOnce}` : "--parallel",
    `--timeout=${testMsMax}`,
    "--preload=./tests/support/cheap-passwords.ts",
    `--timings=${fileURLToPath(new URL(`timings/${tier}.json`, import.meta.url))}`,
    ...args,
    ...(isWhole ? await filesOf([]) : []),
  ];
  const tests = spawn(process.execPath, ["test", ...flags], { cwd: repository, env: environment, stdio: "inherit" });
  // The server is stopped after the tests, also after Ctrl-C, which a terminal sends to the tests as well.
  const stop = () => tests.kill("SIGTERM");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  const [code]: (number | null)[] = await once(tests, "exit");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop);
  return code ?? 1;
}

/** PostgreSQL takes seconds to start, so files of other tiers that need it start their own server. */
async function openDatabases() {
  const postgres = engine === "postgres" ? await startPostgres() : undefined;
  const templates = await makeTemplates(postgres);
  process.on("exit", () => templates.remove());
  return { postgres, templates };
}

/** The test files whose path contains one of the arguments; without arguments, those of the tier. */
async function filesOf(args: readonly string[]): Promise<string[]> {
  const files = args.length === 0 ? await filesOfTier(tier, repository) : await testFiles(repository);
  return files
    .filter((path) => args.length === 0 || args.some((word) => path.includes(word)))
    .map((path) => `./${path}`);
}
