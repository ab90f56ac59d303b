/**
 * The counts of each redirect worker, and the links that its visitors got from PostgreSQL. A worker serves them on its Unix
 * socket, and the main process fetches them. A worker that does not answer is left out.
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

/** Domain and folded key of each link. */
const LinkNames = z.array(z.tuple([z.string(), z.string()]));

const paths = { metrics: "/", visitedLinks: "/visited-links" };

/** What a worker serves; `visitedLinks` gives each link once. */
type WorkerState = { metrics(): WorkerMetrics; visitedLinks(): readonly (readonly [string, string])[] };

/** Serves the state of a worker on a Unix socket until it is closed. */
export function serveWorkerState(path: string, state: WorkerState): { close(): Promise<void> } {
  prepareSocketPath(path);
  const server = Bun.serve({
    unix: path,
    fetch: ({ url }) =>
      Response.json(new URL(url).pathname === paths.visitedLinks ? state.visitedLinks() : state.metrics()),
  });
  makeSocketPrivate(path);
  return { close: () => server.stop(true) };
}

type Workers = Pick<Config, "WAYPOST_DATA" | "WAYPOST_WORKERS">;

/** Fetches the counts of all workers concurrently; undefined for a worker that does not answer in time. */
export async function fetchWorkerMetrics(config: Workers): Promise<(WorkerMetrics | undefined)[]> {
  return await fetchAll(config, paths.metrics, Metrics);
}

/** Takes the visited links of all workers. */
export async function takeVisitedLinks(config: Workers): Promise<(readonly [string, string])[]> {
  return (await fetchAll(config, paths.visitedLinks, LinkNames)).flatMap((links) => links ?? []);
}

async function fetchAll<Result>(
  config: Workers,
  path: string,
  schema: z.ZodType<Result>,
): Promise<(Result | undefined)[]> {
  const sockets = Array.from({ length: config.WAYPOST_WORKERS }, (_, index) => workerSocketPath(config, index + 1));
  return await Promise.all(sockets.map((socket) => fetchOne(socket, path, schema)));
}

async function fetchOne<Result>(socket: string, path: string, schema: z.ZodType<Result>): Promise<Result | undefined> {
  try {
    const response = await fetch(`http://worker${path}`, { unix: socket, signal: AbortSignal.timeout(timeoutMs) });
    return schema.parse(await response.json());
  } catch {
    // The worker is down, which waypost_worker_up shows.
    return undefined;
  }
}
