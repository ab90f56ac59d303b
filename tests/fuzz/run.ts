/**
 * Runs fuzz targets for a time, with new seeds in each batch; ends with exit code 1 at the first failure:
 * `npm run fuzz -- --minutes 10`, `npm run fuzz -- --target filters --seed 7 --path 3:0:1`.
 */
import { Command } from "commander";
import { minuteMs } from "../../src/base/time.ts";
import { targets } from "./targets.ts";

/** Seeds are signed integers of 32 bits. */
const seedsMax = 2 ** 31;

type Options = { minutes: number; target?: string; seed?: number; path?: string };

const names = targets.map(({ name }) => name).join(", ");
const command = new Command("npm run fuzz --")
  .option("--minutes <n>", "for how long", Number, 1)
  .option("--target <name>", `one of ${names}; all of them when left out`)
  .option("--seed <n>", "runs a single batch, with this seed", Number)
  .option("--path <path>", "begins at the counterexample that a failure named")
  .parse();
const { minutes, target: wanted, seed: fixedSeed, path } = command.opts<Options>();

const chosen = targets.filter(({ name }) => wanted === undefined || name === wanted);
if (chosen.length === 0) command.error(`There is no target ${wanted}; the targets are ${names}.`);
if (fixedSeed !== undefined && !Number.isInteger(fixedSeed)) command.error("--seed must be an integer.");
if (!(minutes > 0)) command.error("--minutes must be a number above 0.");

const runs = new Map(chosen.map(({ name }) => [name, 0]));
const until = performance.now() + minutes * minuteMs;
do {
  for (const target of chosen) {
    const seed = fixedSeed ?? Math.floor(Math.random() * seedsMax);
    const outcome = await target.run({ runs: target.batchRuns, seed, path });
    runs.set(target.name, (runs.get(target.name) ?? 0) + outcome.runs);
    if (outcome.failure !== undefined) {
      console.error(`\n${outcome.failure}`);
      process.exit(1);
    }
  }
  const left = Math.max(0, Math.ceil((until - performance.now()) / 1_000));
  const counts = [...runs].map(([name, count]) => `${name} ${count.toLocaleString("en")}`).join(" · ");
  console.info(`${counts} inputs without a failure; ${left} s left`);
} while (fixedSeed === undefined && performance.now() < until);
