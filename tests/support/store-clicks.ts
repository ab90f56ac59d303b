import { join } from "node:path";
import type { Click } from "../../src/clicks/click.ts";
import { openDuckDbStore } from "../../src/clicks/stores/duckdb/duckdb-store.ts";
import type { TestServer } from "./server.ts";

/** Stops a server, adds clicks to its store once, and resolves with the restarted server. */
export async function storeClicks(server: TestServer, clicks: readonly Click[]): Promise<TestServer> {
  await server.end("SIGTERM");
  const store = await openDuckDbStore({ path: join(server.data, "clicks.duckdb"), threads: 1 });
  try {
    await store.insert({ spoolId: "ab".repeat(16), from: 0, to: 1 }, [...clicks]);
  } finally {
    await store.close();
  }
  return await server.restart();
}
