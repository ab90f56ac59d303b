/**
 * Runs `bun test` with one PostgreSQL server for all files: `bun tests/support/run-tests.ts [files or flags…]`. Without
 * files, all but those of `tests/browser`, which take minutes in a real browser and have a command of their own.
 *
 * Files run in parallel, one process per core, each in a fresh global object; tests of one file run one by one.
 * A flag given here comes after ours and wins, such as --timeout=60000 or --parallel=1.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startPostgres } from "./postgres.ts";

/** Per test; Bun's 5 seconds are short for tests that start servers on a busy machine of two cores. */
const testMsMax = 30_000;

const repository = fileURLToPath(new URL("../..", import.meta.url));

const postgres = await startPostgres();
// Without --no-orphans, although it would end the tests with this process: it kills the server's keeper as well, which
// then cannot stop the server.
const asked = process.argv.slice(2);
const files = asked.some((word) => !word.startsWith("-")) ? [] : await filesWithoutBrowser();
const flags = ["--parallel", `--timeout=${testMsMax}`, ...asked, ...files];
const tests = spawn(process.execPath, ["test", ...flags], {
  cwd: repository,
  env: { ...process.env, TEST_POSTGRES_URL: postgres.url("postgres") },
  stdio: "inherit",
});
// The server is stopped after the tests, also after Ctrl-C, which a terminal sends to the tests as well.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => tests.kill("SIGTERM"));
const [code]: (number | null)[] = await once(tests, "exit");
await postgres.stop();
process.exit(code ?? 1);

async function filesWithoutBrowser(): Promise<string[]> {
  const folders = ["src", "dashboard/src", "tests"].map((folder) => new Bun.Glob(`${folder}/**/*.test.ts`));
  const all = (await Promise.all(folders.map((glob) => Array.fromAsync(glob.scan({ cwd: repository }))))).flat();
  return all.filter((path) => !path.startsWith("tests/browser/")).map((path) => `./${path}`);
}
