#!/usr/bin/env node
import { runBun } from "./bun-process.mjs";

// `node bin/bun.mjs file.ts [words…]`: runs a file with the Bun that npm installed.
runBun(process.argv.slice(2));
