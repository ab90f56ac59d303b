/**
 * How long each operation blocks the event loop, which also answers visitors: all operations of the API, and all other
 * paths of the app host. Each gets the most expensive request that it accepts, and bodies that it rejects: zeros up to
 * its limit, and the expensive body with an invalid value at its end.
 *
 *   npm run benchmark:event-loop             every operation
 *   npm run benchmark:event-loop -- links    operations whose name contains a word
 *
 * Times are processor time of the main thread in its longest tick, so other programs do not count. The minimum of the
 * rounds is compared with the limit: a busy neighbor empties the processor's caches, which only adds time.
 */
import { refused } from "./support/costly-requests.ts";
import { type Blocking, blockedMsMax, measureOperations, refusalMsMax } from "./support/operations-blocking.ts";

const args = process.argv.slice(2);
const measured = await measureOperations((name) => args.length === 0 || args.some((word) => name.includes(word)));
for (const one of measured.toSorted((a, b) => b.legalMs.least - a.legalMs.least)) console.log(lineOf(one));
const faults = measured.filter((one) => verdictOf(one) !== "");
const bounds = `at most ${blockedMsMax} ms for an accepted request, ${refusalMsMax} ms for a refused one`;
console.log(
  `\n${measured.length} operations, ${bounds}: ${faults.length === 0 ? "all within" : `${faults.length} not within`}`,
);
if (faults.length > 0) process.exitCode = 1;

function lineOf(one: Blocking): string {
  const { name, status, legalMs, refusalMs } = one;
  const times = ({ least, median }: Blocking["legalMs"]) => `${shown(least)} (median ${shown(median)})`;
  const refusal = refusalMs === undefined ? "" : `   refused ${times(refusalMs)}`;
  return `${name.padEnd(50)} ${status} ${times(legalMs)}${refusal}${verdictOf(one)}`;
}

function shown(ms: number): string {
  return `${ms.toFixed(1).padStart(5)} ms`;
}

function verdictOf({ name, status, legalMs, refusalMs }: Blocking): string {
  if (legalMs.least > blockedMsMax || (refusalMs?.least ?? 0) > refusalMsMax) return "  TOO LONG";
  if (status < 400) return "";
  return refused[name] === undefined ? "  NOT ACCEPTED" : "";
}
