import { Database as SqliteFile } from "bun:sqlite";
import { expect } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Visitors } from "./load.ts";
import { eventually, type TestService } from "./server.ts";
import { storedClicks } from "./stored-clicks.ts";

/** The values of all series of a metric, in the order of /metrics. */
export async function metric(server: TestService, name: string): Promise<number[]> {
  const text = await (await server.visit("/metrics")).text();
  const pattern = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm");
  return [...text.matchAll(pattern)].map(([, value]) => Number(value));
}

/**
 * The number of redirects with an outcome that each of `workers` redirect workers counted, from the first worker on.
 * Waits until /metrics reports all workers, since a slow worker may be missing from a response.
 */
export async function answeredByWorker(
  server: TestService,
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
export async function waitUntilDrained(server: TestService): Promise<void> {
  await eventually(
    () => metric(server, "waypost_spool_lag_bytes"),
    (lags) => lags.length === 2 && lags.every((lag) => lag === 0),
  );
}

/** The expected data of a stopped server: all answered clicks except `dropped`, and the address in no file. */
type CountedOnce = { dropped: number; seed: number; address: string };

/** Compares the data of a stopped server with the responses that its visitors received. */
export async function expectCountedOnce(
  server: TestService,
  visitors: Visitors,
  { dropped, seed, address }: CountedOnce,
): Promise<void> {
  const stored = await storedClicks(server);
  const keysByToken = new Map(stored.map(({ token, key }) => [token, key]));
  const missing = [...visitors.answered].filter(([token, key]) => keysByToken.get(token) !== key);
  const unrequested = [...keysByToken.keys()].filter(
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
    unexpectedResponses: visitors.unexpectedResponses,
    missing: missing.length,
    unrequested,
    doubleTokens: stored.length - keysByToken.size,
    doubleIds: stored.length - new Set(stored.map(({ id }) => id)).size,
    counters: counters(server),
    filesWithAddress: filesWith(server.data, address),
    isAddressLogged: server.output().includes(address),
  };

  expect(found).toEqual({
    seed,
    unexpectedResponses: [],
    missing: dropped,
    unrequested: [],
    doubleTokens: 0,
    doubleIds: 0,
    counters: expectedCounters.sort((left, right) => (left.id < right.id ? -1 : 1)),
    filesWithAddress: [],
    isAddressLogged: false,
  });
}

function counters(server: TestService): unknown[] {
  const file = new SqliteFile(join(server.data, "waypost.sqlite"), { readonly: true });
  const rows = file.query('SELECT "id", "clicks", "lastClicked" FROM links WHERE "clicks" > 0 ORDER BY "id"').all();
  file.close();
  return rows;
}

/** The files below a folder that contain a text. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(text));
}
