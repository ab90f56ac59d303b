import { describe, expect, test } from "bun:test";
import * as nodeFiles from "node:fs";
import { join } from "node:path";
import { eventually } from "../../tests/support/server.ts";
import {
  type Appended,
  append,
  appendSegments,
  appendTick,
  brokenFiles,
  captured,
  capturedClick,
  capturedClicks,
  eachInSpoolFolder,
  numbersOf,
  plainClick,
  readSpool,
  readToEnd,
  segmentsIn,
  testSpool,
  withoutIds,
  writeFrames,
} from "../../tests/support/spools.ts";
import { clickHeaderMax, clickUrlMax } from "./click.ts";
import { type SpoolFiles, tickClicksMax } from "./spool.ts";
import { segmentFileName, segmentHeaderBytes } from "./spool-format.ts";

let directory = "";
eachInSpoolFolder((folder) => {
  directory = folder;
});

describe("appending and reading", () => {
  test("clicks are read as they were appended, in order", async () => {
    const clicks = Array.from({ length: 50 }, (_, number) => plainClick(number));
    const spool = testSpool(directory);

    for (const click of clicks) expect(await append(spool, captured(click))).toBe("stored");

    expect(withoutIds(readToEnd(directory).clicks)).toEqual(clicks);
    spool.close();
  });

  test("a click can be read at the end of its tick, before a sync or close", async () => {
    const spool = testSpool(directory);

    for (let number = 0; number < 20; number++) {
      const before = spool.end();
      await append(spool, capturedClick(number));
      expect(readSpool(directory, before, 10)).toMatchObject({ from: before, to: spool.end(), missedBytes: 0 });
    }

    spool.close();
  });

  test("the clicks of one tick are written with one write", async () => {
    const writes: number[] = [];
    const files = brokenFiles({
      writeSync: ((file: number, bytes: Buffer, ...rest: number[]) => {
        writes.push(bytes.length);
        return nodeFiles.writeSync(file, bytes, ...rest);
      }) as SpoolFiles["writeSync"],
    });
    const spool = testSpool(directory, { files });
    writes.length = 0;

    await appendTick(spool, capturedClicks(0, 100));

    expect(writes).toBeArrayOfSize(1);
    spool.close();
  });

  test("a tick of more clicks than a frame may hold is written in several frames", async () => {
    const spool = testSpool(directory);

    const appended = await appendTick(spool, capturedClicks(0, tickClicksMax * 2 + 1));

    expect(new Set(appended)).toEqual(new Set(["stored"]));
    expect(readSpool(directory, 0, 1).clicks).toBeArrayOfSize(tickClicksMax);
    expect(numbersOf(readToEnd(directory).clicks)).toEqual(Array.from(appended, (_, number) => number));
    spool.close();
  });

  test("the largest possible frame can be read", async () => {
    const worst = "\0";
    const click = plainClick(0, {
      url: worst.repeat(clickUrlMax),
      referer: worst.repeat(clickHeaderMax),
      agent: worst.repeat(clickHeaderMax),
      key: worst.repeat(200),
      domain: worst.repeat(253),
      city: worst.repeat(200),
    });
    const spool = testSpool(directory);

    await appendTick(
      spool,
      Array.from({ length: tickClicksMax }, () => captured(click)),
    );

    const { clicks, to } = readSpool(directory, 0, 1);
    expect({ clicks: clicks.length, to }).toEqual({ clicks: tickClicksMax, to: spool.end() });
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
    test(`${name} in any field is read unchanged`, async () => {
      const click = plainClick(1, { referer: text, agent: text, url: text, key: text });
      const spool = testSpool(directory);

      await append(spool, captured(click));

      expect(withoutIds(readToEnd(directory).clicks)).toEqual([click]);
      spool.close();
    });
  }

  test("a reader gets whole frames, and stops at the frame that reaches its limit", async () => {
    const { ends } = await writeFrames(directory, 3, 3, 3);

    expect(readSpool(directory, 0, 1)).toMatchObject({ to: ends[0] });
    expect(readSpool(directory, 0, 3)).toMatchObject({ to: ends[0] });
    expect(readSpool(directory, 0, 4)).toMatchObject({ to: ends[1] });
    expect(readSpool(directory, ends[0] ?? 0, 100)).toMatchObject({ to: ends[2] });
    expect(readSpool(directory, ends[2] ?? 0, 100)).toMatchObject({ to: ends[2], clicks: [] });
  });

  test("a reader of a missing folder gets nothing", () => {
    expect(readSpool(join(directory, "absent"), 7, 10)).toMatchObject({
      from: 7,
      to: 7,
      clicks: [],
      missedBytes: 0,
      gaps: [],
    });
  });
});

describe("segments", () => {
  test("clicks are read in order across many segments", async () => {
    const spool = testSpool(directory, { segmentBytesMax: 1_000, files: brokenFiles({}) });

    for (let number = 0; number < 50; number++) await append(spool, capturedClick(number));

    expect(segmentsIn(directory).length).toBeGreaterThan(10);
    expect(numbersOf(readToEnd(directory, 0, 3).clicks)).toEqual(Array.from({ length: 50 }, (_, number) => number));
    spool.close();
  });

  test("segments are replaced with the real disk's syncs too", async () => {
    const spool = testSpool(directory, { segmentBytesMax: 1_000 });

    // A segment is replaced after its sync, however long the disk takes for that.
    let appended = 0;
    const appendFew = async () => {
      for (let few = 0; few < 5; few++) await append(spool, capturedClick(appended++));
      return segmentsIn(directory).length;
    };
    await eventually(appendFew, (segments) => segments >= 4);

    expect(numbersOf(readToEnd(directory).clicks)).toEqual(Array.from({ length: appended }, (_, number) => number));
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
        // The header is synced with the frames after it.
        if (rest[3] >= segmentHeaderBytes) dirty.add(file);
        return nodeFiles.writeSync(file, ...rest);
      }) as SpoolFiles["writeSync"],
      fdatasyncSync: (file) => {
        dirty.delete(file);
        nodeFiles.fdatasyncSync(file);
      },
    });
    const spool = testSpool(directory, { segmentBytesMax: 1_000, files });

    for (let number = 0; number < 30; number++) await append(spool, capturedClick(number));

    expect(segmentsIn(directory).length).toBeGreaterThan(5);
    expect(violations).toEqual([]);
    spool.close();
  });

  test("truncate deletes the segments that end at or before the position, and never the newest", async () => {
    const spool = testSpool(directory, { segmentBytesMax: 1, files: brokenFiles({}) });
    const ends = await appendSegments(spool, 6);
    const bases = [0, ...ends.slice(0, -1)];
    const segmentsFrom = (from: number) => bases.slice(from).map(segmentFileName);
    const [first = 0, second = 0, third = 0] = ends;

    expect([first - 1, first].map((position) => spool.canTruncate(position))).toEqual([false, true]);
    spool.truncate(first - 1);
    expect(segmentsIn(directory)).toEqual(segmentsFrom(0));
    spool.truncate(first);
    expect(segmentsIn(directory)).toEqual(segmentsFrom(1));
    spool.truncate(third - 1);
    expect(segmentsIn(directory)).toEqual(segmentsFrom(2));
    expect(spool.bytes()).toBe(spool.end() - second);
    spool.truncate(0);
    expect(segmentsIn(directory)).toEqual(segmentsFrom(2));
    spool.truncate(spool.end());
    expect(segmentsIn(directory)).toEqual(segmentsFrom(5));
    spool.close();
  });

  test("a reader that was set back begins at the first existing clicks, and learns how many bytes it missed", async () => {
    const spool = testSpool(directory, { segmentBytesMax: 1, files: brokenFiles({}) });
    const [, base = 0] = await appendSegments(spool, 3);
    spool.truncate(spool.end());

    expect(readSpool(directory, 0, 10)).toMatchObject({ missedBytes: base, to: spool.end() });
    expect(readSpool(directory, 5, 10)).toMatchObject({ from: 5, to: spool.end(), missedBytes: base - 5 });
    expect(numbersOf(readSpool(directory, 5, 10).clicks)).toEqual([4, 5]);
    expect(readSpool(directory, base, 10)).toMatchObject({ missedBytes: 0 });
    spool.close();
  });

  test("a small spool has smaller segments, so that read clicks free space", async () => {
    const spool = testSpool(directory, { spoolBytesMax: 8_000, files: brokenFiles({}) });

    const appended: Appended[] = [];
    for (let number = 0; number < 200; number++) {
      appended.push(await append(spool, capturedClick(number)));
      spool.truncate(spool.end());
    }

    expect(new Set(appended)).toEqual(new Set(["stored"]));
    spool.close();
  });
});

describe("closing", () => {
  test("writes pending clicks, and drops and counts later ones", async () => {
    const spool = testSpool(directory);
    const pending = append(spool, capturedClick(1));

    spool.close();

    expect(await pending).toBe("stored");
    expect(await append(spool, capturedClick(2))).toBe("dropped");
    expect(spool.dropped()).toEqual({ clicks: 1, reason: "the spool is closed" });
    expect(numbersOf(readToEnd(directory).clicks)).toEqual([1]);
  });
});

test("the interval syncs written clicks, and does nothing without any", async () => {
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

  await append(spool, capturedClick(1));
  await synced.promise;
  await Bun.sleep(10);

  expect(syncs).toBe(1);
  spool.close();
});

describe("a segment that does not fill up", () => {
  const ageMs = 1_000;

  function agingSpool(start = 0) {
    const clock = { now: start };
    return { clock, spool: testSpool(directory, { segmentAgeMaxMs: ageMs, now: () => clock.now }) };
  }

  test("is deleted once it is old and read, and the spool keeps its id and position", async () => {
    const { clock, spool } = agingSpool();
    await append(spool, capturedClick(0));
    const end = spool.end();
    clock.now += ageMs;

    expect(spool.canTruncate(end)).toBe(true);
    spool.truncate(end);

    expect(segmentsIn(directory)).toEqual([segmentFileName(end)]);
    expect({ end: spool.end(), bytes: spool.bytes(), again: spool.canTruncate(end) }).toEqual({
      end,
      bytes: 0,
      again: false,
    });
    await append(spool, capturedClick(1));
    expect(numbersOf(readToEnd(directory, end).clicks)).toEqual([1]);
    spool.close();
    const reopened = testSpool(directory);
    expect({ id: reopened.id, end: reopened.end() }).toEqual({ id: spool.id, end: spool.end() });
    reopened.close();
  });

  test("stays while it is young, and while a reader has not acknowledged all of it", async () => {
    const { clock, spool } = agingSpool();
    await append(spool, capturedClick(0));
    const read = spool.end();
    clock.now += ageMs - 1;

    expect(spool.canTruncate(read)).toBe(false);
    await append(spool, capturedClick(1));
    clock.now += 1;
    expect(spool.canTruncate(read)).toBe(false);
    spool.truncate(read);

    expect(numbersOf(readToEnd(directory).clicks)).toEqual([0, 1]);
    spool.close();
  });

  test("gets a successor when it is old though readers lag, and is deleted when they have acknowledged it", async () => {
    const { clock, spool } = agingSpool();
    await append(spool, capturedClick(0));
    clock.now += ageMs;

    // The first append finds the segment old and syncs it; a later one replaces it.
    while (segmentsIn(directory).length === 1) await append(spool, capturedClick(1));
    const base = spool.end() - 1;
    spool.truncate(base);

    expect(segmentsIn(directory)).toBeArrayOfSize(1);
    spool.close();
  });

  test("has the age of its last write when the spool is opened again", async () => {
    const before = testSpool(directory);
    await append(before, capturedClick(0));
    before.close();

    const { clock, spool } = agingSpool(Date.now());
    expect(spool.canTruncate(spool.end())).toBe(false);
    clock.now += ageMs;

    expect(spool.canTruncate(spool.end())).toBe(true);
    spool.close();
  });
});
