#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { runBun } from "./bun-process.mjs";

// `node bin/test.mjs [files or flags of bun test…]`: see the script for what it adds to `bun test`.
runBun([fileURLToPath(new URL("../tests/support/run-tests.ts", import.meta.url)), ...process.argv.slice(2)]);
