import { describe, expect, test } from "bun:test";
import * as nodeFiles from "node:fs";
import { join } from "node:path";
import { pick, type Random, seededRandom } from "../../tests/support/clicks.ts";
import {
  append,
  appendTick,
  brokenFiles,
  capturedClick,
  capturedClicks,
  eachInSpoolFolder,
  noSpaceLeft,
  numbersOf,
  readSpool,
  readToEnd,
  segmentsIn,
  testSpool,
} from "../../tests/support/spools.ts";
import type { Spool, SpoolFiles } from "./spool.ts";
import { segmentHeaderBytes } from "./spool-format.ts";

let directory = "";
eachInSpoolFolder((folder) => {
  directory = folder;
});

describe("a disk that refuses", () => {
  type Disk = { bytesLeft: number; canCut: boolean; shortWrites: boolean };

  /** A disk with a number of bytes left for writes, which fills up in the middle of a write like a real one. */
  function failingDisk(disk: Disk): SpoolFiles {
    return brokenFiles({
      writeSync: ((file: number, bytes: Buffer, offset: number, length: number, position: number) => {
        if (disk.bytesLeft === 0) throw noSpaceLeft();
        const acceptedMax = disk.shortWrites ? Math.ceil(length / 2) : length;
        const written = Math.min(acceptedMax, disk.bytesLeft);
        disk.bytesLeft -= written;
        return nodeFiles.writeSync(file, bytes, offset, written, position);
      }) as SpoolFiles["writeSync"],
      ftruncateSync: (file, length) => {
        if (!disk.canCut) throw new Error("EIO: i/o error, ftruncate");
        nodeFiles.ftruncateSync(file, length);
      },
    });
  }

  test("short writes are completed", async () => {
    const spool = testSpool(directory, {
      files: failingDisk({ bytesLeft: Number.MAX_SAFE_INTEGER, canCut: true, shortWrites: true }),
    });

    expect(await appendTick(spool, capturedClicks(0, 3))).toEqual(["stored", "stored", "stored"]);

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 2]);
    spool.close();
  });

  test("a disk that accepts no bytes without an error does not delay the visitor", async () => {
    let isStuck = false;
    const spool = testSpool(directory, {
      files: brokenFiles({
        writeSync: ((file: number, bytes: Buffer, ...rest: number[]) =>
          isStuck ? 0 : nodeFiles.writeSync(file, bytes, ...rest)) as SpoolFiles["writeSync"],
      }),
    });
    isStuck = true;

    expect(await append(spool, capturedClick(1))).toBe("dropped");
    isStuck = false;
    expect(await append(spool, capturedClick(2))).toBe("stored");
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([2]);
    spool.close();
  });

  test("no reader sees a torn frame on a disk that is full after any byte of it, and its clicks count as dropped", async () => {
    const disk: Disk = { bytesLeft: 10_000, canCut: true, shortWrites: false };
    const spool = testSpool(directory, { files: failingDisk(disk) });
    await append(spool, capturedClick(0));
    const end = spool.end();

    let tried = 0;
    for (let bytes = 0; bytes < end; bytes += 7) {
      disk.bytesLeft = bytes;
      tried += 2;
      expect(await appendTick(spool, [capturedClick(1), capturedClick(2)])).toEqual(["dropped", "dropped"]);
      expect(readSpool(directory, 0, 10)).toMatchObject({ to: end });
      expect(spool.end()).toBe(end);
    }

    expect(spool.dropped()).toEqual({ clicks: tried, reason: noSpaceLeft().message });
    disk.bytesLeft = 10_000;
    expect(await append(spool, capturedClick(3))).toBe("stored");
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 3]);
    spool.close();
  });

  test("nothing is written after a torn frame that cannot be cut off", async () => {
    const disk: Disk = { bytesLeft: 10_000, canCut: false, shortWrites: false };
    const spool = testSpool(directory, { files: failingDisk(disk) });
    await append(spool, capturedClick(0));

    disk.bytesLeft = 100;
    expect(await append(spool, capturedClick(1))).toBe("dropped");
    disk.bytesLeft = 10_000;
    expect(await append(spool, capturedClick(2))).toBe("dropped");
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0]);

    disk.canCut = true;
    expect(await append(spool, capturedClick(3))).toBe("stored");
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 3]);
    spool.close();
  });

  test("opening cuts off a torn frame that could not be cut off before closing", async () => {
    const disk: Disk = { bytesLeft: 10_000, canCut: false, shortWrites: false };
    const spool = testSpool(directory, { files: failingDisk(disk) });
    await append(spool, capturedClick(0));
    disk.bytesLeft = 100;
    await append(spool, capturedClick(1));
    spool.close();

    const reopened = testSpool(directory);
    await append(reopened, capturedClick(2));

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 2]);
    reopened.close();
  });

  test("a segment that cannot be created is created later, and the failed attempt leaves no file", async () => {
    const disk: Disk = { bytesLeft: 10_000, canCut: true, shortWrites: false };
    const spool = testSpool(directory, { segmentBytesMax: 1, files: failingDisk(disk) });
    await append(spool, capturedClick(0));
    // The first append beyond the limit only syncs; the next one creates the segment.
    await append(spool, capturedClick(1));

    for (const bytesLeft of [0, 10, segmentHeaderBytes, segmentHeaderBytes + 50]) {
      disk.bytesLeft = bytesLeft;
      expect(await append(spool, capturedClick(2))).toBe("dropped");
      expect(numbersOf(readToEnd(directory).clicks)).not.toContain(2);
    }
    disk.bytesLeft = 10_000;
    expect(await append(spool, capturedClick(3))).toBe("stored");

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 3]);
    spool.close();
    const reopened = testSpool(directory);
    expect(reopened.end()).toBe(spool.end());
    reopened.close();
  });

  test("a full disk regains all acknowledged segments, including the newest", async () => {
    const { files, fill } = smallDisk(2_000);
    const spool = testSpool(directory, { files });
    const stored = await fill(spool);
    expect(await append(spool, capturedClick(99))).toBe("dropped");
    const { clicks, to } = readToEnd(directory);
    expect(clicks.length).toBe(stored);

    expect(spool.canTruncate(to)).toBe(true);
    spool.truncate(to - 1);
    expect(await append(spool, capturedClick(100))).toBe("dropped");
    spool.truncate(to);
    expect(await append(spool, capturedClick(101))).toBe("stored");

    expect(numbersOf(readToEnd(directory, to).clicks)).toEqual([101]);
    const { id } = spool;
    spool.close();
    const reopened = testSpool(directory);
    expect({ id: reopened.id, end: reopened.end() }).toEqual({ id, end: spool.end() });
    reopened.close();
  });

  /** A disk with a number of bytes in total, where deleting files frees space. */
  function smallDisk(bytesMax: number) {
    const used = () =>
      segmentsIn(directory).reduce((sum, name) => sum + nodeFiles.statSync(join(directory, name)).size, 0);
    const files = brokenFiles({
      writeSync: ((file: number, bytes: Buffer, offset: number, length: number, position: number) => {
        if (used() + length > bytesMax) throw noSpaceLeft();
        return nodeFiles.writeSync(file, bytes, offset, length, position);
      }) as SpoolFiles["writeSync"],
    });
    const fill = async (spool: Spool) => {
      let stored = 0;
      while ((await append(spool, capturedClick(stored))) === "stored") stored++;
      return stored;
    };
    return { files, fill };
  }

  test("a spool at its size limit drops and counts clicks, and accepts them again after truncation", async () => {
    const spool = testSpool(directory, { spoolBytesMax: 4_000, files: brokenFiles({}) });

    let stored = 0;
    while ((await append(spool, capturedClick(stored))) === "stored") stored++;
    await appendTick(spool, capturedClicks(900, 905));
    expect(spool.dropped()).toEqual({ clicks: 6, reason: "the spool is full" });
    spool.truncate(spool.end());

    expect(await append(spool, capturedClick(stored))).toBe("stored");
    expect(spool.dropped().clicks).toBe(6);
    spool.close();
  });
});

describe("in any interleaving", () => {
  for (let seed = 1; seed <= 40; seed++) {
    test(`each reader gets every stored click once and in order (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const run = await interleave(random);

      expect({ seed, readers: run.readers }).toEqual({ seed, readers: [run.stored, run.stored] });
    });
  }

  type Reader = { position: number; numbers: number[] };

  /** Appends, ticks, crashes, disk faults and reads in random order; then reads everything. */
  async function interleave(random: Random): Promise<{ stored: number[]; readers: number[][] }> {
    const disk = { isWhole: true };
    const files = randomlyFailing(random, disk);
    const options = { segmentBytesMax: pick(random, [1, 800, 5_000, 1e9]), files };
    const readers: [Reader, Reader] = [
      { position: 0, numbers: [] },
      { position: 0, numbers: [] },
    ];
    const stored: number[] = [];
    let number = 0;
    let spool = testSpool(directory, options);
    /** A killed process closes nothing, so the former spool is left as it is. */
    const openAgain = () => {
      disk.isWhole = true;
      spool = testSpool(directory, { ...options, furthestCursor: furthest(readers) });
      disk.isWhole = false;
    };
    disk.isWhole = false;

    for (let step = 0; step < 120; step++) {
      const action = pick(random, [
        "append",
        "append",
        "append",
        "readFirst",
        "readSecond",
        "release",
        "crash",
        "tear",
      ]);
      switch (action) {
        case "append": {
          const clicks = capturedClicks(number, number + 1 + Math.floor(random() * 4));
          number += clicks.length;
          const appended = await appendTick(spool, clicks);
          stored.push(...numbersOf(clicks.filter((_, index) => appended[index] === "stored")));
          break;
        }
        case "readFirst":
        case "readSecond":
          read(readers[action === "readFirst" ? 0 : 1], 1 + Math.floor(random() * 9));
          break;
        case "release":
          spool.truncate(Math.min(...readers.map(({ position }) => position)));
          break;
        case "crash":
          openAgain();
          break;
        case "tear":
          tearNewest(random);
          openAgain();
          break;
      }
    }
    for (const reader of readers) while (read(reader, 5));
    return { stored, readers: readers.map(({ numbers }) => numbers) };
  }

  function read(reader: Reader, clicksMax: number): boolean {
    const { to, clicks, missedBytes } = readSpool(directory, reader.position, clicksMax);
    expect(missedBytes).toBe(0);
    const hasMoved = to > reader.position;
    reader.position = to;
    reader.numbers.push(...numbersOf(clicks));
    return hasMoved;
  }

  function furthest(readers: readonly Reader[]): number {
    return Math.max(...readers.map(({ position }) => position));
  }

  /** A crash in the middle of a write leaves the beginning of a frame without answered clicks. */
  function tearNewest(random: Random): void {
    const newest = segmentsIn(directory).at(-1) ?? "";
    const garbage = Buffer.from(
      Array.from({ length: 1 + Math.floor(random() * 60) }, () => Math.floor(random() * 256)),
    );
    nodeFiles.appendFileSync(join(directory, newest), garbage);
  }

  function randomlyFailing(random: Random, disk: { isWhole: boolean }): SpoolFiles {
    return brokenFiles({
      writeSync: ((file: number, bytes: Buffer, offset: number, length: number, position: number) => {
        if (disk.isWhole || random() > 0.1) return nodeFiles.writeSync(file, bytes, offset, length, position);
        if (random() < 0.5) return nodeFiles.writeSync(file, bytes, offset, Math.ceil(length / 3), position);
        throw noSpaceLeft();
      }) as SpoolFiles["writeSync"],
      ftruncateSync: (file, length) => {
        if (!disk.isWhole && random() < 0.05) throw new Error("EIO: i/o error, ftruncate");
        nodeFiles.ftruncateSync(file, length);
      },
    });
  }
});
