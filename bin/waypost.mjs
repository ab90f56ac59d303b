#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { runBun } from "./bun-process.mjs";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

// --no-orphans: Bun dies with this process, even by SIGKILL, so that no server keeps the port and the data folder. The
// spool survives such a crash.
runBun([main, ...process.argv.slice(2)], ["--no-orphans"]);
