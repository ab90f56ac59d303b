/**
 * The counts of each redirect worker. A worker serves them on its Unix socket, and the main process fetches them when
 * its metrics are requested. A worker that does not answer is left out.
 */
import { z } from "zod";
import { makeSocketPrivate, prepareSocketPath } from "./base/socket-file.ts";
import type { Config } from "./config.ts";
import { workerSocketPath } from "./data-paths.ts";

/** A worker that takes longer is starting or stopping. */
const timeoutMs = 500;

const Metrics = z.object({
  redirects: z.record(z.string(), z.number()),
  times: z.object({ buckets: z.array(z.number()), count: z.number(), sum: z.number() }),
  connections: z.object({ taken: z.number(), refused: z.number(), handshakes: z.record(z.string(), z.number()) }),
  writtenClicks: z.number(),
  droppedClicks: z.number(),
  cutTexts: z.number(),
});

/** The counts of a redirect worker since its start. */
type WorkerMetrics = z.output<typeof Metrics>;

/** Serves the counts on a Unix socket until it is closed. */
export function serveWorkerMetrics(path: string, read: () => WorkerMetrics): { close(): Promise<void> } {
  prepareSocketPath(path);
  const server = Bun.serve({ unix: path, fetch: () => Response.json(read()) });
  makeSocketPrivate(path);
  return { close: () => server.stop(true) };
}

/** Fetches the counts of all workers concurrently; undefined for a worker that does not answer in time. */
export async function fetchWorkerMetrics(
  config: Pick<Config, "WAYPOST_DATA" | "WAYPOST_WORKERS">,
): Promise<(WorkerMetrics | undefined)[]> {
  const paths = Array.from({ length: config.WAYPOST_WORKERS }, (_, index) => workerSocketPath(config, index + 1));
  return await Promise.all(paths.map(fetchOne));
}

async function fetchOne(path: string): Promise<WorkerMetrics | undefined> {
  try {
    const response = await fetch("http://worker/", { unix: path, signal: AbortSignal.timeout(timeoutMs) });
    return Metrics.parse(await response.json());
  } catch {
    // The worker is down, which waypost_worker_up shows.
    return undefined;
  }
}
