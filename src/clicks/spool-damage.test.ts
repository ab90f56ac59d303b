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
  testSpool,
  writeFrames,
} from "../../tests/support/spools.ts";
import { type CapturedClick, Shared } from "./click.ts";
import { clicksUpperBound, damagedBytesMax, damagedCopies, saveDamage } from "./spool-damage.ts";
import { encodeSegmentHeader, frameHeaderBytes, segmentFileName, segmentHeaderBytes } from "./spool-format.ts";
import { SpoolReader } from "./spool-reader.ts";
import { recover } from "./spool-recovery.ts";
import { allPartitionsAt, tally } from "./tally.ts";

let directory = "";
eachInSpoolFolder((folder) => {
  directory = folder;
});

/** Clicks of one link that share everything except their time, like most clicks of a segment. */
function clicksOfOneLink(count: number): CapturedClick[] {
  const shared = capturedClick(0);
  return Array.from({ length: count }, (_, number) => ({ ...shared, time: shared.time + number }));
}

/** A frame's start and end position, with its clicks. */
type Frame = { from: number; to: number; times: number[] };

/** Writes frames of one to five clicks of one link. */
async function writeLinkFrames(clicks: readonly CapturedClick[]): Promise<Frame[]> {
  const spool = testSpool(directory);
  const frames: Frame[] = [];
  for (let done = 0, turn = 0; done < clicks.length; turn++) {
    const part = clicks.slice(done, done + 1 + (turn % 5));
    const from = spool.end();
    await appendTick(spool, part);
    frames.push({ from, to: spool.end(), times: part.map(({ time }) => time) });
    done += part.length;
  }
  spool.close();
  return frames;
}

/** The bytes of a segment, with `length` of them from `offset` on replaced by random ones. */
function damaged(bytes: Buffer, offset: number, length: number, random: () => number): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = offset; at < Math.min(offset + length, copy.length); at++) {
    copy[at] = (copy[at] ?? 0) ^ (1 + Math.floor(random() * 255));
  }
  return copy;
}

/** The times of the clicks that the store's reader gets, and the number of clicks that the link counters get. */
async function countBoth(): Promise<{ stored: number[]; counted: number }> {
  const stored = readToEnd(directory, 0, 50).clicks.map(({ time }) => time);
  const { partitions } = await tally(directory, allPartitionsAt(0));
  const counted = partitions.flatMap(({ links }) => links).reduce((sum, { clicks }) => sum + clicks, 0);
  return { stored, counted };
}

/** More bytes than a frame with all shared values has. */
const valuesFrameBytesMax = 1_000;

describe("damaged bytes", () => {
  for (const [name, length] of Object.entries({ "eight bytes": 8, "one bit's byte": 1, "a few frames": 700 })) {
    test(`${name} anywhere in the last segment cost only the clicks of their frames`, async () => {
      const random = seededRandom(length);
      const frames = await writeLinkFrames(clicksOfOneLink(1_163));
      const segment = nodeFiles.readFileSync(join(directory, segmentFileName(0)));

      for (let round = 0; round < 60; round++) {
        // The first frames introduce the values that all others share.
        const offset = round < 20 ? round * 40 : Math.floor(random() * (segment.length - segmentHeaderBytes - length));
        const bytes = damaged(segment, segmentHeaderBytes + offset, length, random);
        nodeFiles.writeFileSync(join(directory, segmentFileName(0)), bytes);
        const intact = frames.filter(({ from, to }) => to <= offset || from >= offset + length);
        // A value that only damaged frames contain is written again before the segment has doubled after them.
        const certain = intact.filter(
          ({ to, from }) => to <= offset || from >= 2 * (offset + length) + valuesFrameBytesMax,
        );

        testSpool(directory).close();
        const { stored, counted } = await countBoth();

        expect({ offset, missing: missingOf(certain, stored), counted }).toEqual({
          offset,
          missing: [],
          counted: stored.length,
        });
        if (length <= 8) expect(stored).toEqual(intact.flatMap(({ times }) => times));
        // A folder without a cached reader.
        directory = join(directory, "next");
        nodeFiles.mkdirSync(directory);
      }
    });
  }

  function missingOf(frames: readonly Frame[], stored: readonly number[]): number[] {
    const found = new Set(stored);
    return frames.flatMap(({ times }) => times).filter((time) => !found.has(time));
  }

  test("at the end of the newest segment are skipped once it has a successor", async () => {
    const { ends, path } = await writeFrames(directory, 2, 2, 2);
    const bytes = nodeFiles.readFileSync(path);
    nodeFiles.writeFileSync(path, damaged(bytes, bytes.length - 60, 8, seededRandom(1)));
    // A running writer could still complete the frame.
    expect(readSpool(directory, ends[1] ?? 0, 10)).toMatchObject({ to: ends[1], gaps: [] });

    const spool = testSpool(directory);
    await append(spool, capturedClick(9));

    expect(spool.recovered.cutBytes).toBe(0);
    expect(readSpool(directory, ends[1] ?? 0, 10)).toMatchObject({
      to: spool.end(),
      gaps: [{ base: 0, from: ends[1], to: ends[2] }],
    });
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 2, 3, 9]);
    spool.close();
  });

  test("in any bit of the last frame's header are damage, not a torn write", async () => {
    const { ends, path } = await writeFrames(directory, 2, 2);
    const bytes = nodeFiles.readFileSync(path);
    const header = segmentHeaderBytes + (ends[0] ?? 0);

    const torn: number[] = [];
    for (let bit = 0; bit < frameHeaderBytes * 8; bit++) {
      const copy = Buffer.from(bytes);
      const offset = header + Math.floor(bit / 8);
      copy[offset] = (copy[offset] ?? 0) ^ (1 << (bit % 8));
      nodeFiles.writeFileSync(path, copy);
      const { cutBytes, isSealed } = recover(directory);
      if (cutBytes > 0 || !isSealed) torn.push(bit);
    }

    expect(torn).toEqual([]);
  });

  test("in a closed segment are found by a reader that begins after them", async () => {
    const spool = testSpool(directory, { segmentBytesMax: 1, files: brokenFiles({}) });
    const [firstEnd = 0] = await appendSegments(spool, 3);
    spool.close();
    const path = join(directory, segmentFileName(0));
    const bytes = nodeFiles.readFileSync(path);
    const frameEnd = readSpool(directory, 0, 1).to;
    nodeFiles.writeFileSync(path, damaged(bytes, segmentHeaderBytes + 30, 8, seededRandom(2)));

    expect(numbersOf(readToEnd(directory, frameEnd).clicks)).toEqual([1, 2, 3, 4, 5]);
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([1, 2, 3, 4, 5]);
    nodeFiles.writeFileSync(path, damaged(bytes, segmentHeaderBytes + frameEnd + 30, 8, seededRandom(2)));
    expect(readSpool(directory, frameEnd, 1)).toMatchObject({ gaps: [{ base: 0, from: frameEnd, to: firstEnd }] });
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 2, 3, 4, 5]);
  });

  test("that destroy a value make its later clicks unknown, and both readers skip them", async () => {
    const spool = testSpool(directory);
    const clicks = clicksOfOneLink(11);
    for (const click of clicks.slice(0, 4)) await append(spool, click);
    const end = spool.end();
    const language = new Shared("fr");
    const french = clicks.slice(4).map((click) => ({ ...click, language }));
    await appendTick(spool, french.slice(0, 5));
    for (const click of french.slice(5)) await append(spool, click);
    spool.close();
    const path = join(directory, segmentFileName(0));
    const bytes = nodeFiles.readFileSync(path);
    const reader = new SpoolReader(directory);
    const introducing = readSpool(directory, end, 1);
    const repeating = readSpool(directory, introducing.to, 1);

    // The frames that introduce and first repeat the language: the third click refers to a value of no whole frame.
    const length = repeating.to - introducing.from;
    nodeFiles.writeFileSync(path, damaged(bytes, segmentHeaderBytes + end, length, seededRandom(3)));

    const { clicks: found, gaps, unknownClicks } = reader.read(0, 100);
    expect({ found: found.length, gaps: gaps.length, unknownClicks }).toEqual({ found: 4, gaps: 1, unknownClicks: 1 });
    const { stored, counted } = await countBoth();
    expect({ stored: stored.length, counted }).toEqual({ stored: 4, counted: 4 });
  });

  test("are copied into a file named after segment and offset, while all copies together are small", async () => {
    const { ends, path } = await writeFrames(directory, 2, 3, 2);
    const [from = 0, to = 0] = ends;
    const bytes = nodeFiles.readFileSync(path);
    const gap = { base: 0, from, to };

    const first = saveDamage(directory, gap);
    const again = saveDamage(directory, gap);
    nodeFiles.truncateSync(first.savedAs ?? "", 1);
    const completed = saveDamage(directory, gap);

    const offset = segmentHeaderBytes + from;
    const savedAs = join(directory, `${segmentFileName(0)}-${offset}.damaged`);
    expect(first).toEqual({ fileName: segmentFileName(0), offset, bytes: to - from, clicksMax: 3, savedAs });
    expect([again, completed]).toEqual([first, first]);
    expect(nodeFiles.readFileSync(savedAs).equals(bytes.subarray(offset, segmentHeaderBytes + to))).toBe(true);
    expect(damagedCopies(directory)).toEqual({ names: [`${segmentFileName(0)}-${offset}.damaged`], bytes: to - from });

    nodeFiles.truncateSync(savedAs, damagedBytesMax);
    expect(saveDamage(directory, { base: 0, from: 0, to: from })).not.toHaveProperty("savedAs");
  });

  test("are estimated by their headers, and by their size where no header can be read", async () => {
    const { path } = await writeFrames(directory, 2, 3);
    const frames = nodeFiles.readFileSync(path).subarray(segmentHeaderBytes);

    expect([
      clicksUpperBound(frames),
      clicksUpperBound(Buffer.alloc(24 + 44 * 5)),
      clicksUpperBound(Buffer.alloc(3)),
    ]).toEqual([5, 5, 0]);
  });
});

describe("a damaged header", () => {
  test("of one segment among others is written again, and no click is lost", async () => {
    const spool = testSpool(directory, { segmentBytesMax: 1, files: brokenFiles({}) });
    await appendSegments(spool, 3);
    spool.close();
    for (const fileName of segmentsIn(directory)) {
      const path = join(directory, fileName);
      const intact = nodeFiles.readFileSync(path);
      nodeFiles.writeFileSync(path, damaged(intact, 0, segmentHeaderBytes, seededRandom(4)));

      const reopened = testSpool(directory);
      reopened.close();

      expect(reopened.recovered.repairs).toEqual([{ kind: "repaired", fileName }]);
      expect(nodeFiles.readFileSync(path).equals(intact)).toBe(true);
      expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1, 2, 3, 4, 5]);
    }
  });

  test("of the only segment sets it aside, and the service starts with an empty spool", async () => {
    const { path } = await writeFrames(directory, 2, 3);
    const segment = damaged(nodeFiles.readFileSync(path), 8, 8, seededRandom(5));
    nodeFiles.writeFileSync(path, segment);

    const spool = testSpool(directory);
    await append(spool, capturedClick(9));
    spool.close();

    const savedAs = `${path}-0.damaged`;
    expect(spool.recovered.repairs).toEqual([
      { kind: "setAside", fileName: segmentFileName(0), savedAs, clicksMax: 5 },
    ]);
    expect(nodeFiles.readFileSync(savedAs).equals(segment)).toBe(true);
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([9]);
  });
});

describe("a segment of another version", () => {
  /** Gives the segment a header with an unknown version. */
  function becomeForeign(): void {
    const path = join(directory, segmentFileName(0));
    const bytes = nodeFiles.readFileSync(path);
    const header = encodeSegmentHeader({ spoolId: bytes.toString("hex", 16, 32), base: 0, version: "9.9" });
    nodeFiles.writeFileSync(path, Buffer.concat([header, bytes.subarray(segmentHeaderBytes)]));
  }

  test("without clicks is accepted", async () => {
    const before = testSpool(directory);
    before.close();
    becomeForeign();

    const spool = testSpool(directory);
    await appendTick(spool, capturedClicks(0, 2));
    spool.close();

    expect(spool.id).toBe(before.id);
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1]);
  });

  test("that was read to its end is kept, and appending continues in a new one", async () => {
    const { ends } = await writeFrames(directory, 2);
    becomeForeign();

    const spool = testSpool(directory);
    await append(spool, capturedClick(9));
    spool.close();

    expect(spool.recovered.unreadableEnd).toEqual({
      position: ends[0] ?? 0,
      fileName: segmentFileName(0),
      version: "9.9",
    });
    expect(numbersOf(readToEnd(directory, ends[0]).clicks)).toEqual([9]);
    expect(() => readToEnd(directory)).toThrow("holds unread clicks of another version of Waypost (format 9.9;");
  });
});
