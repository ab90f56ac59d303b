import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { problemOf } from "../../tests/support/problem-of.ts";
import { openLog } from "../base/log.ts";
import type { ClickExport } from "../clicks/export.ts";
import { type ExportOrder, type Exports, type ExportTimes, openExports } from "./exports.ts";

/** A fake store, whose exports the test controls. */
type Writing = { order: ClickExport; signal: AbortSignal; end: PromiseWithResolvers<void> };

const giga = 1024 ** 3;
const order = (workspaceId: number, userId = `user_${workspaceId}`): ExportOrder => ({
  userId,
  selection: { workspaceId, from: 0, to: 1, bots: "include", filters: [] },
  ...{ format: "csv", domains: [] },
});

let data = "";
let folder = "";
let writings: Writing[] = [];
let outcomes: string[] = [];
let clicks = 1_000;
let freeBytes = 100 * giga;
let exports: Exports;
let client: AbortController;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "waypost-exports-"));
  folder = join(data, "exports");
  [writings, outcomes, clicks, freeBytes] = [[], [], 1_000, 100 * giga];
  client = new AbortController();
  exports = open();
});
afterEach(async () => {
  await exports.close();
  rmSync(data, { recursive: true });
});

function open(times: Partial<ExportTimes> = {}, bytesMax = 100 * giga): Exports {
  return openExports(folder, {
    bytesMax,
    times: { readTimeoutMs: 60_000, lifetimeMs: 60_000, ...times },
    log: openLog("error", () => {}),
    onEnd: (outcome) => outcomes.push(outcome),
    freeBytes: async () => freeBytes,
    pipeline: {
      async export(given, signal) {
        const end = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => end.reject(signal.reason));
        end.promise.catch(() => {});
        writings.push({ order: given, signal, end });
        return { clicks, ended: end.promise };
      },
    },
  });
}

const begin = (workspaceId = 1, userId?: string) => exports.begin(order(workspaceId, userId), client.signal);

test("a file is sent while it is written, is private, and is removed after it was sent", async () => {
  const { clicks: told, stream } = await begin();
  const [writing] = writings;
  const path = writing?.order.path ?? "";
  const mode = statSync(path).mode & 0o777;

  appendFileSync(path, "id\r\n1\r\n");
  writing?.end.resolve();
  const text = await new Response(stream).text();

  expect([told, text, mode]).toEqual([1_000, "id\r\n1\r\n", 0o600]);
  expect(outcomes).toEqual(["whole"]);
  await expectEmpty();
});

test("files left by a crash are removed at the start", () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "left.csv"), "a part");

  exports = open();

  expect(readdirSync(folder)).toEqual([]);
});

test("a client that disconnects ends the writing, before and after it has read from the stream", async () => {
  const { stream } = await begin();
  await stream.cancel();
  await begin();
  client.abort();

  expect(writings.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  expect(outcomes).toEqual(["left", "left"]);
  await expectEmpty();
});

test("a failure of the store fails the stream and leaves no file", async () => {
  const { stream } = await begin();
  appendFileSync(writings[0]?.order.path ?? "", "a part");

  writings[0]?.end.reject(new Error("The store failed."));

  await expect(new Response(stream).text()).rejects.toThrow("The store failed.");
  expect(outcomes).toEqual(["failed"]);
  await expectEmpty();
});

describe("an export that needs its length", () => {
  const needing = () => exports.begin({ ...order(1), needsLength: true }, client.signal);
  /** Resolves when the store has begun to write. */
  const begunWriting = async () => {
    while (writings.length === 0) await new Promise((resolve) => setImmediate(resolve));
  };

  test("is sent when its file is complete", async () => {
    const begun = needing();
    await begunWriting();
    appendFileSync(writings[0]?.order.path ?? "", "id\r\n1\r\n");
    writings[0]?.end.resolve();

    const { length, stream } = await begun;

    expect([length, await new Response(stream).text()]).toEqual([7, "id\r\n1\r\n"]);
    expect(outcomes).toEqual(["whole"]);
    await expectEmpty();
  });

  test("throws when the store fails, and leaves no file", async () => {
    const begun = needing();
    await begunWriting();
    writings[0]?.end.reject(new Error("The store failed."));

    await expect(begun).rejects.toThrow("The store failed.");

    expect(outcomes).toEqual(["failed"]);
    await expectEmpty();
  });
});

test("a shutdown fails the active streams", async () => {
  const { stream } = await begin();

  await exports.close();

  await expect(new Response(stream).text()).rejects.toThrow("The service was stopped.");
  await expectEmpty();
});

describe("too many", () => {
  test("of one workspace are refused until one has ended, and other workspaces are unaffected", async () => {
    const first = await begin();
    writings[0]?.end.resolve();
    await begin();
    writings[1]?.end.resolve();
    await Promise.allSettled(writings.map(({ end }) => end.promise));

    const refused = await problemOf(begin());
    await begin(2);
    await first.stream.cancel();
    writings[2]?.end.resolve();
    await Promise.allSettled(writings.map(({ end }) => end.promise));
    await begin();

    expect(refused).toMatchObject({ code: "rate_limit_exceeded" });
    expect(outcomes).toEqual(["refused", "left"]);
  });

  test("of one user are refused, in any workspaces", async () => {
    for (const [index, workspaceId] of [1, 2].entries()) {
      await begin(workspaceId, "user_greedy");
      writings[index]?.end.resolve();
    }
    await Promise.allSettled(writings.map(({ end }) => end.promise));

    expect(await problemOf(begin(3, "user_greedy"))).toMatchObject({ code: "rate_limit_exceeded" });
    await begin(3, "user_other");
  });

  test("bytes on the disk are refused: for one user beyond half, and for all users together", async () => {
    exports = open({}, 2 * giga);
    clicks = 1_700_000;
    await begin(1, "user_greedy");
    const ofUser = await problemOf(begin(2, "user_greedy"));

    // The file is larger than estimated, as seen on the disk when it is complete.
    const [first] = writings;
    truncateSync(first?.order.path ?? "", 1.5 * giga);
    first?.end.resolve();
    await Promise.allSettled([first?.end.promise]);
    const ofAll = await problemOf(begin(2, "user_other"));

    expect(ofUser).toMatchObject({ code: "rate_limit_exceeded", message: expect.stringContaining("Your exports") });
    expect(ofAll).toMatchObject({ code: "unavailable", message: expect.stringContaining("Running exports") });
  });

  test("concurrent writes are refused, across all workspaces", async () => {
    await begin(1);
    await begin(2);

    const refused = await problemOf(begin(3));
    writings[0]?.end.resolve();
    await Promise.allSettled([writings[0]?.end.promise]);
    await begin(3);

    expect(refused?.code).toBe("rate_limit_exceeded");
  });
});

test("an export whose client reads nothing, and one that takes too long, is aborted and leaves no file", async () => {
  for (const times of [{ readTimeoutMs: 1 }, { lifetimeMs: 1 }]) {
    exports = open(times);
    const { stream } = await begin();
    const writing = writings.at(-1);

    await writing?.end.promise.catch(() => {});

    expect(writing?.signal.aborted).toBe(true);
    await expect(new Response(stream).text()).rejects.toThrow("too long");
    await expectEmpty();
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
  await expectEmpty();
});

/** Files are removed in the background. */
async function expectEmpty(): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (Date.now() < deadline && existsSync(folder) && readdirSync(folder).length > 0) await Bun.sleep(5);
  expect(readdirSync(folder)).toEqual([]);
}
