/**
 * The supervisor keeps the main process and the redirect workers running and stops them in order. It opens no file and
 * answers no request, so that little can make it crash.
 *
 * 1. The main process starts first: it migrates the database and recovers the spools. Then the workers start, which
 *    listen on the public port. A failure of the first start ends everything; a later crash does not. While PostgreSQL is
 *    down, the workers start as soon as the main process knows that this node's copy of the links is enough to redirect.
 * 2. A crashed child is restarted alone: at once, and after several crashes in a row with increasing back-off.
 * 3. On a stop the workers accept no more connections and finish their answers, while the main process finishes its
 *    requests, among them the forwarded ones. When all workers have exited, it stores the clicks in their spools.
 * 4. Children of a killed supervisor exit too: through --no-orphans and the closed channel.
 */
import { randomBytes } from "node:crypto";
import type { Log } from "../base/log.ts";
import { mainEndMaxMs, workersEndMaxMs } from "../base/shutdown-step.ts";
import { type Ports, portsArgument } from "../http1/ports.ts";
import { ChildProcess } from "./child-process.ts";

const mainFile = new URL("../main.ts", import.meta.url);
const workerFile = new URL("../worker-main.ts", import.meta.url);

/** The number of workers, the public ports, when to stop, and how long load balancers get to notice that. */
type SupervisorOptions = {
  workers: number;
  ports: Ports;
  log: Log;
  stopRequested: Promise<string>;
  drainMs: number;
  /** Called when the workers redirect and everything else waits for PostgreSQL. */
  onRedirecting(): void;
  /** Called when all processes are ready. */
  onReady(): void;
};

/** Runs all processes until asked to stop; returns the exit code. */
export async function supervise(options: SupervisorOptions): Promise<number> {
  const { workers: count, ports, log, stopRequested, drainMs } = options;
  const children: ChildProcess[] = [];
  const sendRestarts = () => {
    const counts = Object.fromEntries(children.map(({ name, restarts }) => [name, restarts]));
    children[0]?.send({ kind: "restarts", counts });
  };
  const saltSecret = randomBytes(32).toString("hex");
  const start = (name: string, file: URL, ...args: string[]): ChildProcess => {
    const child = new ChildProcess({ name, file, args, saltSecret }, log, sendRestarts);
    children.push(child);
    return child;
  };

  const main = start("main", mainFile, "serve-main", portsArgument(ports));
  let isStopping = false;
  const startAll = async (): Promise<number> => {
    const first = await main.first;
    if (first.kind === "failed") return first.exitCode;
    if (isStopping) return 0;
    const workers = Array.from({ length: count }, (_, index) =>
      start(`worker-${index + 1}`, workerFile, String(index + 1), portsArgument(ports)),
    );
    const starts = await Promise.all(workers.map((worker) => worker.first));
    return starts.find((start) => start.kind === "failed")?.exitCode ?? 0;
  };

  const started = startAll().then(async (exitCode) => {
    if (exitCode !== 0 || isStopping) return exitCode;
    if ((await main.first).kind === "redirecting") options.onRedirecting();
    void main.ready.then(() => {
      if (!isStopping) options.onReady();
    });
    return exitCode;
  });
  const stopped = stopRequested.then(async (signal) => {
    main.send({ kind: "drain" });
    await Bun.sleep(drainMs);
    log.info("Stopping.", { signal });
    return 0;
  });
  const refused = started.then((exitCode) => (exitCode === 0 ? stopped : exitCode));
  const exitCode = await Promise.race([refused, stopped]);
  isStopping = true;
  await stopAll(main, children.slice(1), log);
  return exitCode;
}

async function stopAll(main: ChildProcess, workers: readonly ChildProcess[], log: Log): Promise<void> {
  const startedAt = performance.now();
  const leftMs = (maxMs: number) => maxMs - (performance.now() - startedAt);
  const workersEnded = Promise.all(workers.map((worker) => worker.stop()));
  const mainEnded = main.stop();
  await endBy(leftMs(workersEndMaxMs), workersEnded, workers, log);
  main.send({ kind: "workersEnded" });
  await endBy(leftMs(mainEndMaxMs), mainEnded, [main], log);
}

/** Waits for processes to exit and kills those that take too long, which loses no click. */
async function endBy(ms: number, ended: Promise<unknown>, children: readonly ChildProcess[], log: Log): Promise<void> {
  const isInTime = await Promise.race([ended.then(() => true), Bun.sleep(ms).then(() => false)]);
  if (isInTime) return;
  log.warn("Killing processes that did not stop in time.", { processes: children.map(({ name }) => name) });
  for (const child of children) child.kill();
  await ended;
}
