/**
 * For how long each operation of the API keeps the event loop, on which visitors of short links are answered. Each gets
 * the most expensive request that it accepts, and one of zeros that it refuses.
 *
 *   npm run benchmark:event-loop             every operation
 *   npm run benchmark:event-loop -- links    those whose name contains one of the words
 */
import { blockedMsMax, measureOperations } from "./support/operations-blocking.ts";

const words = process.argv.slice(2);
const measured = await measureOperations((name) => words.length === 0 || words.some((word) => name.includes(word)));
for (const { name, status, legalMs, zerosMs } of measured.toSorted((a, b) => b.legalMs - a.legalMs)) {
  const zeros = zerosMs === undefined ? "" : `   zeros ${zerosMs.toFixed(1).padStart(6)} ms`;
  const verdict = Math.max(legalMs, zerosMs ?? 0) > blockedMsMax ? "  TOO LONG" : "";
  console.log(`${name.padEnd(56)} ${status}   ${legalMs.toFixed(1).padStart(6)} ms${zeros}${verdict}`);
}
