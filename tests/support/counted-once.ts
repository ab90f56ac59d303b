import { Database as SqliteFile } from "bun:sqlite";
import { expect } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Visitors } from "./load.ts";
import { eventually, type TestServer } from "./server.ts";
import { storedClicks } from "./stored-clicks.ts";

/** The values of a metric's series, in their order. */
export async function metric(server: TestServer, name: string): Promise<number[]> {
  const text = await (await server.visit("/metrics")).text();
  const pattern = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm");
  return [...text.matchAll(pattern)].map(([, value]) => Number(value));
}

/**
 * How often each of `count` workers answered, from the first on; visits continue until every worker has answered as one
 * too slow to say.
 */
export async function answeredByWorker(
  server: TestServer,
  workers: number,
  outcome = "destination",
): Promise<number[]> {
  const pattern = new RegExp(`^waypost_redirects_total\\{worker="(\\d+)",outcome="${outcome}"\\} (\\d+)$`, "gm");
  const reported = await eventually(
    async () => {
      const text = await (await server.visit("/metrics")).text();
      return [...text.matchAll(pattern)].map(([, worker, count]) => ({ worker: Number(worker), count: Number(count) }));
    },
    ({ length }) => length === workers,
  );
  return reported.toSorted((one, other) => one.worker - other.worker).map(({ count }) => count);
}

/** Resolves when both readers have read every spool to its end. */
export async function drained(server: TestServer): Promise<void> {
  await eventually(
    () => metric(server, "waypost_spool_lag_bytes"),
    (lags) => lags.length === 2 && lags.every((lag) => lag === 0),
  );
}

/** What a stopped server's data is to hold: `dropped` clicks less than were answered, and the address nowhere. */
type CountedOnce = { dropped: number; seed: number; address: string };

/** Compares the data of a stopped server with the responses that its visitors received. */
export async function expectCountedOnce(
  server: TestServer,
  visitors: Visitors,
  { dropped, seed, address }: CountedOnce,
): Promise<void> {
  const stored = await storedClicks(server);
  const keysByToken = new Map(stored.map(({ token, key }) => [token, key]));
  const missing = [...visitors.answered].filter(([token, key]) => keysByToken.get(token) !== key);
  const unasked = [...keysByToken.keys()].filter(
    (token) => !visitors.answered.has(token) && !visitors.unanswered.has(token),
  );
  const byLink = Map.groupBy(
    stored.filter(({ bot }) => bot === ""),
    ({ linkId }) => linkId,
  );
  const expectedCounters = [...byLink].map(([id, clicks]) => ({
    id,
    clicks: clicks.length,
    lastClicked: Math.max(...clicks.map(({ time }) => time)),
  }));

  const found = {
    seed,
    surprises: visitors.surprises,
    missing: missing.length,
    unasked,
    doubleTokens: stored.length - keysByToken.size,
    doubleIds: stored.length - new Set(stored.map(({ id }) => id)).size,
    counters: counters(server),
    filesWithAddress: filesWith(server.data, address),
    isAddressLogged: server.output().includes(address),
  };

  expect(found).toEqual({
    seed,
    surprises: [],
    missing: dropped,
    unasked: [],
    doubleTokens: 0,
    doubleIds: 0,
    counters: expectedCounters.sort((left, right) => (left.id < right.id ? -1 : 1)),
    filesWithAddress: [],
    isAddressLogged: false,
  });
}

function counters(server: TestServer): unknown[] {
  const file = new SqliteFile(join(server.data, "waypost.sqlite"), { readonly: true });
  const rows = file.query('SELECT "id", "clicks", "lastClicked" FROM links WHERE "clicks" > 0 ORDER BY "id"').all();
  file.close();
  return rows;
}

function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(text));
}
