/** The thread that writes a lookup file, so that no visitor waits for it. */
import { serveThread } from "../../base/thread.ts";
import type { LookupFileVerbs } from "./lookup-files.ts";
import { writeLookupFile } from "./write-lookup-file.ts";

/** The lowest priority. */
const niceness = 19;

const ending = new AbortController();

serveThread<LookupFileVerbs>(niceness, {
  async start() {
    return undefined;
  },
  async write({ path, folder }) {
    return await writeLookupFile(path, folder, ending.signal);
  },
  async close() {
    ending.abort();
    return undefined;
  },
});
