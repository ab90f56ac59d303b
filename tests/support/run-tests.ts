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
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { openLog } from "../../src/base/log.ts";
import { currentBuild } from "../../src/site/dashboard.ts";
import { bundleProgram } from "./bundle-program.ts";
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

const repository = fileURLToPath(new URL("../..", import.meta.url));

const program = await bundleProgram();
process.on("exit", () => program.remove());
// Without the dashboard, the first test that opens it would wait for its build, in line with servers of other tests.
const [{ postgres, templates }] = await Promise.all([openDatabases(), currentBuild(openLog("warn"))]);
// Without --no-orphans, although it would end the tests with this process: it kills the server's keeper as well, which
// then cannot stop the server.
const asked = process.argv.slice(2);
const isWhole = !asked.some((word) => !word.startsWith("-"));
const flags = [
  isWhole ? `--parallel=${filesAtOnce}` : "--parallel",
  `--timeout=${testMsMax}`,
  `--timings=${fileURLToPath(new URL("test-timings.json", import.meta.url))}`,
  ...asked,
  ...(isWhole ? await filesWithoutBrowser() : []),
];
const tests = spawn(process.execPath, ["test", ...flags], {
  cwd: repository,
  env: {
    ...process.env,
    TEST_POSTGRES_URL: postgres.url("postgres"),
    TEST_WAYPOST_MAIN: program.mainFile,
    ...templates.environment,
  },
  stdio: "inherit",
});
// The server is stopped after the tests, also after Ctrl-C, which a terminal sends to the tests as well.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => tests.kill("SIGTERM"));
const [code]: (number | null)[] = await once(tests, "exit");
await postgres.stop();
process.exit(code ?? 1);

async function openDatabases() {
  const postgres = await startPostgres();
  const templates = await makeTemplates(postgres);
  process.on("exit", () => templates.remove());
  return { postgres, templates };
}

async function filesWithoutBrowser(): Promise<string[]> {
  const folders = ["src", "dashboard/src", "tests"].map((folder) => new Bun.Glob(`${folder}/**/*.test.ts`));
  const all = (await Promise.all(folders.map((glob) => Array.fromAsync(glob.scan({ cwd: repository }))))).flat();
  return all.filter((path) => !path.startsWith("tests/browser/")).map((path) => `./${path}`);
}
