import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import * as nodeFiles from "node:fs";
import { join } from "node:path";
import { pick, type Random, seededRandom } from "../../tests/support/clicks.ts";
import {
  capturedClick,
  capturedClicks,
  numbersOf,
  readToEnd,
  spoolFolder,
  testSpool,
} from "../../tests/support/spools.ts";
import { type CapturedClick, clickHeaderMax, clickUrlMax } from "./click.ts";
import { type Appended, type Spool, type SpoolFiles, turnClicksMax } from "./spool.ts";
import { segmentFileName, segmentHeaderBytes } from "./spool-format.ts";
import { readSpool } from "./spool-reader.ts";
import { measure } from "./spool-recovery.ts";

const folders: { remove(): void }[] = [];
let directory = "";
beforeEach(() => {
  const folder = spoolFolder();
  folders.push(folder);
  directory = folder.directory;
});
afterAll(() => {
  for (const folder of folders) folder.remove();
});

/** Appends the clicks in one turn, which makes one frame of them. */
async function appendTurn(spool: Spool, clicks: readonly CapturedClick[]): Promise<Appended[]> {
  return await Promise.all(clicks.map((click) => spool.append(click)));
}

/** A closed spool of one frame for each of these numbers of clicks, and where each frame ends. */
async function writeFrames(...counts: number[]): Promise<{ ends: number[]; path: string }> {
  const spool = testSpool(directory);
  const ends: number[] = [];
  let number = 0;
  for (const count of counts) {
    await appendTurn(spool, capturedClicks(number, number + count));
    number += count;
    ends.push(spool.end());
  }
  spool.close();
  return { ends, path: join(directory, segmentFileName(0)) };
}

/**
 * Fills segments of a spool whose segmentBytesMax is 1 with two clicks in a frame each, and returns where each ends:
 * the second append is the one that finds the segment full and syncs it.
 */
async function appendSegments(spool: Spool, count: number): Promise<number[]> {
  const ends: number[] = [];
  for (let number = 0; number < count * 2; number++) {
    await spool.append(capturedClick(number));
    if (number % 2 === 1) ends.push(spool.end());
  }
  return ends;
}

function segments(): string[] {
  return nodeFiles.readdirSync(directory).sort();
}

/** The disk, broken where `broken` says so. Its syncs are done when they return. */
function brokenFiles(broken: Partial<SpoolFiles>): SpoolFiles {
  const synced = (file: number, done: (error: null) => void) => {
    nodeFiles.fdatasyncSync(file);
    done(null);
  };
  // The overloads of fdatasync are not wanted, but a type cannot leave them out.
  return { ...nodeFiles, fdatasync: synced as SpoolFiles["fdatasync"], ...broken };
}

function noSpaceLeft(): Error {
  return Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
}

describe("appending and reading", () => {
  test("clicks come back as they were appended, in order", async () => {
    const clicks = capturedClicks(0, 50);
    const spool = testSpool(directory);

    for (const click of clicks) expect(await spool.append(click)).toBe("stored");

    expect(readToEnd(directory).clicks).toEqual(clicks);
    spool.close();
  });

  test("a click can be read as soon as its append resolves, without a sync or close", async () => {
    const spool = testSpool(directory);

    for (let number = 0; number < 20; number++) {
      const before = spool.end();
      await spool.append(capturedClick(number));
      expect(readSpool(directory, before, 10)).toMatchObject({ from: before, to: spool.end(), missedBytes: 0 });
    }

    spool.close();
  });

  test("the clicks of one turn are written with one write", async () => {
    const writes: number[] = [];
    const files = brokenFiles({
      writeSync: ((file: number, bytes: Buffer, ...rest: number[]) => {
        writes.push(bytes.length);
        return nodeFiles.writeSync(file, bytes, ...rest);
      }) as SpoolFiles["writeSync"],
    });
    const spool = testSpool(directory, { files });
    writes.length = 0;

    await appendTurn(spool, capturedClicks(0, 100));

    expect(writes).toBeArrayOfSize(1);
    spool.close();
  });

  test("a turn of more clicks than a frame may hold is written in several frames", async () => {
    const spool = testSpool(directory);

    const appended = await appendTurn(spool, capturedClicks(0, turnClicksMax * 2 + 1));

    expect(new Set(appended)).toEqual(new Set(["stored"]));
    expect(readSpool(directory, 0, 1).clicks).toBeArrayOfSize(turnClicksMax);
    expect(numbersOf(readToEnd(directory).clicks)).toEqual(Array.from(appended, (_, number) => number));
    spool.close();
  });

  test("the largest frame there can be is read again", async () => {
    const worst = "\0";
    const click = capturedClick(0, {
      url: worst.repeat(clickUrlMax),
      referer: worst.repeat(clickHeaderMax),
      agent: worst.repeat(clickHeaderMax),
      key: worst.repeat(200),
      domain: worst.repeat(253),
      city: worst.repeat(200),
    });
    const spool = testSpool(directory);

    await appendTurn(
      spool,
      Array.from({ length: turnClicksMax }, () => click),
    );

    const { clicks, to } = readSpool(directory, 0, 1);
    expect({ clicks: clicks.length, to }).toEqual({ clicks: turnClicksMax, to: spool.end() });
    spool.close();
  });

  const texts: [string, string][] = [
    ["a lone high surrogate", "\ud83d!"],
    ["a lone low surrogate", "!\ude00"],
    ["NUL", "a\0b"],
    ["an emoji of several parts", "👩‍👩‍👧 🏳️‍🌈"],
    ["control characters", "\u0001\u001f\u007f\u0085\u2028\u2029"],
    ["quotes and backslashes", `"\\'\n\r\t`],
    ["a byte order mark", "\ufeff"],
  ];
  for (const [name, text] of texts) {
    test(`${name} in any field comes back unchanged`, async () => {
      const click = capturedClick(1, { referer: text, agent: text, url: text, key: text });
      const spool = testSpool(directory);

      await spool.append(click);

      expect(readToEnd(directory).clicks).toEqual([click]);
      spool.close();
    });
  }

  test("a reader gets no part of a frame, and no more frames than it takes to reach its bound", async () => {
    const { ends } = await writeFrames(3, 3, 3);

    expect(readSpool(directory, 0, 1)).toMatchObject({ to: ends[0] });
    expect(readSpool(directory, 0, 3)).toMatchObject({ to: ends[0] });
    expect(readSpool(directory, 0, 4)).toMatchObject({ to: ends[1] });
    expect(readSpool(directory, ends[0] ?? 0, 100)).toMatchObject({ to: ends[2] });
    expect(readSpool(directory, ends[2] ?? 0, 100)).toMatchObject({ to: ends[2], clicks: [] });
  });

  test("a reader of a folder that is not there yet gets nothing", () => {
    expect(readSpool(join(directory, "absent"), 7, 10)).toEqual({ from: 7, to: 7, clicks: [], missedBytes: 0 });
  });
});

describe("segments", () => {
  test("clicks come back in order across many segments", async () => {
    const spool = testSpool(directory, { segmentBytesMax: 1_000, files: brokenFiles({}) });

    for (let number = 0; number < 50; number++) await spool.append(capturedClick(number));

    expect(segments().length).toBeGreaterThan(10);
    expect(numbersOf(readToEnd(directory, 0, 3).clicks)).toEqual(Array.from({ length: 50 }, (_, number) => number));
    spool.close();
  });

  test("segments are left with the real disk's syncs too", async () => {
    const spool = testSpool(directory, { segmentBytesMax: 1_000 });

    let appended = 0;
    while (segments().length < 4 && appended < 100_000) await spool.append(capturedClick(appended++));

    expect(numbersOf(readToEnd(directory).clicks)).toEqual(Array.from({ length: appended }, (_, number) => number));
    expect(segments().length).toBe(4);
    spool.close();
  });

  test("a segment gets a successor only when all of it is synced", async () => {
    const dirty = new Set<number>();
    const violations: string[] = [];
    const files = brokenFiles({
      openSync: ((path: string, flags: string) => {
        if (flags === "w+" && dirty.size > 0) violations.push(path);
        return nodeFiles.openSync(path, flags);
      }) as SpoolFiles["openSync"],
      writeSync: ((file: number, ...rest: [Buffer, number, number, number]) => {
        // The header is synced with the frames that follow it.
        if (rest[3] >= segmentHeaderBytes) dirty.add(file);
        return nodeFiles.writeSync(file, ...rest);
      }) as SpoolFiles["writeSync"],
      fdatasyncSync: (file) => {
        dirty.delete(file);
        nodeFiles.fdatasyncSync(file);
      },
    });
    const spool = testSpool(directory, { segmentBytesMax: 1_000, files });

    for (let number = 0; number < 30; number++) await spool.append(capturedClick(number));

    expect(segments().length).toBeGreaterThan(5);
    expect(violations).toEqual([]);
    spool.close();
  });

  test("release deletes the segments that end at or before the position, and never the newest", async () => {
    const spool = testSpool(directory, { segmentBytesMax: 1, files: brokenFiles({}) });
    const ends = await appendSegments(spool, 6);
    const bases = [0, ...ends.slice(0, -1)];
    const left = (from: number) => bases.slice(from).map(segmentFileName);
    const [first = 0, second = 0, third = 0] = ends;

    expect([first - 1, first].map((position) => spool.canRelease(position))).toEqual([false, true]);
    spool.release(first - 1);
    expect(segments()).toEqual(left(0));
    spool.release(first);
    expect(segments()).toEqual(left(1));
    spool.release(third - 1);
    expect(segments()).toEqual(left(2));
    expect(spool.bytes()).toBe(spool.end() - second);
    spool.release(0);
    expect(segments()).toEqual(left(2));
    spool.release(spool.end());
    expect(segments()).toEqual(left(5));
    spool.close();
  });

  test("a new reader begins at the first clicks there are and has missed none; one set back is told what it missed", async () => {
    const spool = testSpool(directory, { segmentBytesMax: 1, files: brokenFiles({}) });
    const [, base = 0] = await appendSegments(spool, 3);
    spool.release(spool.end());

    expect(readSpool(directory, 0, 10)).toMatchObject({ missedBytes: 0, to: spool.end() });
    expect(readSpool(directory, 5, 10)).toMatchObject({ from: 5, to: spool.end(), missedBytes: base - 5 });
    expect(numbersOf(readSpool(directory, 5, 10).clicks)).toEqual([4, 5]);
    expect(readSpool(directory, base, 10)).toMatchObject({ missedBytes: 0 });
    spool.close();
  });

  test("a small spool is made of smaller segments, so that what was read makes room", async () => {
    const spool = testSpool(directory, { spoolBytesMax: 8_000, files: brokenFiles({}) });

    const appended: Appended[] = [];
    for (let number = 0; number < 200; number++) {
      appended.push(await spool.append(capturedClick(number)));
      spool.release(spool.end());
    }

    expect(new Set(appended)).toEqual(new Set(["stored"]));
    spool.close();
  });
});

describe("opening again", () => {
  test("goes on behind the last click, under the same identifier", async () => {
    const first = testSpool(directory);
    await appendTurn(first, capturedClicks(0, 5));
    first.close();

    const second = testSpool(directory);
    expect({ id: second.id, end: second.end() }).toEqual({ id: first.id, end: first.end() });
    await appendTurn(second, capturedClicks(5, 9));

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    second.close();
  });

  test("an empty spool keeps its identifier", () => {
    const first = testSpool(directory);
    first.close();
    const second = testSpool(directory);

    expect(second.id).toBe(first.id);
    second.close();
  });

  test("a last frame torn at any byte costs only that frame", async () => {
    const { ends, path } = await writeFrames(2, 2);
    const whole = nodeFiles.readFileSync(path);
    const [firstEnd = 0] = ends;

    for (let size = segmentHeaderBytes + firstEnd; size < whole.length; size++) {
      nodeFiles.writeFileSync(path, whole.subarray(0, size));
      expect(readSpool(directory, firstEnd, 10)).toMatchObject({ clicks: [], to: firstEnd });

      const spool = testSpool(directory);
      const end = spool.end();
      await spool.append(capturedClick(9));
      spool.close();

      const found = { size, end, numbers: numbersOf(readToEnd(directory).clicks) };
      expect(found).toEqual({ size, end: firstEnd, numbers: [0, 1, 9] });
    }
  });

  test("garbage behind the last frame is cut", async () => {
    const { ends, path } = await writeFrames(2);
    const random = seededRandom(1);

    for (const length of [1, 11, 12, 13, 500, 70_000]) {
      nodeFiles.truncateSync(path, segmentHeaderBytes + (ends[0] ?? 0));
      nodeFiles.appendFileSync(path, Buffer.from(Array.from({ length }, () => Math.floor(random() * 256))));

      const spool = testSpool(directory);
      await spool.append(capturedClick(9));
      spool.close();

      expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 9]);
    }
  });

  test("zeros behind the last frame, as power loss leaves them, are cut", async () => {
    const { path } = await writeFrames(2);
    nodeFiles.appendFileSync(path, Buffer.alloc(10_000));

    const spool = testSpool(directory);
    await spool.append(capturedClick(9));

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 9]);
    spool.close();
  });

  test("a segment that was only being made is made again", async () => {
    const { ends } = await writeFrames(2);
    const [end = 0] = ends;

    for (let size = 0; size < segmentHeaderBytes; size++) {
      nodeFiles.writeFileSync(join(directory, segmentFileName(end)), Buffer.alloc(size));
      const { id } = testSpool(directory);
      const spool = testSpool(directory);

      expect({ size, id: spool.id, end: spool.end(), segments: segments() }).toEqual({
        size,
        id,
        end,
        segments: [segmentFileName(0)],
      });
      spool.close();
    }
  });

  test("a spool that is only a segment being made begins anew", async () => {
    nodeFiles.mkdirSync(directory, { recursive: true });
    nodeFiles.writeFileSync(join(directory, segmentFileName(0)), Buffer.alloc(10));

    const spool = testSpool(directory);
    await spool.append(capturedClick(1));

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([1]);
    spool.close();
  });

  test("appending goes on ahead of the furthest reader, which then misses nothing and reads nothing twice", async () => {
    const { ends } = await writeFrames(2, 2);
    const furthestCursor = (ends[1] ?? 0) + 1_000;

    const spool = testSpool(directory, { furthestCursor });
    expect(spool.end()).toBe(furthestCursor);
    await spool.append(capturedClick(9));

    expect(numbersOf(readToEnd(directory, furthestCursor).clicks)).toEqual([9]);
    expect(numbersOf(readToEnd(directory, furthestCursor - 500).clicks)).toEqual([9]);
    expect(numbersOf(readToEnd(directory, ends[0]).clicks)).toEqual([2, 3, 9]);
    expect(readSpool(directory, ends[1] ?? 0, 10).missedBytes).toBe(0);
    spool.close();
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 2, 3, 9]);
  });

  test("a furthest reader behind the end changes nothing", async () => {
    const { ends } = await writeFrames(2, 2);

    const spool = testSpool(directory, { furthestCursor: ends[0] ?? 0 });

    expect({ end: spool.end(), segments: segments() }).toEqual({ end: ends[1] ?? 0, segments: [segmentFileName(0)] });
    spool.close();
  });
});

describe("damage", () => {
  /** Two closed segments of two frames each, and the newest; resolves with the path of the first. */
  async function writeSegments(): Promise<string> {
    const spool = testSpool(directory, { segmentBytesMax: 1, files: brokenFiles({}) });
    await appendSegments(spool, 3);
    spool.close();
    return join(directory, segmentFileName(0));
  }

  test("a bit flipped anywhere in a closed segment stops the reader before it and says how to go on", async () => {
    const path = await writeSegments();
    const whole = nodeFiles.readFileSync(path);
    const secondFrame = segmentHeaderBytes + readSpool(directory, 0, 1).to;

    for (let byte = segmentHeaderBytes; byte < whole.length; byte++) {
      nodeFiles.writeFileSync(path, withFlippedBit(whole, byte, byte % 8));
      const offset = byte < secondFrame ? segmentHeaderBytes : secondFrame;
      const hint = `cut it there (truncate -s ${offset} ${segmentFileName(0)}) and start again.`;
      expect(() => readToEnd(directory, 0, 1), `byte ${byte}`).toThrow(hint);
    }
    // What the hint says gets it going again, and costs the damaged frame alone.
    nodeFiles.truncateSync(path, secondFrame);
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 2, 3, 4, 5]);
  });

  test("a bit flipped anywhere in a header refuses the start with what to do", async () => {
    const path = await writeSegments();
    const whole = nodeFiles.readFileSync(path);

    for (let byte = 0; byte < segmentHeaderBytes; byte++) {
      nodeFiles.writeFileSync(path, withFlippedBit(whole, byte, byte % 8));
      expect(() => testSpool(directory), `byte ${byte}`).toThrow(
        /^0000000000000000\.spool (is no spool segment|has a damaged header|was written by another version).*(start again|empties the spool)\.$/,
      );
    }
  });

  test("a segment of another name than its header's is refused with its right name", async () => {
    const path = await writeSegments();
    nodeFiles.renameSync(path, join(directory, segmentFileName(1)));

    expect(() => testSpool(directory)).toThrow(`rename it ${segmentFileName(0)}`);
  });

  test("a segment of another spool is refused", async () => {
    await writeFrames(2);
    const { directory: other, remove } = spoolFolder();
    const foreign = testSpool(other, { furthestCursor: 5_000 });
    foreign.close();
    nodeFiles.copyFileSync(join(other, segmentFileName(5_000)), join(directory, segmentFileName(5_000)));
    remove();

    expect(() => testSpool(directory)).toThrow("belongs to another spool");
  });

  test("files of other names are left alone", async () => {
    await writeFrames(2);
    nodeFiles.writeFileSync(join(directory, "notes.txt"), "mine");

    const spool = testSpool(directory);
    spool.release(spool.end());

    expect(segments()).toEqual([segmentFileName(0), "notes.txt"]);
    spool.close();
  });

  function withFlippedBit(bytes: Buffer, byte: number, bit: number): Buffer {
    const flipped = Buffer.from(bytes);
    flipped[byte] = (flipped[byte] ?? 0) ^ (1 << bit);
    return flipped;
  }
});

describe("a disk that refuses", () => {
  type Disk = { bytesLeft: number; canCut: boolean; shortWrites: boolean };

  /** A disk with so many bytes left for writes, which fills up amid a write as real ones do. */
  function failingDisk(disk: Disk): SpoolFiles {
    return brokenFiles({
      writeSync: ((file: number, bytes: Buffer, offset: number, length: number, position: number) => {
        if (disk.bytesLeft === 0) throw noSpaceLeft();
        const most = disk.shortWrites ? Math.ceil(length / 2) : length;
        const written = Math.min(most, disk.bytesLeft);
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

    expect(await appendTurn(spool, capturedClicks(0, 3))).toEqual(["stored", "stored", "stored"]);

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 2]);
    spool.close();
  });

  test("a disk that takes no bytes and says no error does not hold up the visitor", async () => {
    let isStuck = false;
    const spool = testSpool(directory, {
      files: brokenFiles({
        writeSync: ((file: number, bytes: Buffer, ...rest: number[]) =>
          isStuck ? 0 : nodeFiles.writeSync(file, bytes, ...rest)) as SpoolFiles["writeSync"],
      }),
    });
    isStuck = true;

    expect(await spool.append(capturedClick(1))).toBe("dropped");
    isStuck = false;
    expect(await spool.append(capturedClick(2))).toBe("stored");
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([2]);
    spool.close();
  });

  test("a disk that is full after any byte of a frame shows no reader a torn frame, and counts the dropped clicks", async () => {
    const disk: Disk = { bytesLeft: 10_000, canCut: true, shortWrites: false };
    const spool = testSpool(directory, { files: failingDisk(disk) });
    await spool.append(capturedClick(0));
    const end = spool.end();

    let tried = 0;
    for (let bytes = 0; bytes < end; bytes += 7) {
      disk.bytesLeft = bytes;
      tried += 2;
      expect(await appendTurn(spool, [capturedClick(1), capturedClick(2)])).toEqual(["dropped", "dropped"]);
      expect(readSpool(directory, 0, 10)).toMatchObject({ to: end });
      expect(spool.end()).toBe(end);
    }

    expect(spool.dropped()).toEqual({ clicks: tried, reason: noSpaceLeft().message });
    disk.bytesLeft = 10_000;
    expect(await spool.append(capturedClick(3))).toBe("stored");
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 3]);
    spool.close();
  });

  test("nothing is written behind a torn frame that cannot be cut", async () => {
    const disk: Disk = { bytesLeft: 10_000, canCut: false, shortWrites: false };
    const spool = testSpool(directory, { files: failingDisk(disk) });
    await spool.append(capturedClick(0));

    disk.bytesLeft = 100;
    expect(await spool.append(capturedClick(1))).toBe("dropped");
    disk.bytesLeft = 10_000;
    expect(await spool.append(capturedClick(2))).toBe("dropped");
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0]);

    disk.canCut = true;
    expect(await spool.append(capturedClick(3))).toBe("stored");
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 3]);
    spool.close();
  });

  test("a spool closed with a torn frame that cannot be cut is cut by opening it again", async () => {
    const disk: Disk = { bytesLeft: 10_000, canCut: false, shortWrites: false };
    const spool = testSpool(directory, { files: failingDisk(disk) });
    await spool.append(capturedClick(0));
    disk.bytesLeft = 100;
    await spool.append(capturedClick(1));
    spool.close();

    const again = testSpool(directory);
    await again.append(capturedClick(2));

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 2]);
    again.close();
  });

  test("a segment that cannot be made is made later, and nothing is left of the failed one", async () => {
    const disk: Disk = { bytesLeft: 10_000, canCut: true, shortWrites: false };
    const spool = testSpool(directory, { segmentBytesMax: 1, files: failingDisk(disk) });
    await spool.append(capturedClick(0));
    // The first append after the bound only syncs; the one after it makes the segment.
    await spool.append(capturedClick(1));

    for (const bytesLeft of [0, 10, segmentHeaderBytes, segmentHeaderBytes + 50]) {
      disk.bytesLeft = bytesLeft;
      expect(await spool.append(capturedClick(2))).toBe("dropped");
      expect(numbersOf(readToEnd(directory).clicks)).not.toContain(2);
    }
    disk.bytesLeft = 10_000;
    expect(await spool.append(capturedClick(3))).toBe("stored");

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 3]);
    spool.close();
    const again = testSpool(directory);
    expect(again.end()).toBe(spool.end());
    again.close();
  });

  test("a full disk gets back what all readers have passed, the newest segment included", async () => {
    const { files, fill } = smallDisk(2_000);
    const spool = testSpool(directory, { files });
    const stored = await fill(spool);
    expect(await spool.append(capturedClick(99))).toBe("dropped");
    const { clicks, to } = readToEnd(directory);
    expect(clicks.length).toBe(stored);

    expect(spool.canRelease(to)).toBe(true);
    spool.release(to - 1);
    expect(await spool.append(capturedClick(100))).toBe("dropped");
    spool.release(to);
    expect(await spool.append(capturedClick(101))).toBe("stored");

    expect(numbersOf(readToEnd(directory, to).clicks)).toEqual([101]);
    const { id } = spool;
    spool.close();
    const again = testSpool(directory);
    expect({ id: again.id, end: again.end() }).toEqual({ id, end: spool.end() });
    again.close();
  });

  /** A disk of so many bytes in all, where deleting files makes room. */
  function smallDisk(bytesMax: number) {
    const used = () => segments().reduce((sum, name) => sum + nodeFiles.statSync(join(directory, name)).size, 0);
    const files = brokenFiles({
      writeSync: ((file: number, bytes: Buffer, offset: number, length: number, position: number) => {
        if (used() + length > bytesMax) throw noSpaceLeft();
        return nodeFiles.writeSync(file, bytes, offset, length, position);
      }) as SpoolFiles["writeSync"],
    });
    const fill = async (spool: Spool) => {
      let stored = 0;
      while ((await spool.append(capturedClick(stored))) === "stored") stored++;
      return stored;
    };
    return { files, fill };
  }

  test("a spool at its bound drops and counts, and takes clicks again when a reader has made room", async () => {
    const spool = testSpool(directory, { spoolBytesMax: 4_000, files: brokenFiles({}) });

    let stored = 0;
    while ((await spool.append(capturedClick(stored))) === "stored") stored++;
    await appendTurn(spool, capturedClicks(900, 905));
    expect(spool.dropped()).toEqual({ clicks: 6, reason: "the spool is full" });
    spool.release(spool.end());

    expect(await spool.append(capturedClick(stored))).toBe("stored");
    expect(spool.dropped().clicks).toBe(6);
    spool.close();
  });
});

describe("closing", () => {
  test("writes what is pending, and drops and counts what comes later", async () => {
    const spool = testSpool(directory);
    const pending = spool.append(capturedClick(1));

    spool.close();

    expect(await pending).toBe("stored");
    expect(await spool.append(capturedClick(2))).toBe("dropped");
    expect(spool.dropped()).toEqual({ clicks: 1, reason: "the spool is closed" });
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([1]);
  });
});

test("measure counts the whole frames and their clicks", async () => {
  const { ends, path } = await writeFrames(2, 3);
  const framesEnd = segmentHeaderBytes + (ends[1] ?? 0);
  nodeFiles.appendFileSync(path, "torn");

  expect(measure(path)).toEqual({ framesEnd, size: framesEnd + 4, clicks: 5 });
});

test("the interval syncs what was written, and nothing when nothing was", async () => {
  const synced = Promise.withResolvers<void>();
  let syncs = 0;
  const files = brokenFiles({
    fdatasync: ((_file: number, done: (error: null) => void) => {
      syncs++;
      done(null);
      synced.resolve();
    }) as SpoolFiles["fdatasync"],
  });
  const spool = testSpool(directory, { syncIntervalMs: 1, files });

  await spool.append(capturedClick(1));
  await synced.promise;
  await Bun.sleep(10);

  expect(syncs).toBe(1);
  spool.close();
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

  /** Appends, turns, crashes, disk failures and reads in random order, then reads what is left. */
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
          const appended = await appendTurn(spool, clicks);
          stored.push(...numbersOf(clicks.filter((_, index) => appended[index] === "stored")));
          break;
        }
        case "readFirst":
        case "readSecond":
          read(readers[action === "readFirst" ? 0 : 1], 1 + Math.floor(random() * 9));
          break;
        case "release":
          spool.release(Math.min(...readers.map(({ position }) => position)));
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

  /** What a crash amid a write leaves behind: the beginning of a frame nobody was answered for. */
  function tearNewest(random: Random): void {
    const newest = segments().at(-1) ?? "";
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

describe("a segment that does not fill", () => {
  const ageMs = 1_000;

  function agingSpool(start = 0) {
    const clock = { now: start };
    return { clock, spool: testSpool(directory, { segmentAgeMaxMs: ageMs, now: () => clock.now }) };
  }

  test("is deleted once it is old and read, and the spool goes on with its id and position", async () => {
    const { clock, spool } = agingSpool();
    await spool.append(capturedClick(0));
    const end = spool.end();
    clock.now += ageMs;

    expect(spool.canRelease(end)).toBe(true);
    spool.release(end);

    expect(segments()).toEqual([segmentFileName(end)]);
    expect({ end: spool.end(), bytes: spool.bytes(), again: spool.canRelease(end) }).toEqual({
      end,
      bytes: 0,
      again: false,
    });
    await spool.append(capturedClick(1));
    expect(numbersOf(readToEnd(directory, end).clicks)).toEqual([1]);
    spool.close();
    const reopened = testSpool(directory);
    expect({ id: reopened.id, end: reopened.end() }).toEqual({ id: spool.id, end: spool.end() });
    reopened.close();
  });

  test("stays while it is young, and while a reader has not passed its end", async () => {
    const { clock, spool } = agingSpool();
    await spool.append(capturedClick(0));
    const read = spool.end();
    clock.now += ageMs - 1;

    expect(spool.canRelease(read)).toBe(false);
    await spool.append(capturedClick(1));
    clock.now += 1;
    expect(spool.canRelease(read)).toBe(false);
    spool.release(read);

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1]);
    spool.close();
  });

  test("gets a successor when it is old though readers lag, and is deleted when they have passed it", async () => {
    const { clock, spool } = agingSpool();
    await spool.append(capturedClick(0));
    clock.now += ageMs;

    // The first append finds it old and has it synced; one that follows leaves it.
    while (segments().length === 1) await spool.append(capturedClick(1));
    const base = spool.end() - 1;
    spool.release(base);

    expect(segments()).toBeArrayOfSize(1);
    spool.close();
  });

  test("is as old as its last click when the spool is opened again", async () => {
    const before = testSpool(directory);
    await before.append(capturedClick(0));
    before.close();

    const { clock, spool } = agingSpool(Date.now());
    expect(spool.canRelease(spool.end())).toBe(false);
    clock.now += ageMs;

    expect(spool.canRelease(spool.end())).toBe(true);
    spool.close();
  });
});

describe("a newest segment that power loss left without its header", () => {
  test("is removed, and the spool says how many bytes it cut", async () => {
    const { ends } = await writeFrames(1, 1);
    const end = ends.at(-1) ?? 0;
    nodeFiles.writeFileSync(join(directory, segmentFileName(end)), Buffer.alloc(4_096));

    const spool = testSpool(directory);

    expect({ end: spool.end(), cutBytes: spool.cutBytes }).toEqual({ end, cutBytes: 4_096 });
    expect(segments()).toEqual([segmentFileName(0)]);
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1]);
    spool.close();
  });
});
