/**
 * Runs a soak test: `npm run soak -- --minutes 30 --seed 7`. Visitors, members, reports, exports and backups use a
 * server at once, while the test kills and pauses its processes, fills its disk and changes its clock, and checks every
 * invariant. Exits with 1 if one is violated. `--keep` keeps the folder, `--visits 50` changes the visits per second, and
 * `--no-browser` opens no pages of the dashboard. Ctrl-C ends the test early, with all checks.
 */
import { parseArgs } from "node:util";
import { tableOf } from "./soak/finish-soak.ts";
import { runSoak } from "./soak/run-soak.ts";

const { values } = parseArgs({
  allowNegative: true,
  options: {
    minutes: { type: "string", default: "30" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    visits: { type: "string", default: "200" },
    browser: { type: "boolean", default: true },
    keep: { type: "boolean", default: false },
  },
});
const [minutes, seed, visitsPerSecond] = [Number(values.minutes), Number(values.seed), Number(values.visits)];
const command =
  `npm run soak -- --minutes ${minutes} --seed ${seed} --visits ${visitsPerSecond}` +
  (values.browser ? "" : " --no-browser");
console.log(command);
// The first Ctrl-C ends the test early, with all checks; the second one ends this process.
const ending = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort());
const record = await runSoak({
  minutes,
  seed,
  visitsPerSecond,
  withBrowser: values.browser,
  keep: values.keep,
  log: (line) => console.log(line),
  signal: ending.signal,
});
console.log(`\n${tableOf(record)}\n`);
if (record.violationsTotal > 0) {
  console.log(`${record.violationsTotal} violations. Repeat with: ${command}`);
  for (const violation of record.violations) console.log(violation);
  process.exitCode = 1;
} else {
  console.log("No invariant was violated.");
}
process.exit();
