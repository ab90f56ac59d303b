import { describe, expect, test } from "bun:test";
import * as nodeFiles from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../tests/support/clicks.ts";
import {
  append,
  appendSegments,
  appendTick,
  brokenFiles,
  capturedClick,
  capturedClicks,
  eachInSpoolFolder,
  numbersOf,
  readSpool,
  readToEnd,
  segmentsIn,
  spoolFolder,
  testSpool,
  writeFrames,
} from "../../tests/support/spools.ts";
import { segmentFileName, segmentHeaderBytes } from "./spool-format.ts";
import { measureSegment } from "./spool-recovery.ts";

let directory = "";
eachInSpoolFolder((folder) => {
  directory = folder;
});

describe("opening again", () => {
  test("continues after the last click, with the same id", async () => {
    const first = testSpool(directory);
    await appendTick(first, capturedClicks(0, 5));
    first.close();

    const second = testSpool(directory);
    expect({ id: second.id, end: second.end() }).toEqual({ id: first.id, end: first.end() });
    await appendTick(second, capturedClicks(5, 9));

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    second.close();
  });

  test("an empty spool keeps its id", () => {
    const first = testSpool(directory);
    first.close();
    const second = testSpool(directory);

    expect(second.id).toBe(first.id);
    second.close();
  });

  test("a last frame torn at any byte costs only that frame", async () => {
    const { ends, path } = await writeFrames(directory, 2, 2);
    const whole = nodeFiles.readFileSync(path);
    const [firstEnd = 0] = ends;

    for (let size = segmentHeaderBytes + firstEnd; size < whole.length; size++) {
      nodeFiles.writeFileSync(path, whole.subarray(0, size));
      expect(readSpool(directory, firstEnd, 10)).toMatchObject({ clicks: [], to: firstEnd });

      const spool = testSpool(directory);
      const end = spool.end();
      await append(spool, capturedClick(9));
      spool.close();

      const found = { size, end, numbers: numbersOf(readToEnd(directory).clicks) };
      expect(found).toEqual({ size, end: firstEnd, numbers: [0, 1, 9] });
    }
  });

  test("garbage after the last frame hides no click appended later", async () => {
    const { ends, path } = await writeFrames(directory, 2);
    const random = seededRandom(1);

    for (const length of [1, 11, 12, 13, 500, 70_000]) {
      for (const name of segmentsIn(directory).slice(1)) nodeFiles.rmSync(join(directory, name));
      nodeFiles.truncateSync(path, segmentHeaderBytes + (ends[0] ?? 0));
      nodeFiles.appendFileSync(path, Buffer.from(Array.from({ length }, () => Math.floor(random() * 256))));

      const spool = testSpool(directory);
      await append(spool, capturedClick(9));
      spool.close();

      expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 9]);
    }
  });

  test("zeros after the last frame, as a power loss leaves them, are cut off", async () => {
    const { path } = await writeFrames(directory, 2);
    nodeFiles.appendFileSync(path, Buffer.alloc(10_000));

    const spool = testSpool(directory);
    await append(spool, capturedClick(9));

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 9]);
    spool.close();
  });

  test("a partly created segment is created again", async () => {
    const { ends } = await writeFrames(directory, 2);
    const [end = 0] = ends;

    for (let size = 0; size < segmentHeaderBytes; size++) {
      nodeFiles.writeFileSync(join(directory, segmentFileName(end)), Buffer.alloc(size));
      const { id } = testSpool(directory);
      const spool = testSpool(directory);

      expect({ size, id: spool.id, end: spool.end(), segments: segmentsIn(directory) }).toEqual({
        size,
        id,
        end,
        segments: [segmentFileName(0)],
      });
      spool.close();
    }
  });

  test("a spool with only a partly created segment begins again", async () => {
    nodeFiles.mkdirSync(directory, { recursive: true });
    nodeFiles.writeFileSync(join(directory, segmentFileName(0)), Buffer.alloc(10));

    const spool = testSpool(directory);
    await append(spool, capturedClick(1));

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([1]);
    spool.close();
  });

  test("appending fast-forwards to the furthest reader, which then misses no click and reads none twice", async () => {
    const { ends } = await writeFrames(directory, 2, 2);
    const furthestCursor = (ends[1] ?? 0) + 1_000;

    const spool = testSpool(directory, { furthestCursor });
    expect(spool.end()).toBe(furthestCursor);
    await append(spool, capturedClick(9));

    expect(numbersOf(readToEnd(directory, furthestCursor).clicks)).toEqual([9]);
    expect(numbersOf(readToEnd(directory, furthestCursor - 500).clicks)).toEqual([9]);
    expect(numbersOf(readToEnd(directory, ends[0]).clicks)).toEqual([2, 3, 9]);
    expect(readSpool(directory, ends[1] ?? 0, 10).missedBytes).toBe(0);
    spool.close();
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 2, 3, 9]);
  });

  test("a furthest reader before the end changes nothing", async () => {
    const { ends } = await writeFrames(directory, 2, 2);

    const spool = testSpool(directory, { furthestCursor: ends[0] ?? 0 });

    expect({ end: spool.end(), segments: segmentsIn(directory) }).toEqual({
      end: ends[1] ?? 0,
      segments: [segmentFileName(0)],
    });
    spool.close();
  });
});

describe("a segment that does not belong there", () => {
  /** Two closed segments of two frames each, and the newest one; resolves with the path of the first. */
  async function writeSegments(): Promise<string> {
    const spool = testSpool(directory, { segmentBytesMax: 1, files: brokenFiles({}) });
    await appendSegments(spool, 3);
    spool.close();
    return join(directory, segmentFileName(0));
  }

  test("a misnamed segment is refused, and the error contains its right name", async () => {
    const path = await writeSegments();
    nodeFiles.renameSync(path, join(directory, segmentFileName(1)));

    expect(() => testSpool(directory)).toThrow(`rename it ${segmentFileName(0)}`);
  });

  test("a segment of another spool is refused", async () => {
    await writeFrames(directory, 2);
    const { directory: other, remove } = spoolFolder();
    const foreign = testSpool(other, { furthestCursor: 5_000 });
    foreign.close();
    nodeFiles.copyFileSync(join(other, segmentFileName(5_000)), join(directory, segmentFileName(5_000)));
    remove();

    expect(() => testSpool(directory)).toThrow("belongs to another spool");
  });

  test("files with other names are ignored", async () => {
    await writeFrames(directory, 2);
    nodeFiles.writeFileSync(join(directory, "notes.txt"), "mine");

    const spool = testSpool(directory);
    spool.truncate(spool.end());

    expect(segmentsIn(directory)).toEqual([segmentFileName(0), "notes.txt"]);
    spool.close();
  });
});

describe("a newest segment that power loss left without its header", () => {
  test("is removed, and the spool reports how many bytes it cut off", async () => {
    const { ends } = await writeFrames(directory, 1, 1);
    const end = ends.at(-1) ?? 0;
    nodeFiles.writeFileSync(join(directory, segmentFileName(end)), Buffer.alloc(4_096));

    const spool = testSpool(directory);

    expect({ end: spool.end(), cutBytes: spool.recovered.cutBytes }).toEqual({ end, cutBytes: 4_096 });
    expect(segmentsIn(directory)).toEqual([segmentFileName(0)]);
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1]);
    spool.close();
  });
});

test("measureSegment counts the whole frames and their clicks", async () => {
  const { ends, path } = await writeFrames(directory, 2, 3);
  const framesEnd = segmentHeaderBytes + (ends[1] ?? 0);
  nodeFiles.appendFileSync(path, "torn");

  const size = framesEnd + 4;
  expect(measureSegment(path)).toEqual({ framesEnd, tail: "torn", size, clicks: 5, values: 25, gapBytes: 0 });
});
