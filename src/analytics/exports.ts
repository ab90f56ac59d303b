import { mkdirSync, rmSync, statSync } from "node:fs";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freeBytesMin, freeDiskBytes } from "../base/disk-space.ts";
import { readGrowingFile, type StreamEnd } from "../base/growing-file.ts";
import type { Log } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { hourMs, minuteMs, secondMs } from "../base/time.ts";
import type { ClickExport, ExportFormat } from "../clicks/export.ts";
import type { Pipeline } from "../clicks/pipeline.ts";

/**
 * Exports under way: the store writes each one's file, and it is handed on while it grows.
 *
 * 1. A file lies in a folder of exports alone, is readable by nobody else, and is removed when its stream ends, however
 *    it does; what a crash has left is removed at the next start.
 * 2. A file that cannot become whole ends its stream with an error, never as if it were whole.
 * 3. How slowly a client reads costs the store nothing: its part is done when the file is.
 */

/** Exports under way in all, each a file on the disk and a connection; and those of one workspace. */
const exportsMax = 16;
const exportsPerWorkspaceMax = 2;
/** Those of one user in all workspaces. */
const exportsPerUserMax = 2;
/** The part of all bytes that the exports of one user may hold on the disk. */
const userShare = 0.5;
/** How long a client may take nothing of what is there, and how long an export may take in all. */
const defaultTimes: ExportTimes = { readTimeoutMs: minuteMs, lifetimeMs: hourMs };
/** Files being written at once: each keeps a core busy. */
const writtenAtOnceMax = 2;
const retryAfterSeconds = 10;
/** How often the disk is looked at while a file is being written; it grows by some 200 MB in that time. */
const diskEveryMs = secondMs;
/** What a click takes on the disk, rather too much than too little. */
const bytesPerClick: Record<ExportFormat, number> = { csv: 600, jsonl: 1_200, parquet: 200 };

/** What became of an export: all handed on, given up by its client, failed, or refused since there were too many. */
type ExportOutcome = StreamEnd["kind"] | "refused";

/** Bounds of time of an export. */
export type ExportTimes = { readTimeoutMs: number; lifetimeMs: number };

/** What exports work with. */
type ExportsDeps = {
  /** What all exports may hold on the disk. */
  bytesMax: number;
  /** As in service when left out. */
  times?: ExportTimes;
  pipeline: Pick<Pipeline, "export">;
  log: Log;
  onEnd(outcome: ExportOutcome): void;
  /** Free bytes of the disk on which a folder lies; as the system says when left out. */
  freeBytes?: (folder: string) => Promise<number>;
};

/**
 * What is exported, and by whom. An export that needs its length waits for the whole file, so that a failure of the store
 * throws, and nothing is sent before.
 */
export type ExportOrder = Omit<ClickExport, "path"> & { userId: string; needsLength?: boolean | undefined };

/** An export's bytes, how many clicks they will be, and the length in bytes where it was needed. */
export type ExportStream = { clicks: number; length?: number | undefined; stream: ReadableStream<Uint8Array> };

/** See the top of this file. */
export type Exports = ReturnType<typeof openExports>;

/** `bytes` is an estimate, rather too much, until the file is written. */
type ActiveExport = {
  workspaceId: number;
  userId: string;
  bytes: number;
  isWritten: boolean;
  abortController: AbortController;
};

/** Takes the folder, which is nobody else's, and empties it. */
export function openExports(
  folder: string,
  { pipeline, log, onEnd, bytesMax, times = defaultTimes, freeBytes = freeDiskBytes }: ExportsDeps,
) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const active = new Set<ActiveExport>();
  /** Of files; bounded as exports are, since each takes no longer than its writer takes to end. */
  const removals = new Set<Promise<void>>();
  const free = () => freeBytes(folder);

  function reserve(workspaceId: number, userId: string): ActiveExport {
    if (!hasCapacity([...active], { workspaceId, userId })) {
      onEnd("refused");
      const message = `Too many exports are under way; a workspace may have ${exportsPerWorkspaceMax}, and a user too.`;
      throw new Problem("rate_limit_exceeded", message, { retryAfterSeconds });
    }
    const own = { workspaceId, userId, bytes: 0, isWritten: false, abortController: new AbortController() };
    active.add(own);
    return own;
  }

  return {
    /**
     * Begins an export, which ends when its stream does or `signal` is aborted, as by a client that leaves before it has
     * taken any of the stream.
     * Throws "rate_limit_exceeded" when there are too many or too large ones, "unavailable" without room or while the
     * store cannot answer.
     */
    async begin({ userId, needsLength, ...order }: ExportOrder, signal: AbortSignal): Promise<ExportStream> {
      signal.throwIfAborted();
      const own = reserve(order.selection.workspaceId, userId);
      const { abortController } = own;
      const path = join(folder, `${crypto.randomUUID()}.${order.format}`);

      let written: Promise<void> = Promise.resolve();

      function finish(outcome: ExportOutcome): void {
        if (!active.delete(own)) return;
        signal.removeEventListener("abort", leave);
        abortController.abort(new Error("The export has ended."));
        onEnd(outcome);
        const removal = removeFile(path, written, log).finally(() => removals.delete(removal));
        removals.add(removal);
      }
      const leave = () => finish("left");
      function endStream(end: StreamEnd): void {
        if (end.kind === "failed" && active.has(own)) log.error("An export failed.", { error: end.error });
        finish(end.kind);
      }

      signal.addEventListener("abort", leave);
      try {
        await writeFile(path, "", { mode: 0o600 });
        const { clicks, ended } = await pipeline.export({ ...order, path }, abortController.signal);
        written = ended;
        watchFile(own, ended, { path, free, lifetimeMs: times.lifetimeMs });
        reserveBytes(own, { all: [...active], bytes: clicks * bytesPerClick[order.format], bytesMax });
        await requireRoom(clicks, order.format, free);
        if (needsLength) await ended;
        const length = needsLength ? (await stat(path)).size : undefined;
        const stream = await readGrowingFile(path, { ended, signal: abortController.signal, onEnd: endStream });
        return { clicks, length, stream: withReadTimeout(stream, abortController, times.readTimeoutMs) };
      } catch (error) {
        finish("failed");
        throw error;
      }
    },
    /** Ends every export under way, whose streams fail, and waits until no file of an ended one is left. */
    async close(): Promise<void> {
      for (const { abortController } of active) abortController.abort(new Error("The service was stopped."));
      await Promise.all(removals);
    },
  };
}

/** Reserves the bytes of an export on the disk. */
function reserveBytes(
  own: ActiveExport,
  { all, bytes, bytesMax }: { all: readonly ActiveExport[]; bytes: number; bytesMax: number },
): void {
  const sum = (some: readonly ActiveExport[]) => some.reduce((total, other) => total + other.bytes, bytes);
  if (sum(all.filter(({ userId }) => userId === own.userId)) > bytesMax * userShare) {
    const message =
      "Your exports would take too much of the server's disk; take those under way first, or export a shorter time.";
    throw new Problem("rate_limit_exceeded", message, { retryAfterSeconds });
  }
  if (sum(all) > bytesMax) {
    const message = "Exports under way take as much of the server's disk as they may; try again in a while.";
    throw new Problem("unavailable", message, { retryAfterSeconds });
  }
  own.bytes = bytes;
}

/** At once, for the room; and again when its writer has ended, who may have made it anew. */
async function removeFile(path: string, written: Promise<void>, log: Log): Promise<void> {
  try {
    await rm(path, { force: true });
    await written.catch(() => {});
    await rm(path, { force: true });
  } catch (error) {
    log.warn("An export's file could not be removed.", { path, error });
  }
}

function hasCapacity(
  all: readonly ActiveExport[],
  { workspaceId, userId }: Pick<ActiveExport, "workspaceId" | "userId">,
): boolean {
  const ofWorkspace = all.filter((other) => other.workspaceId === workspaceId).length;
  const ofUser = all.filter((other) => other.userId === userId).length;
  if (ofWorkspace >= exportsPerWorkspaceMax || ofUser >= exportsPerUserMax) return false;
  const written = all.filter(({ isWritten }) => !isWritten);
  return written.length < writtenAtOnceMax && all.length < exportsMax;
}

/** The same stream, failing after its reader has read nothing for the read timeout, since its file takes disk space. */
function withReadTimeout(
  stream: ReadableStream<Uint8Array>,
  abortController: AbortController,
  readTimeoutMs: number,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let readTimer: Timer | undefined;
  const wait = () => {
    readTimer = setTimeout(
      () => abortController.abort(new Error("The client took no bytes for too long.")),
      readTimeoutMs,
    );
  };
  wait();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(readTimer);
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value);
        wait();
      },
      async cancel(reason) {
        clearTimeout(readTimer);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

async function requireRoom(clicks: number, format: ExportFormat, free: () => Promise<number>): Promise<void> {
  if ((await free()) >= clicks * bytesPerClick[format] + freeBytesMin) return;
  const message = `The server's disk has no room for ${clicks} clicks as ${format}; export a shorter time.`;
  throw new Problem("unavailable", message, { hint: "Parquet takes the least room." });
}

/** Notes when a file is whole, and its bytes; ends an export that fills the disk until then, or takes too long in all. */
function watchFile(
  own: ActiveExport,
  ended: Promise<void>,
  { path, free, lifetimeMs }: { path: string; free: () => Promise<number>; lifetimeMs: number },
): void {
  const life = setTimeout(() => own.abortController.abort(new Error("The export took too long.")), lifetimeMs);
  own.abortController.signal.addEventListener("abort", () => clearTimeout(life));
  const timer = setInterval(async () => {
    // A disk that cannot be looked at is not known to be full.
    const bytes = await free().catch(() => freeBytesMin);
    if (bytes < freeBytesMin) own.abortController.abort(new Error(`Only ${bytes} bytes are left on the disk.`));
  }, diskEveryMs);
  const stop = () => {
    own.isWritten = true;
    clearInterval(timer);
  };
  ended.then(() => {
    stop();
    // One that was removed already holds no bytes.
    own.bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }, stop);
}
