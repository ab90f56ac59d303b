import { join } from "node:path";
import type { Click } from "../../src/clicks/click.ts";
import { openDuckDbStore } from "../../src/clicks/stores/duckdb/duckdb-store.ts";
import { connect } from "../../src/database/database.ts";
import { registerSpool } from "../../src/links/counters.ts";
import type { TestServer } from "./server.ts";

const spoolId = "ab".repeat(16);

/** Adds batches of clicks to the store of a stopped server on SQLite, once. */
export async function insertClicks(data: string, ...batches: (readonly Click[])[]): Promise<void> {
  await knowSpool(data, spoolId);
  const store = await openDuckDbStore({ path: join(data, "clicks.duckdb"), threads: 1 });
  try {
    for (const [from, rows] of batches.entries()) await store.insert({ spoolId, from, to: from + 1 }, [...rows]);
  } finally {
    await store.close();
  }
}

/** Makes the database of a stopped server on SQLite know a spool: a start refuses a store with clicks of unknown ones only. */
export async function knowSpool(data: string, id: string): Promise<void> {
  const database = connect({ kind: "sqlite", path: join(data, "waypost.sqlite") }, "full");
  try {
    await registerSpool(database.db, id);
  } finally {
    await database.close();
  }
}

/** Stops a server on SQLite, adds clicks to its store once, and resolves with the restarted server. */
export async function storeClicks(server: TestServer, clicks: readonly Click[]): Promise<TestServer> {
  await server.end("SIGTERM");
  await insertClicks(server.data, clicks);
  return await server.restart();
}
