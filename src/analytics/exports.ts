import { freeBytesMin } from "../base/disk-space.ts";
import type { Log } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import { hourMs, minuteMs, secondMs } from "../base/time.ts";
import type { ClickExport, ExportFormat } from "../clicks/export.ts";
import type { Pipeline } from "../clicks/pipeline.ts";
import { collectExportGarbage } from "./collect-export-garbage.ts";

/**
 * Active exports, and their limits: the store writes each to its disk, and the bytes are sent while it writes.
 *
 * 1. An export that ends for any reason is aborted, so that the store frees its disk space.
 * 2. A slow client costs the store nothing but disk space, until the read timeout.
 */

/** Limits of active exports in all, and of one workspace. */
const exportsMax = 16;
const exportsPerWorkspaceMax = 2;
/** Limit of active exports of one user in all workspaces. */
const exportsPerUserMax = 2;
/** The share of all bytes that the exports of one user may take on the disk. */
const userShare = 0.5;
/** Read timeout and maximum duration of an export. */
const defaultTimes: ExportTimes = { readTimeoutMs: minuteMs, lifetimeMs: hourMs };
/** The most exports that are written at the same time: each keeps a core busy. One user cannot take every place. */
const concurrentWritesMax = 2;
const writtenPerUserMax = concurrentWritesMax - 1;
const retryAfterSeconds = 10;
/** How often free disk space is checked while an export is written; it grows by about 200 MB in that time. */
const diskEveryMs = secondMs;
/**
 * Estimate of the bytes that a click takes on the disk in each format; Parquet files are written twice. Weakness: clicks with
 * very long texts take up to 4 KB; such exports end when the disk is nearly full.
 */
const bytesPerClick: Record<ExportFormat, number> = { csv: 600, jsonl: 1_200, parquet: 400 };

/** The outcome of an export: sent completely, cancelled by its client, failed, or refused. */
type ExportOutcome = "complete" | "cancelled" | "failed" | "refused";

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
  /** Free bytes on the store's disk. */
  freeBytes: () => Promise<number>;
  /** Waits for the clicks that were recorded before the export; without it, an export has those that are stored. */
  awaitStored?: (signal: AbortSignal) => Promise<void>;
};

/**
 * The exported clicks and their user. An export that needs its length is written completely first, so that a failure of
 * the store throws before any byte is sent.
 */
export type ExportRequest = ClickExport & { userId: string; needsLength?: boolean | undefined };

/** The bytes of an export, the number of its clicks, and the length in bytes if it was requested. */
export type ExportStream = { clicks: number; length?: number | undefined; stream: ReadableStream<Uint8Array> };

/** See the top of this file. */
export type Exports = ReturnType<typeof openExports>;

/** `bytes` is an estimate until the export is written. `waiting`: for clicks that are being stored. */
type ActiveExport = {
  workspaceId: number;
  userId: string;
  bytes: number;
  phase: "waiting" | "writing" | "written";
  abortController: AbortController;
};

/** Opens exports from the click store. */
export function openExports(deps: ExportsDeps) {
  const { pipeline, log, onEnd, bytesMax, freeBytes, awaitStored, times = defaultTimes } = deps;
  const active = new Set<ActiveExport>();
  const onBytes = collectExportGarbage();

  function reserve(workspaceId: number, userId: string): ActiveExport {
    const refusal = refusalOf([...active], { workspaceId, userId });
    if (refusal !== undefined) {
      onEnd("refused");
      throw tooBusy(refusal);
    }
    const own: ActiveExport = {
      ...{ workspaceId, userId, bytes: 0, abortController: new AbortController() },
      phase: "waiting",
    };
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
    async begin({ userId, needsLength, ...request }: ExportRequest, signal: AbortSignal): Promise<ExportStream> {
      signal.throwIfAborted();
      const own = reserve(request.selection.workspaceId, userId);
      const { abortController } = own;

      function finish(outcome: ExportOutcome, reason: unknown = new Error("The export has ended.")): void {
        if (!active.delete(own)) return;
        signal.removeEventListener("abort", cancel);
        abortController.abort(reason);
        onEnd(outcome);
      }
      const cancel = () => finish("cancelled", signal.reason);
      const fail = (error: unknown) => finish("failed", error);
      const failStream = (error: unknown) => {
        if (active.has(own)) log.error("An export failed.", { error });
        fail(error);
      };

      signal.addEventListener("abort", cancel);
      try {
        if (awaitStored !== undefined) await awaitStored(abortController.signal);
        // During the wait, other exports may have taken the places.
        const refusal = writesRefusalOf([...active], userId);
        if (refusal !== undefined) {
          finish("refused");
          throw tooBusy(refusal);
        }
        own.phase = "writing";
        const { clicks, length, stream } = await pipeline.export(request, abortController.signal);
        watch(own, length, { freeBytes, lifetimeMs: times.lifetimeMs });
        reserveBytes(own, { all: [...active], bytes: clicks * bytesPerClick[request.format], bytesMax });
        await requireRoom(clicks, request.format, freeBytes);
        const bytes = needsLength ? await length : undefined;
        abortController.signal.throwIfAborted();
        abortController.signal.addEventListener("abort", () => failStream(abortController.signal.reason));
        length.catch(failStream);
        const callbacks = { onBytes, onComplete: () => finish("complete"), onCancelled: cancel, onFailure: failStream };
        return {
          clicks,
          length: bytes,
          stream: observeStream(stream, abortController, times.readTimeoutMs, callbacks),
        };
      } catch (error) {
        fail(error);
        throw error;
      }
    },
    /** Fails the streams of all active exports. */
    close(): void {
      for (const { abortController } of active) abortController.abort(new Error("The service was stopped."));
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

const tooMany = `Too many exports are running; the limit is ${exportsPerWorkspaceMax} per workspace and per user.`;
/** For the limits of all users together, which the caller's own exports may not have reached. */
const serverIsBusy = "The server is busy with other exports; try again in a few seconds.";

/** Returns why another export cannot begin now; undefined if it can. */
function refusalOf(
  all: readonly ActiveExport[],
  { workspaceId, userId }: Pick<ActiveExport, "workspaceId" | "userId">,
): string | undefined {
  const ofWorkspace = all.filter((other) => other.workspaceId === workspaceId);
  const ofUser = all.filter((other) => other.userId === userId);
  if (ofWorkspace.length >= exportsPerWorkspaceMax || ofUser.length >= exportsPerUserMax) return tooMany;
  return all.length >= exportsMax ? serverIsBusy : writesRefusalOf(all, userId);
}

/** Returns why no further export can be written now; undefined if one can. */
function writesRefusalOf(all: readonly ActiveExport[], userId: string): string | undefined {
  const writing = all.filter(({ phase }) => phase === "writing");
  if (writing.filter((other) => other.userId === userId).length >= writtenPerUserMax) {
    return "Your other export is still being written; try again in a few seconds.";
  }
  return writing.length >= concurrentWritesMax ? serverIsBusy : undefined;
}

function tooBusy(refusal: string): Problem {
  return new Problem("rate_limit_exceeded", refusal, { retryAfterSeconds });
}

/** Callbacks with the length of each chunk, and for the ways in which a stream ends: read completely, cancelled, or failed. */
type StreamCallbacks = {
  onBytes(length: number): void;
  onComplete(): void;
  onCancelled(): void;
  onFailure(error: unknown): void;
};

/** Wraps the stream to report its end, and to abort the export when its reader reads nothing for the read timeout. */
function observeStream(
  stream: ReadableStream<Uint8Array>,
  abortController: AbortController,
  readTimeoutMs: number,
  { onBytes, onComplete, onCancelled, onFailure }: StreamCallbacks,
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
        try {
          const { done, value } = await reader.read();
          if (!done) {
            onBytes(value.length);
            controller.enqueue(value);
            return wait();
          }
          onComplete();
          controller.close();
        } catch (error) {
          onFailure(error);
          throw error;
        }
      },
      async cancel(reason) {
        clearTimeout(readTimer);
        try {
          await reader.cancel(reason);
        } finally {
          onCancelled();
        }
      },
    },
    { highWaterMark: 0 },
  );
}

async function requireRoom(clicks: number, format: ExportFormat, freeBytes: () => Promise<number>): Promise<void> {
  if ((await freeBytes()) >= clicks * bytesPerClick[format] + freeBytesMin) return;
  const message = `The server's disk has no space for ${clicks} clicks as ${format}; export a shorter interval.`;
  throw new Problem("unavailable", message, { hint: "Parquet needs the least space." });
}

/** Records when the export is written, and its length. Aborts an export that fills the disk or takes too long. */
function watch(
  own: ActiveExport,
  length: Promise<number>,
  { freeBytes, lifetimeMs }: { freeBytes: () => Promise<number>; lifetimeMs: number },
): void {
  const life = setTimeout(() => own.abortController.abort(new Error("The export took too long.")), lifetimeMs);
  own.abortController.signal.addEventListener("abort", () => clearTimeout(life));
  const timer = setInterval(async () => {
    // If free space cannot be read, the disk is not known to be full.
    const bytes = await freeBytes().catch(() => freeBytesMin);
    if (bytes < freeBytesMin) own.abortController.abort(new Error(`Only ${bytes} bytes are left on the disk.`));
  }, diskEveryMs);
  const stop = () => {
    own.phase = "written";
    clearInterval(timer);
  };
  length.then((bytes) => {
    stop();
    own.bytes = bytes;
  }, stop);
}
