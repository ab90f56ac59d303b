import fc from "fast-check";

/** How one run of a target is bounded and repeated; a path begins at a known counterexample. */
type RunOptions = { runs: number; seed: number; path?: string | undefined };

/** The runs that were made, and the report of the failure when there was one: seed, path and the smallest input. */
type Outcome = { runs: number; failure: string | undefined };

/** One parser under test. */
export type Target = {
  name: string;
  /** Inputs of one batch; a batch takes about a second. */
  batchRuns: number;
  run(options: RunOptions): Promise<Outcome>;
};

/** A target that checks a property of generated inputs. */
export function target<Input>(name: string, batchRuns: number, property: fc.IRawProperty<Input>): Target {
  return {
    name,
    batchRuns,
    async run({ runs, seed, path }) {
      const details = await fc.check(property, { numRuns: runs, seed, ...(path === undefined ? {} : { path }) });
      if (!details.failed) return { runs: details.numRuns, failure: undefined };
      const { counterexamplePath, errorInstance } = details;
      const cause = errorInstance instanceof Error ? errorInstance.stack : String(errorInstance);
      const replay = `npm run fuzz -- --target ${name} --seed ${details.seed} --path ${counterexamplePath}`;
      const failure = `${name}: ${fc.defaultReportMessage(details) ?? "failed"}\n${cause}\nReplay it: ${replay}`;
      return { runs: details.numRuns, failure };
    },
  };
}
