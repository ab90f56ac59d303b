/**
 * Runs rounds of disk faults, kills and restarts: `npm run survive -- --rounds 50 --fault "full disk" --seed 7`.
 * Without --fault, it runs the rounds for each kind of fault. Exits with 1 if a click is lost or counted twice.
 */
import { parseArgs } from "node:util";
import { faultKinds, surviveFaults } from "./store-faults.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "50" },
    fault: { type: "string" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
console.log(`${rounds} rounds, seed ${seed}`);
for (const fault of faultKinds.filter((kind) => values.fault === undefined || kind === values.fault)) {
  const outcome = await surviveFaults(fault, { rounds, seed, log: (line) => console.log(line) });
  console.log(fault, outcome);
  if (outcome.kind === "refused") process.exitCode = 1;
}
process.exit();
