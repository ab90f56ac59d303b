/** A short run of each fuzz target. `npm run fuzz` makes long ones; see CONTRIBUTING.md. */
import { expect, test } from "bun:test";
import { targets } from "./targets.ts";

/** The same inputs in each run, so that a change and not chance makes a test fail. `SEED=7` makes other ones. */
const seed = Number(process.env["SEED"] ?? 20_261_123);

for (const target of targets) {
  test(`${target.name} keeps its guarantees for generated inputs (SEED=${seed})`, async () => {
    const { failure } = await target.run({ runs: target.batchRuns, seed });

    expect(failure ?? "").toBe("");
  });
}
