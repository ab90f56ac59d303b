/**
 * The tiers of the tests: `npm test` runs the first one, and each other tier has a command, such as `npm run
 * test:faults`. `.ci/run` runs all of them.
 */
import { readFileSync } from "node:fs";
import type { Engine } from "../../src/database/engine.ts";

/** The files of a tier, and the relational engine on which they run. */
type Tier = { engine: Engine; clicks: "duckdb" | "clickhouse"; holds(path: string, text: () => string): boolean };

const foldersOfTiers = ["tests/browser/", "tests/clickhouse/", "tests/faults/", "tests/postgres/"];

/** Files of the default tier that run with clicks in ClickHouse too. */
const filesAboutClicks = [
  "tests/analytics.test.ts",
  "tests/clicks.test.ts",
  "tests/specification-analytics.test.ts",
  "src/admin/verify-clicks.test.ts",
];

/** Files of the tier for faults that run on PostgreSQL too. */
const faultsOnEachEngine = ["tests/faults/backup-under-load.test.ts"];

/**
 * Files that need the machine for themselves: the soak test checks that requests are answered in time and that memory
 * stays bounded.
 */
export const filesAlone: readonly string[] = ["tests/faults/soak.test.ts"];

/** TABLE of tiers. */
export const tiers = {
  /** Everything that needs neither a browser nor PostgreSQL, and is fast. */
  default: { engine: "sqlite", clicks: "duckdb", holds: isInDefault },
  /** Tests of PostgreSQL, and the files of other tiers that run on each engine. */
  postgres: {
    engine: "postgres",
    clicks: "duckdb",
    holds: (path, text) =>
      path.startsWith("tests/postgres/") ||
      faultsOnEachEngine.includes(path) ||
      (isInDefault(path) && usesEngines(text())),
  },
  /** Clicks in ClickHouse, with the relational database in PostgreSQL; needs `npm ci` in tests/clickhouse. */
  clickhouse: {
    engine: "postgres",
    clicks: "clickhouse",
    holds: (path) => path.startsWith("tests/clickhouse/") || filesAboutClicks.includes(path),
  },
  /** Crashes, load, floods, full disks, and processes that end or belong to another user. */
  faults: { engine: "sqlite", clicks: "duckdb", holds: (path) => path.startsWith("tests/faults/") },
  /** The dashboard and the pages for visitors, in a real browser. */
  browser: { engine: "sqlite", clicks: "duckdb", holds: (path) => path.startsWith("tests/browser/") },
} satisfies Record<string, Tier>;

export type TierName = keyof typeof tiers;

/** The files of a tier, as paths below `repository`. */
export async function filesOfTier(name: TierName, repository: string): Promise<string[]> {
  const all = await testFiles(repository);
  return all.filter((path) => tiers[name].holds(path, () => readFileSync(`${repository}/${path}`, "utf8")));
}

/** Every test file, as paths below `repository`. */
export async function testFiles(repository: string): Promise<string[]> {
  const globs = ["src", "dashboard/src", "tests", "benchmarks"].map((folder) => new Bun.Glob(`${folder}/**/*.test.ts`));
  return (await Promise.all(globs.map((glob) => Array.fromAsync(glob.scan({ cwd: repository }))))).flat();
}

function isInDefault(path: string): boolean {
  return !foldersOfTiers.some((folder) => path.startsWith(folder));
}

/** True for a file that imports `engines` of databases.ts. */
function usesEngines(text: string): boolean {
  return /import \{[^}]*\bengines\b[^}]*\} from "[^"]*databases\.ts"/.test(text);
}
