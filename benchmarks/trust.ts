/**
 * Repeats the attacks and faults of docs/security.md on running servers and prints what each one does.
 * Exits with 1 when a requirement does not hold.
 *
 *   npm run benchmark:trust                 all of them
 *   npm run benchmark:trust -- full-disk    those whose name contains one of the words
 */
import { measureBodies } from "./trust/bodies.ts";
import { measureExports } from "./trust/exports.ts";
import { measureFullDisk } from "./trust/full-disk.ts";
import type { Measurement } from "./trust/measurement.ts";
import { measurePasswords } from "./trust/passwords.ts";
import { measureTenants } from "./trust/tenants.ts";

/** TABLE of the attacks. Each starts and stops servers of its own, on loopback and in a temporary folder. */
const attacks: Record<string, () => Promise<Measurement[]>> = {
  "full-disk": measureFullDisk,
  exports: measureExports,
  bodies: measureBodies,
  passwords: measurePasswords,
  tenants: measureTenants,
};

const words = process.argv.slice(2);
const chosen = Object.entries(attacks).filter(
  ([name]) => words.length === 0 || words.some((word) => name.includes(word)),
);
let failures = 0;
console.log("| attack | measured | required | holds |\n|---|---|---|---|");
for (const [, measure] of chosen) {
  for (const { attack, measured, required, holds } of await measure()) {
    if (!holds) failures++;
    console.log(`| ${attack} | ${measured} | ${required} | ${holds ? "yes" : "**no**"} |`);
  }
}
if (failures > 0) process.exitCode = 1;
