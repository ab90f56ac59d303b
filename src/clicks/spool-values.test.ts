import { describe, expect, test } from "bun:test";
import * as nodeFiles from "node:fs";
import {
  append,
  appendTick,
  brokenFiles,
  capturedClick,
  capturedClicks,
  eachInSpoolFolder,
  noSpaceLeft,
  plainClick,
  plainOf,
  readSpool,
  readToEnd,
  segmentsIn,
  spoolFolder,
  testSpool,
  withoutIds,
  writeFrames,
} from "../../tests/support/spools.ts";
import { type CapturedClick, Shared } from "./click.ts";
import type { SpoolFiles } from "./spool.ts";
import { clickBytes, frameHeaderBytes } from "./spool-format.ts";
import { SpoolReader } from "./spool-reader.ts";

let directory = "";
eachInSpoolFolder((folder) => {
  directory = folder;
});

describe("a shared value", () => {
  /** A click of a busy link, with a distinct time. */
  function clickOf(shared: CapturedClick, number: number, fixed: Partial<CapturedClick> = {}): CapturedClick {
    return { ...shared, time: shared.time + number, ...fixed };
  }

  test("is written again when the segment has doubled, and each reader has it, wherever it begins", async () => {
    const spool = testSpool(directory);
    const shared = capturedClick(0);
    await append(spool, shared);
    const sizes: number[] = [];

    for (let number = 1; number <= 20; number++) {
      const before = spool.end();
      await append(spool, clickOf(shared, number));
      sizes.push(spool.end() - before);
      expect(withoutIds(readSpool(directory, before, 10).clicks)).toEqual([plainOf(clickOf(shared, number))]);
    }

    const bare = frameHeaderBytes + clickBytes;
    const repeats = sizes.flatMap((size, index) => (size === bare ? [] : [index]));
    // Frames with the values are about as long as six frames without.
    expect(repeats).toEqual([0, 1, 8]);
    expect(readToEnd(directory, 0, 1).clicks.map(({ time }) => time - shared.time)).toEqual(
      Array.from({ length: 21 }, (_, number) => number),
    );
    spool.close();
  });

  test("is written again in each segment, so that each can be read by itself", async () => {
    const spool = testSpool(directory, { segmentBytesMax: 1, files: brokenFiles({}) });
    const shared = capturedClick(0);

    const ends: number[] = [];
    for (let number = 0; number < 9; number++) {
      await append(spool, clickOf(shared, number));
      ends.push(spool.end());
    }

    spool.truncate(ends[5] ?? 0);
    expect(segmentsIn(directory).length).toBeGreaterThan(1);
    const { clicks } = readToEnd(directory, ends[5], 1);
    expect(withoutIds(clicks)).toEqual([6, 7, 8].map((number) => plainOf(clickOf(shared, number))));
    spool.close();
  });

  test("is written again when the disk refused the frame that introduced it", async () => {
    let isFull = false;
    const spool = testSpool(directory, {
      files: brokenFiles({
        writeSync: ((file: number, ...rest: [Buffer, number, number, number]) => {
          if (isFull) throw noSpaceLeft();
          return nodeFiles.writeSync(file, ...rest);
        }) as SpoolFiles["writeSync"],
      }),
    });
    const [first, second] = [capturedClick(0), capturedClick(1)];
    await append(spool, first);
    isFull = true;
    expect(await append(spool, second)).toBe("dropped");
    isFull = false;

    await append(spool, clickOf(second, 5));
    await append(spool, clickOf(first, 6));

    expect(withoutIds(readToEnd(directory).clicks)).toEqual(
      [first, clickOf(second, 5), clickOf(first, 6)].map(plainOf),
    );
    spool.close();
  });

  test("of a frame that could not be encoded is not mistaken for a value of the next frame", async () => {
    const spool = testSpool(directory);
    const [first, second] = [capturedClick(0), capturedClick(1)];
    await append(spool, first);
    const language = Object.defineProperty(new Shared(""), "value", {
      get() {
        throw new Error("no memory is left");
      },
    });
    expect(await append(spool, { ...second, language })).toBe("dropped");

    await append(spool, second);

    expect(withoutIds(readToEnd(directory).clicks)).toEqual([first, second].map(plainOf));
    spool.close();
  });

  test("of a reopened spool is distinct from the values written before", async () => {
    const [first, second] = [capturedClick(0), capturedClick(1, { agent: "curl/8.7.1", country: "AT" })];
    const before = testSpool(directory);
    await append(before, first);
    before.close();
    const spool = testSpool(directory);

    await append(spool, second);
    await append(spool, clickOf(first, 2));

    expect(withoutIds(readToEnd(directory).clicks)).toEqual([first, second, clickOf(first, 2)].map(plainOf));
    spool.close();
  });

  test("that two spools share is correct in both", async () => {
    const { directory: otherDirectory, remove } = spoolFolder();
    const [spool, other] = [testSpool(directory), testSpool(otherDirectory)];
    const shared = capturedClick(0);
    await append(other, capturedClick(9));

    for (let number = 0; number < 4; number++) {
      await append(spool, clickOf(shared, number));
      await append(other, clickOf(shared, number));
    }

    const expected = [0, 1, 2, 3].map((number) => plainOf(clickOf(shared, number)));
    expect(withoutIds(readToEnd(directory).clicks)).toEqual(expected);
    expect(withoutIds(readToEnd(otherDirectory).clicks).slice(1)).toEqual(expected);
    for (const opened of [spool, other]) opened.close();
    remove();
  });

  test("does not replace the destination of a single click, also in a tick of many clicks", async () => {
    const spool = testSpool(directory);
    const shared = capturedClick(0);
    const clicks = Array.from({ length: 50 }, (_, number) =>
      clickOf(shared, number, { url: number % 3 === 0 ? undefined : `https://example.com/?visit=${number}` }),
    );

    await appendTick(spool, clicks.slice(0, 25));
    await appendTick(spool, clicks.slice(25));

    expect(withoutIds(readToEnd(directory).clicks)).toEqual(clicks.map(plainOf));
    spool.close();
  });

  test("can be the destination of some of a link's clicks", async () => {
    const spool = testSpool(directory);
    const shared = capturedClick(0);
    const url = new Shared("https://example.com/android");
    await append(spool, shared);
    for (let number = 1; number <= 3; number++) await append(spool, clickOf(shared, number, { url }));
    const before = spool.end();

    await append(spool, clickOf(shared, 4, { url }));

    expect(spool.end() - before).toBe(frameHeaderBytes + clickBytes);
    const expected = [shared, ...[1, 2, 3, 4].map((number) => clickOf(shared, number, { url }))].map(plainOf);
    expect(withoutIds(readToEnd(directory).clicks)).toEqual(expected);
    spool.close();
  });

  test("is known to a reader whose spool was replaced by another one with the same positions", async () => {
    const { ends } = await writeFrames(directory, 1, 1);
    const reader = new SpoolReader(directory);
    reader.read(0, 1);
    nodeFiles.rmSync(directory, { recursive: true });
    const other = testSpool(directory);
    await append(other, capturedClick(7, { country: "AT" }));
    const end = other.end();

    expect(end).toBe(ends[0] ?? 0);
    await append(other, capturedClick(8, { country: "CH" }));

    expect(withoutIds(reader.read(end, 1).clicks)).toEqual([plainClick(8, { country: "CH" })]);
    other.close();
  });
});

test("each click has a unique id, the same in every reading", async () => {
  const spool = testSpool(directory);
  for (let turn = 0; turn < 20; turn++) await appendTick(spool, capturedClicks(turn * 10, turn * 10 + 10));

  const ids = readToEnd(directory, 0, 1).clicks.map(({ id }) => id);

  expect(new Set(ids).size).toBe(200);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids).toEqual(ids.toSorted());
  expect(readToEnd(directory, 0, 77).clicks.map(({ id }) => id)).toEqual(ids);
  spool.close();
});
