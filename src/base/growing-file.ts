import { open } from "node:fs/promises";

/**
 * The size of a read. Each garbage collection finds a chunk in use and keeps it until the next full one: with 256 KiB,
 * an export took 20 MiB more; with 32 KiB, twice the processor time.
 */
const chunkBytesMax = 128 * 1024;
/** How often a file that has not grown is polled. */
const growPollMs = 20;

/** The writer's promise, the signal that aborts reading, and the callback for the end of the stream. */
type GrowingFile = {
  /** Resolves when the file is complete, and rejects when the writer fails. */
  ended: Promise<unknown>;
  signal: AbortSignal;
  /** Called once: all was read, the reader cancelled the stream, or the file cannot be completed. */
  onEnd(): void;
};

/**
 * Streams a file while a writer appends to it; reads only what the consumer takes.
 * Guarantee: the stream fails when the writer fails or `signal` aborts, so that no consumer takes a part for the whole
 * file.
 * Throws when there is no file at `path`.
 */
export async function readGrowingFile(
  path: string,
  { ended, signal, onEnd }: GrowingFile,
): Promise<ReadableStream<Uint8Array>> {
  const file = await open(path, "r");
  // One buffer for all reads: a slow file is read in small parts, and a new buffer for each part left 100 MB of
  // garbage.
  const buffer = new Uint8Array(chunkBytesMax);
  let position = 0;
  let isWhole = false;
  let isClosed = false;

  function close(): void {
    isClosed = true;
    signal.removeEventListener("abort", abort);
    // A failed close does not invalidate the bytes that were read.
    void file.close().catch(() => {});
    onEnd();
  }

  function fail(error: unknown): void {
    if (isClosed) return;
    close();
    control?.error(error);
  }

  const abort = () => fail(signal.reason);

  /** Returns the next bytes; undefined at the end of a complete file, or after the stream has ended. */
  async function next(): Promise<Uint8Array | undefined> {
    while (!isClosed) {
      // Read before the file: the next poll finds bytes that are written in between.
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
      close();
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
        if (!isClosed) close();
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
 * Waits for the first chunk of a stream, and returns a stream with the same bytes. An HTTP response that fails before
 * its first byte would look like an empty one. Throws the stream's error when it fails before the first chunk.
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
