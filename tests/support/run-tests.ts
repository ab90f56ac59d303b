/**
 * Runs `bun test` with one PostgreSQL server, one bundle of the program, one build of the dashboard and one migrated
 * database of each engine for all files:
 * `bun tests/support/run-tests.ts [files or flags…]`. Without files, all but those of `tests/browser`, which take
 * minutes in a real browser and have a command of their own.
 *
 * Files run in parallel, each in a fresh global object, and those that take longest first, so that none of them runs
 * alone at the end; tests of one file run one by one. How long each took is kept in test-timings.json, which
 * `npm test -- --update-timings` writes anew. A flag given here comes after ours and wins, such as --timeout=60000 or
 * --parallel=1.
 *
 * With --rerun-failed, files that fail run once more, each alone. When all of them pass then, the run passes and prints
 * "flaky: FILE" for each: a race costs no day, and is not forgotten either.
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

const program = await bundleProgram();
process.on("exit", () => program.remove());
// Without the dashboard, the first test that opens it would wait for its build, in line with servers of other tests.
const [{ postgres, templates }] = await Promise.all([openDatabases(), currentBuild(openLog("warn"))]);
// Without --no-orphans, although it would end the tests with this process: it kills the server's keeper as well, which
// then cannot stop the server.
const rerunFlag = "--rerun-failed";
const asked = process.argv.slice(2).filter((word) => word !== rerunFlag);
const environment = {
  ...process.env,
  TEST_POSTGRES_URL: postgres.url("postgres"),
  TEST_WAYPOST_MAIN: program.mainFile,
  ...templates.environment,
};
const code = process.argv.includes(rerunFlag) ? await runTwice() : await run(asked);
await postgres.stop();
process.exit(code);

async function runTwice(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "waypost-test-report-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const report = join(folder, "report.xml");
  const code = await run([...asked, "--reporter=junit", `--reporter-outfile=${report}`]);
  if (code === 0 || !existsSync(report)) return code;
  const failed = failedFiles(await Bun.file(report).text(), await filesOf(asked));
  if (failed.length === 0 || failed.length > rerunsMax) return code;
  for (const path of failed) {
    console.log(`\n${path} failed; it runs once more, alone.`);
    if ((await run([path, "--parallel=1"])) !== 0) return code;
  }
  for (const path of failed) console.log(`flaky: ${path}`);
  return 0;
}

/** Runs `bun test` with these words; resolves with its exit code. */
async function run(words: readonly string[]): Promise<number> {
  const isWhole = !words.some((word) => !word.startsWith("-"));
  const flags = [
    isWhole ? `--parallel=${filesAtOnce}` : "--parallel",
    `--timeout=${testMsMax}`,
    `--timings=${fileURLToPath(new URL("test-timings.json", import.meta.url))}`,
    ...words,
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

async function openDatabases() {
  const postgres = await startPostgres();
  const templates = await makeTemplates(postgres);
  process.on("exit", () => templates.remove());
  return { postgres, templates };
}

/** The test files with one of these words in their path; without a word, all but those in a browser. */
async function filesOf(words: readonly string[]): Promise<string[]> {
  const folders = ["src", "dashboard/src", "tests", "benchmarks"].map(
    (folder) => new Bun.Glob(`${folder}/**/*.test.ts`),
  );
  const all = (await Promise.all(folders.map((glob) => Array.fromAsync(glob.scan({ cwd: repository }))))).flat();
  const isMeant = (path: string) =>
    words.length === 0 ? !path.startsWith("tests/browser/") : words.some((word) => path.includes(word));
  return all.filter(isMeant).map((path) => `./${path}`);
}
