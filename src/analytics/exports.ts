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
 * Active exports: the store writes a file for each, and its bytes are sent while it grows.
 *
 * 1. The file is in a folder of exports only, readable by no other user, and is removed when its stream ends for any
 *    reason. The next start removes files left by a crash.
 * 2. A file that cannot be completed fails its stream; the stream never ends as if it were complete.
 * 3. A slow client costs the store nothing: the store is done when the file is complete.
 */

/** Limits of active exports in all, each with a file and a connection, and of one workspace. */
const exportsMax = 16;
const exportsPerWorkspaceMax = 2;
/** Limit of active exports of one user in all workspaces. */
const exportsPerUserMax = 2;
/** The share of all bytes that the exports of one user may take on the disk. */
const userShare = 0.5;
/** Read timeout and maximum duration of an export. */
const defaultTimes: ExportTimes = { readTimeoutMs: minuteMs, lifetimeMs: hourMs };
/** The most files being written at once: each keeps a core busy. */
const writtenAtOnceMax = 2;
const retryAfterSeconds = 10;
/** How often free disk space is checked while a file is being written; it grows by some 200 MB in that time. */
const diskEveryMs = secondMs;
/** Upper estimate of a click's bytes in each format. */
const bytesPerClick: Record<ExportFormat, number> = { csv: 600, jsonl: 1_200, parquet: 200 };

/** The outcome of an export: sent completely, cancelled by its client, failed, or refused. */
type ExportOutcome = StreamEnd["kind"] | "refused";

/** Timeouts of an export. */
export type ExportTimes = { readTimeoutMs: number; lifetimeMs: number };

/** The dependencies of openExports. */
type ExportsDeps = {
  /** The most bytes of all exports together. */
  bytesMax: number;
  /** The defaults when left out. */
  times?: ExportTimes;
  pipeline: Pick<Pipeline, "export">;
  log: Log;
  onEnd(outcome: ExportOutcome): void;
  /** Free bytes on the disk of a folder; from the operating system when left out. */
  freeBytes?: (folder: string) => Promise<number>;
};

/**
 * The exported clicks and their user. An export that needs its length waits for the complete file, so that a failure of
 * the store throws before any byte is sent.
 */
export type ExportOrder = Omit<ClickExport, "path"> & { userId: string; needsLength?: boolean | undefined };

/** The bytes of an export, the number of its clicks, and the length in bytes if it was requested. */
export type ExportStream = { clicks: number; length?: number | undefined; stream: ReadableStream<Uint8Array> };

/** See the top of this file. */
export type Exports = ReturnType<typeof openExports>;

/** `bytes` is an upper estimate until the file is complete. */
type ActiveExport = {
  workspaceId: number;
  userId: string;
  bytes: number;
  isWritten: boolean;
  abortController: AbortController;
};

/** Empties the folder, which belongs to exports alone, and opens exports. */
export function openExports(
  folder: string,
  { pipeline, log, onEnd, bytesMax, times = defaultTimes, freeBytes = freeDiskBytes }: ExportsDeps,
) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const active = new Set<ActiveExport>();
  /** Pending removals of files; bounded like exports, because each ends soon after its writer. */
  const removals = new Set<Promise<void>>();
  const free = () => freeBytes(folder);

  function reserve(workspaceId: number, userId: string): ActiveExport {
    if (!hasCapacity([...active], { workspaceId, userId })) {
      onEnd("refused");
      const message = `Too many exports are running; a workspace can have ${exportsPerWorkspaceMax}, and a user as many.`;
      throw new Problem("rate_limit_exceeded", message, { retryAfterSeconds });
    }
    const own = { workspaceId, userId, bytes: 0, isWritten: false, abortController: new AbortController() };
    active.add(own);
    return own;
  }

  return {
    /**
     * Begins an export. It ends with its stream or when `signal` is aborted, as when a client disconnects before
     * reading.
     * Throws "rate_limit_exceeded" for too many or too large exports, "unavailable" without disk space or while the
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
    /** Fails the streams of all active exports and waits until their files are removed. */
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
      "Your exports would use too much of the server's disk; finish downloading the others first, or export a shorter interval.";
    throw new Problem("rate_limit_exceeded", message, { retryAfterSeconds });
  }
  if (sum(all) > bytesMax) {
    const message = "Running exports use all the disk space that exports may use; try again later.";
    throw new Problem("unavailable", message, { retryAfterSeconds });
  }
  own.bytes = bytes;
}

/**
 * Removes the file at once, to free space, and again when its writer has ended: the writer may have created it again.
 */
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

/**
 * Wraps the stream so that it fails when its reader reads nothing for the read timeout: until then its file takes disk
 * space.
 */
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
  const message = `The server's disk has no space for ${clicks} clicks as ${format}; export a shorter interval.`;
  throw new Problem("unavailable", message, { hint: "Parquet needs the least space." });
}

/** Records when the file is complete, and its size. Aborts an export that fills the disk or takes too long. */
function watchFile(
  own: ActiveExport,
  ended: Promise<void>,
  { path, free, lifetimeMs }: { path: string; free: () => Promise<number>; lifetimeMs: number },
): void {
  const life = setTimeout(() => own.abortController.abort(new Error("The export took too long.")), lifetimeMs);
  own.abortController.signal.addEventListener("abort", () => clearTimeout(life));
  const timer = setInterval(async () => {
    // If free space cannot be read, the disk is not known to be full.
    const bytes = await free().catch(() => freeBytesMin);
    if (bytes < freeBytesMin) own.abortController.abort(new Error(`Only ${bytes} bytes are left on the disk.`));
  }, diskEveryMs);
  const stop = () => {
    own.isWritten = true;
    clearInterval(timer);
  };
  ended.then(() => {
    stop();
    // A removed file has no bytes.
    own.bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }, stop);
}
