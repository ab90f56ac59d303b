#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { runBun } from "./bun-process.mjs";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

// --no-orphans: killed together with this process, even by SIGKILL, so that no server is left behind holding the port
// and the data folder. That is a crash to it, which the spool is made for.
runBun([main, ...process.argv.slice(2)], ["--no-orphans"]);
