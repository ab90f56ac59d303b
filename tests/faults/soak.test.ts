/** A short soak test, so that the long one (`npm run soak`) keeps working; it also finds what one minute can find. */
import { expect, test } from "bun:test";
import { runSoak } from "../support/soak/run-soak.ts";

const minutes = 1;
const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

test("visitors, members and backups during kills, a full disk and a changed clock violate no invariant", async () => {
  const lines: string[] = [];

  const record = await runSoak({
    ...{ minutes, seed, visitsPerSecond: 100, withBrowser: false, keep: false },
    log: (line) => lines.push(line),
  });

  expect({ seed, violations: record.violations, lines: record.violationsTotal === 0 ? [] : lines }).toEqual({
    seed,
    violations: [],
    lines: [],
  });
  expect(record.of("visits")).toBeGreaterThan(0);
  expect(record.of("answers of the restored server compared")).toBeGreaterThan(0);
}, 600_000);
