/**
 * Repeats the attacks and faults of docs/security.md on running servers and prints the effect of each.
 * Exits with 1 when a requirement does not hold.
 *
 *   npm run benchmark:trust                 all attacks
 *   npm run benchmark:trust -- full-disk    attacks whose name contains a word
 *     --exports 3       exports of each format, and --clicks 2000000 in each; the requirement is about
 *                       `npm run benchmark:trust -- exports --exports 20 --clicks 10000000`, which takes an hour
 *     --format parquet  only exports of this format
 *     --folder FOLDER   keeps the instance of the exports for the next run
 */
import { parseArgs } from "node:util";
import { exportFormats } from "../src/clicks/export.ts";
import { measureBodies } from "./trust/bodies.ts";
import { measureExports } from "./trust/exports.ts";
import { measureFullDisk } from "./trust/full-disk.ts";
import type { Measurement } from "./trust/measurement.ts";
import { measurePasswords } from "./trust/passwords.ts";
import { measureTenants } from "./trust/tenants.ts";

const { values: options, positionals: args } = parseArgs({
  allowPositionals: true,
  options: {
    exports: { type: "string", default: "3" },
    clicks: { type: "string", default: "2000000" },
    format: { type: "string", default: "" },
    folder: { type: "string", default: "" },
  },
});

const formats = exportFormats.filter((format) => options.format === "" || options.format === format);
if (formats.length === 0) throw new Error(`--format must be one of ${exportFormats.join(", ")}.`);

/** TABLE of the attacks. Each starts and stops its servers, on loopback and in a temporary folder. */
const attacks: Record<string, () => Promise<Measurement[]>> = {
  "full-disk": measureFullDisk,
  exports: () =>
    measureExports({
      exports: Number(options.exports),
      clicks: Number(options.clicks),
      formats,
      folder: options.folder,
    }),
  bodies: measureBodies,
  passwords: measurePasswords,
  tenants: measureTenants,
};

const chosen = Object.entries(attacks).filter(
  ([name]) => args.length === 0 || args.some((word) => name.includes(word)),
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
