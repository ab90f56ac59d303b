/** The thread that copies the relational database for a backup; see copying-thread.ts. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { serveThread } from "../base/thread.ts";
import { type CopyingVerbs, copyNames } from "./copying-thread.ts";
import { copyPostgres } from "./postgres-copy.ts";
import { copySqlite } from "./sqlite-copy.ts";

/** The lowest priority: nobody waits for a backup. */
const niceness = 19;

serveThread<CopyingVerbs>(niceness, {
  async start() {
    return undefined;
  },
  async copy({ location, folder }) {
    if (location.kind === "sqlite") return copySqlite(location.path, join(folder, copyNames.sqlite));
    const tables = join(folder, copyNames.postgres);
    mkdirSync(tables, { mode: 0o700 });
    return await copyPostgres(location.url, tables);
  },
  async close() {
    return undefined;
  },
});
