/**
 * The supervisor: keeps the main process and the redirect workers running, and stops them in order. It opens nothing and
 * answers nobody, so that there is little that could end it.
 *
 * 1. The main process starts first: it brings the tables up to date and sees to the spools. Then the workers, which
 *    listen on the public port. The first start that is refused ends everything; later deaths do not.
 * 2. Who dies is started again, alone: at once, and after several deaths in a row more and more slowly.
 * 3. A stop: the workers take no more connections and finish what they answer; the main process ends its requests
 *    meanwhile, and so the connections they handed on; when no worker is left, it stores what their spools hold.
 * 4. A supervisor that is killed takes its children with it: by --no-orphans, and by the channel that closes.
 */
import type { Log } from "../base/log.ts";
import { secondMs } from "../base/time.ts";
import { ChildProcess } from "./child-process.ts";

/** Within a stop of 10 s: what the workers may take, and what the main process may take in all. */
const workersEndMaxMs = 4.5 * secondMs;
const mainEndMaxMs = 9.5 * secondMs;

const mainFile = new URL("../main.ts", import.meta.url);
const workerFile = new URL("../worker-main.ts", import.meta.url);

/** What the supervisor is to run, and when to end it. */
export type SupervisorOptions = { workers: number; port: number; log: Log; stopRequested: Promise<string> };

/** Runs everything until asked to stop; returns the exit code. `onReady` is called when the first start is done. */
export async function supervise(options: SupervisorOptions, onReady: () => void): Promise<number> {
  const { workers: count, port, log, stopRequested } = options;
  const children: ChildProcess[] = [];
  const sendRestarts = () => {
    const counts = Object.fromEntries(children.map(({ name, restarts }) => [name, restarts]));
    children[0]?.send({ kind: "restarts", counts });
  };
  const start = (name: string, file: URL, ...words: string[]): ChildProcess => {
    const child = new ChildProcess({ name, file, words }, log, sendRestarts);
    children.push(child);
    return child;
  };

  const main = start("main", mainFile, "serve-main", String(port));
  let isStopping = false;
  const startAll = async (): Promise<number> => {
    const first = await main.first;
    if (first.kind === "failed") return first.exitCode;
    if (isStopping) return 0;
    const workers = Array.from({ length: count }, (_, index) =>
      start(`worker-${index + 1}`, workerFile, String(index + 1), String(port)),
    );
    const starts = await Promise.all(workers.map((worker) => worker.first));
    return starts.find((start) => start.kind === "failed")?.exitCode ?? 0;
  };

  const started = startAll().then((exitCode) => {
    if (exitCode === 0 && !isStopping) onReady();
    return exitCode;
  });
  const stopped = stopRequested.then((signal) => {
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

/** Waits for processes to end; those that do not in time are killed, which costs no click. */
async function endBy(ms: number, ended: Promise<unknown>, children: readonly ChildProcess[], log: Log): Promise<void> {
  const isInTime = await Promise.race([ended.then(() => true), Bun.sleep(ms).then(() => false)]);
  if (isInTime) return;
  log.warn("Processes that did not stop in time are killed.", { processes: children.map(({ name }) => name) });
  for (const child of children) child.kill();
  await ended;
}
