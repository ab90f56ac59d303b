/**
 * How long each operation blocks the event loop, which also answers visitors: all operations of the API, and all other
 * paths of the app host. Each gets the most expensive request that it accepts, and bodies that it rejects: zeros up to
 * its limit, and the expensive body with an invalid value at its end.
 *
 *   npm run benchmark:event-loop             every operation
 *   npm run benchmark:event-loop -- links    operations whose name contains a word
 *
 * Times are processor time of the main thread in its longest tick, so other programs do not count. The minimum of the
 * rounds is compared with the limit, because other programs evict the processor's caches, which only adds time.
 */
import { expectedFailures } from "./support/costly-requests.ts";
import { blockedMsMax, measureOperations, type OperationTimes, rejectedMsMax } from "./support/operations-blocking.ts";

const args = process.argv.slice(2);
const measured = await measureOperations((name) => args.length === 0 || args.some((word) => name.includes(word)));
for (const one of measured.toSorted((a, b) => b.acceptedMs.minimum - a.acceptedMs.minimum)) console.log(lineOf(one));
const violations = measured.filter((one) => verdictOf(one) !== "");
const bounds = `at most ${blockedMsMax} ms for an accepted request, ${rejectedMsMax} ms for a rejected one`;
const outcome = violations.length === 0 ? "all within" : `${violations.length} not within`;
console.log(`\n${measured.length} operations, ${bounds}: ${outcome}`);
if (violations.length > 0) process.exitCode = 1;

function lineOf(one: OperationTimes): string {
  const { name, status, acceptedMs, rejectedMs } = one;
  const times = (ms: OperationTimes["acceptedMs"]) => `${formatMs(ms.minimum)} (median ${formatMs(ms.median)})`;
  const rejection = rejectedMs === undefined ? "" : `   rejected ${times(rejectedMs)}`;
  return `${name.padEnd(50)} ${status} ${times(acceptedMs)}${rejection}${verdictOf(one)}`;
}

function formatMs(ms: number): string {
  return `${ms.toFixed(1).padStart(5)} ms`;
}

function verdictOf({ name, status, acceptedMs, rejectedMs }: OperationTimes): string {
  if (acceptedMs.minimum > blockedMsMax || (rejectedMs?.minimum ?? 0) > rejectedMsMax) return "  TOO LONG";
  if (status < 400) return "";
  return expectedFailures[name] === undefined ? "  NOT ACCEPTED" : "";
}
