import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { problemOf } from "../../tests/support/problem-of.ts";
import { openLog } from "../base/log.ts";
import { type ExportRequest, type Exports, type ExportTimes, openExports } from "./exports.ts";

/** An export of the fake store, which the test controls. `end` settles when the export is written. */
type Writing = {
  signal: AbortSignal;
  end: PromiseWithResolvers<number>;
  write(text: string): void;
  /** Ends the stream too. */
  complete(bytes?: number): void;
  fail(error: Error): void;
};

const giga = 1024 ** 3;
const request = (workspaceId: number, userId = `user_${workspaceId}`): ExportRequest => ({
  userId,
  selection: { workspaceId, from: 0, to: 1, bots: "include", filters: [] },
  ...{ format: "csv", domains: [] },
});

let writings: Writing[] = [];
let outcomes: string[] = [];
let clicks = 1_000;
let freeBytes = 100 * giga;
let exports: Exports;
let client: AbortController;

beforeEach(() => {
  [writings, outcomes, clicks, freeBytes] = [[], [], 1_000, 100 * giga];
  client = new AbortController();
  exports = open();
});
afterEach(() => exports.close());

function open(
  times: Partial<ExportTimes> = {},
  bytesMax = 100 * giga,
  awaitStored = async (_: AbortSignal): Promise<void> => {},
): Exports {
  return openExports({
    ...{ bytesMax, awaitStored },
    times: { readTimeoutMs: 60_000, lifetimeMs: 60_000, ...times },
    log: openLog("error", () => {}),
    onEnd: (outcome) => outcomes.push(outcome),
    freeBytes: async () => freeBytes,
    pipeline: {
      async export(_, signal) {
        const writing = newWriting(signal);
        writings.push(writing);
        return { clicks, length: writing.end.promise, stream: writing.stream };
      },
    },
  });
}

function newWriting(signal: AbortSignal): Writing & { stream: ReadableStream<Uint8Array> } {
  const end = Promise.withResolvers<number>();
  end.promise.catch(() => {});
  const { readable: stream, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  const fail = (error: Error) => {
    end.reject(error);
    writer.abort(error).catch(() => {});
  };
  signal.addEventListener("abort", () => fail(signal.reason));
  return {
    ...{ signal, end, stream, fail },
    write: (text) => void writer.write(new TextEncoder().encode(text)).catch(() => {}),
    complete(bytes = 0) {
      end.resolve(bytes);
      writer.close().catch(() => {});
    },
  };
}

/** Ends the writing of an export of `bytes`; its client still reads. */
async function endWriting(index: number, bytes = 0): Promise<void> {
  writings[index]?.end.resolve(bytes);
  await Promise.allSettled([writings[index]?.end.promise]);
}

const begin = (workspaceId = 1, userId?: string) => exports.begin(request(workspaceId, userId), client.signal);

test("the bytes are sent while the export is written, and it is released after it was sent", async () => {
  const { clicks: announced, stream } = await begin();
  const [writing] = writings;
  const reader = stream.getReader();
  const parts: string[] = [];

  for (const part of ["id\r\n", "1\r\n"]) {
    writing?.write(part);
    parts.push(new TextDecoder().decode((await reader.read()).value));
  }
  writing?.complete();
  const { done } = await reader.read();

  expect([announced, parts.join(""), done]).toEqual([1_000, "id\r\n1\r\n", true]);
  expect(outcomes).toEqual(["complete"]);
  expectReleased();
});

test("a client that disconnects ends the writing, before and after it has read from the stream", async () => {
  const { stream } = await begin();
  await stream.cancel();
  await begin();
  client.abort();

  expect(writings).toHaveLength(2);
  expect(outcomes).toEqual(["cancelled", "cancelled"]);
  expectReleased();
});

test("a failure of the store fails the stream and releases the export", async () => {
  const { stream } = await begin();

  writings[0]?.write("a part");
  writings[0]?.fail(new Error("The store failed."));

  await expect(new Response(stream).text()).rejects.toThrow("The store failed.");
  expect(outcomes).toEqual(["failed"]);
  expectReleased();
});

describe("an export that needs its length", () => {
  const needing = () => exports.begin({ ...request(1), needsLength: true }, client.signal);
  /** Resolves when the store has begun to write. */
  const begunWriting = async () => {
    while (writings.length === 0) await new Promise((resolve) => setImmediate(resolve));
  };

  test("is sent when it is written", async () => {
    const begun = needing();
    await begunWriting();
    writings[0]?.write("id\r\n1\r\n");
    writings[0]?.complete(7);

    const { length, stream } = await begun;

    expect([length, await new Response(stream).text()]).toEqual([7, "id\r\n1\r\n"]);
    expect(outcomes).toEqual(["complete"]);
    expectReleased();
  });

  test("throws when the store fails, and is released", async () => {
    const begun = needing();
    await begunWriting();
    writings[0]?.fail(new Error("The store failed."));

    await expect(begun).rejects.toThrow("The store failed.");

    expect(outcomes).toEqual(["failed"]);
    expectReleased();
  });
});

test("a shutdown fails the active streams", async () => {
  const { stream } = await begin();

  exports.close();

  await expect(new Response(stream).text()).rejects.toThrow("The service was stopped.");
  expectReleased();
});

const serverIsBusy = {
  code: "rate_limit_exceeded",
  message: "The server is busy with other exports; try again in a few seconds.",
} as const;

describe("too many", () => {
  test("of one workspace are refused until one has ended, and other workspaces are unaffected", async () => {
    const first = await begin(1, "user_1");
    await endWriting(0);
    await begin(1, "user_2");
    await endWriting(1);

    const refused = await problemOf(begin(1, "user_3"));
    await begin(2, "user_4");
    await first.stream.cancel();
    await endWriting(2);
    await begin(1, "user_3");

    expect(refused).toMatchObject({ code: "rate_limit_exceeded" });
    expect(outcomes).toEqual(["refused", "cancelled"]);
  });

  test("are those that are written: one that waits for clicks takes no place, and is refused if it then finds none", async () => {
    const stored = Promise.withResolvers<void>();
    const waits = [stored.promise];
    exports = open({}, undefined, async () => await waits.shift());

    const waiting = problemOf(begin(1));
    await begin(2);
    await begin(3);
    stored.resolve();
    const refused = await waiting;

    expect(refused).toEqual(serverIsBusy);
    expect(outcomes).toEqual(["refused"]);
  });

  test("of one user are refused, in any workspaces", async () => {
    for (const [index, workspaceId] of [1, 2].entries()) {
      await begin(workspaceId, "user_greedy");
      await endWriting(index);
    }

    expect(await problemOf(begin(3, "user_greedy"))).toMatchObject({ code: "rate_limit_exceeded" });
    await begin(3, "user_other");
  });

  test("bytes on the disk are refused: for one user beyond half, and for all users together", async () => {
    exports = open({}, 2 * giga);
    clicks = 1_700_000;
    await begin(1, "user_greedy");
    // The export is larger than estimated, as the store reports when it is written.
    await endWriting(0, 1.5 * giga);

    const ofUser = await problemOf(begin(2, "user_greedy"));
    const ofAll = await problemOf(begin(2, "user_other"));

    expect(ofUser).toMatchObject({ code: "rate_limit_exceeded", message: expect.stringContaining("Your exports") });
    expect(ofAll).toMatchObject({ code: "unavailable", message: expect.stringContaining("Running exports") });
  });

  test("one user's exports leave a writing slot to another user", async () => {
    await begin(1, "user_greedy");

    const refused = await problemOf(begin(2, "user_greedy"));
    await begin(3, "user_other");
    await endWriting(0);
    await begin(2, "user_greedy");

    expect(refused).toEqual({
      code: "rate_limit_exceeded",
      message: "Your other export is still being written; try again in a few seconds.",
    });
  });

  test("concurrent writes are refused, across all workspaces", async () => {
    await begin(1);
    await begin(2);

    const refused = await problemOf(begin(3));
    await endWriting(0);
    await begin(3);

    expect(refused).toEqual(serverIsBusy);
  });

  test("active exports of all users are refused as a limit of the server, not of the user", async () => {
    for (let workspaceId = 0; workspaceId < 16; workspaceId++) {
      await begin(workspaceId);
      await endWriting(workspaceId);
    }

    expect(await problemOf(begin(16))).toEqual(serverIsBusy);
  });
});

test("an export whose client reads nothing, and one that takes too long, is aborted", async () => {
  for (const times of [{ readTimeoutMs: 1 }, { lifetimeMs: 1 }]) {
    exports = open(times);
    const { stream } = await begin();
    const writing = writings.at(-1);

    await writing?.end.promise.catch(() => {});

    expect(writing?.signal.aborted).toBe(true);
    await expect(new Response(stream).text()).rejects.toThrow("too long");
    expectReleased();
  }
});

test("a disk without space refuses exports, and a disk that fills up aborts active ones", async () => {
  clicks = 10_000_000;
  freeBytes = 3 * giga;
  const refused = await problemOf(begin());
  clicks = 1_000;
  const { stream } = await begin();

  freeBytes = 0.4 * giga;

  expect(refused).toMatchObject({ code: "unavailable", message: expect.stringContaining("10000000 clicks as csv") });
  await expect(new Response(stream).text()).rejects.toThrow("are left on the disk");
  expect(outcomes).toEqual(["failed", "failed"]);
  expectReleased();
});

/** Expects that the store was told to free the disk space of every export. */
function expectReleased(): void {
  expect(writings.filter(({ signal }) => !signal.aborted)).toEqual([]);
}
