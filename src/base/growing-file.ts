import { open } from "node:fs/promises";

/** What is read at once, and so about what a reader that takes nothing costs in memory. */
const chunkBytesMax = 256 * 1024;
/** Between two looks at a file that has not grown. */
const growPollMs = 20;

/** How a stream came to its end: all was read, its reader left, or it could not become whole. */
export type StreamEnd = { kind: "whole" } | { kind: "left" } | { kind: "failed"; error: unknown };

/** Who writes the file, who may end its reading, and who is told, once, that it has ended. */
export type GrowingFile = {
  /** Resolves when the file is whole, and rejects when it will not be. */
  ended: Promise<void>;
  signal: AbortSignal;
  onEnd(end: StreamEnd): void;
};

/**
 * The bytes of a file that somebody else appends to, read as fast as they are taken and not ahead. When it will not be
 * whole, or `signal` is aborted, the stream fails at once, so that no reader takes a part for the whole.
 * Throws when there is no file at `path`.
 */
export async function readGrowingFile(
  path: string,
  { ended, signal, onEnd }: GrowingFile,
): Promise<ReadableStream<Uint8Array>> {
  const file = await open(path, "r");
  // One for all reads: a file that grows slowly is read in small parts, and a buffer for each of them left 100 MB of garbage.
  const buffer = new Uint8Array(chunkBytesMax);
  let position = 0;
  let isWhole = false;
  let isClosed = false;

  function close(end: StreamEnd): void {
    isClosed = true;
    signal.removeEventListener("abort", abort);
    // What was read of it is not wrong because it cannot be closed.
    void file.close().catch(() => {});
    onEnd(end);
  }

  function fail(error: unknown): void {
    if (isClosed) return;
    close({ kind: "failed", error });
    control?.error(error);
  }

  const abort = () => fail(signal.reason);

  /** The next bytes; undefined at the end of a whole file, or when the stream has ended meanwhile. */
  async function next(): Promise<Uint8Array | undefined> {
    while (!isClosed) {
      // Known before the file is looked at: what is written in between is found by the next look.
      const wasWhole = isWhole;
      const { bytesRead } = await file.read(buffer, 0, chunkBytesMax, position);
      position += bytesRead;
      if (bytesRead > 0) return buffer.slice(0, bytesRead);
      if (wasWhole) return undefined;
      await Bun.sleep(growPollMs);
    }
    return undefined;
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const bytes = await next();
      if (isClosed) return;
      if (bytes !== undefined) return controller.enqueue(bytes);
      close({ kind: "whole" });
      controller.close();
    } catch (error) {
      fail(error);
    }
  }

  let control: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        control = controller;
      },
      pull,
      cancel() {
        if (!isClosed) close({ kind: "left" });
      },
    },
    { highWaterMark: 0 },
  );
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  ended.then(() => {
    isWhole = true;
  }, fail);
  return stream;
}

/**
 * A stream with the same bytes, once its first ones are there: an HTTP response that fails before them could not be told
 * from an empty one. Throws what the stream fails with until then.
 */
export async function afterFirstChunk(stream: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const reader = stream.getReader();
  const first = await reader.read();
  const pass = (controller: ReadableStreamDefaultController<Uint8Array>, part: typeof first) => {
    if (part.done) controller.close();
    else controller.enqueue(part.value);
  };
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => pass(controller, first),
      pull: async (controller) => pass(controller, await reader.read()),
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
