import { accessSync, constants, statSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Log } from "./log.ts";
import { messageOf } from "./message-of.ts";

/**
 * The access log: one JSON object per line for each request to the API and the app's host.
 *
 * 1. A line never has an address, a query, a header, a body, or the values in a path: it names the route's pattern.
 * 2. `record` only appends to memory. Lines are written flushIntervalMs later, one write at a time, so no request waits
 *    for the disk.
 * 3. At most bufferedCharactersMax wait; beyond, and when a write fails, lines are dropped and counted.
 * 4. The file is opened for each write, so that programs may rename it at any time.
 */

/** How long lines wait for others before they are written. */
const flushIntervalMs = 250;
/** The most characters that wait, about 5,000 lines. */
const bufferedCharactersMax = 1024 ** 2;
/** Only the owner reads the file, like all files of Waypost. */
const fileMode = 0o600;

/** A request that was answered. Durations end when the response begins. */
export type AccessLogEntry = {
  method: string;
  /** The pattern of the route, such as /v1/links/{linkId}; null for an unknown path. */
  route: string | null;
  status: number;
  durationMs: number;
  /** Bytes of the response's body; null for a response that is streamed. */
  bytes: number | null;
  workspaceId: number | null;
  requestId: string | null;
};

/** Where lines go: `write` resolves when they are stored. */
type AccessLogOptions = {
  write: (text: string) => Promise<void>;
  log: Log;
  now: () => number;
  onDropped: (lines: number) => void;
};

/** Returns a function that writes to standard output for "stdout", and otherwise appends to the file. */
export function accessLogWriter(target: string): (text: string) => Promise<void> {
  if (target === "stdout") {
    return (text) =>
      new Promise((resolve, reject) => {
        process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
      });
  }
  return async (text) => await appendFile(target, text, { mode: fileMode });
}

/** Says why this process cannot write the access log; undefined when it can, and without one. Creates no file. */
export function accessLogProblem(target: string | undefined): string | undefined {
  if (target === undefined || target === "stdout") return undefined;
  const problem = fileProblem(target);
  return problem === undefined
    ? undefined
    : `WAYPOST_ACCESS_LOG: ${problem} Until then, the lines of requests are dropped.`;
}

function fileProblem(path: string): string | undefined {
  const folder = dirname(path);
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return `${path} is a folder. Name a file in it.`;
    if (found !== undefined) accessSync(path, constants.W_OK);
    else if (statSync(folder, { throwIfNoEntry: false }) === undefined)
      return `there is no folder ${folder}. Create it.`;
    else accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `${path} cannot be written (${messageOf(error)}). Give it to the user that runs Waypost.`;
  }
}

/** The bytes of a response's body, as its header says; null for one that is streamed. */
export function bodyBytes({ headers }: Response): number | null {
  const length = headers.get("content-length");
  return length === null ? null : Number(length);
}

/** Whole milliseconds since a value of performance.now(); 0 without one. */
export function millisecondsSince(startedAt: number | undefined): number {
  return startedAt === undefined ? 0 : Math.round(performance.now() - startedAt);
}

/** Collects the lines of the access log and writes them. */
export class AccessLog {
  readonly #options: AccessLogOptions;
  #lines: string[] = [];
  #characters = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;

  constructor(options: AccessLogOptions) {
    this.#options = options;
  }

  /** Adds a line; drops it while too many wait. */
  record(entry: AccessLogEntry): void {
    const line = `${JSON.stringify({ time: new Date(this.#options.now()).toISOString(), ...entry })}\n`;
    if (this.#characters + line.length > bufferedCharactersMax) {
      this.#options.onDropped(1);
      return;
    }
    this.#lines.push(line);
    this.#characters += line.length;
    this.#timer ??= setTimeout(() => this.#flush(), flushIntervalMs);
  }

  /** Writes the waiting lines. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
    this.#flush();
    await this.#writing;
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    if (this.#isWriting) {
      this.#timer = setTimeout(() => this.#flush(), flushIntervalMs);
      return;
    }
    const lines = this.#lines;
    this.#lines = [];
    this.#characters = 0;
    this.#isWriting = true;
    this.#writing = this.#write(lines);
  }

  async #write(lines: string[]): Promise<void> {
    const { write, log, onDropped } = this.#options;
    try {
      await write(lines.join(""));
    } catch (error) {
      onDropped(lines.length);
      log.error("The access log cannot be written; its lines are dropped.", { reason: messageOf(error) });
    } finally {
      this.#isWriting = false;
    }
  }
}
