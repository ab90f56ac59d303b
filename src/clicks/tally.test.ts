import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { pick, seededRandom } from "../../tests/support/clicks.ts";
import { append, appendTick, browserAgent, capturedClick, spoolFolder, testSpool } from "../../tests/support/spools.ts";
import type { Spool } from "./spool.ts";
import {
  allPartitionsAt,
  type LinkTally,
  partitionCount,
  partitionOf,
  type Tally,
  tally,
  tallyLinksMax,
  tallyRange,
} from "./tally.ts";

let folder: ReturnType<typeof spoolFolder>;
let spool: Spool;
const removals: (() => void)[] = [];

beforeEach(() => {
  folder = spoolFolder();
  removals.push(folder.remove);
  spool = testSpool(folder.directory);
});
afterEach(() => spool.close());
afterAll(() => {
  for (const remove of removals) remove();
});

/** The sum of tallies applied one after another, by link. */
class Counted {
  readonly clicks = new Map<string, number>();
  readonly positions = allPartitionsAt(0);

  /** Applies some partitions of a tally and moves their cursors, like the counters' transactions. */
  apply({ to, partitions }: Tally): void {
    for (const { partition, from, links } of partitions) {
      expect({ partition, from }).toEqual({ partition, from: this.positions[partition] ?? -1 });
      for (const link of links) this.clicks.set(link.linkId, (this.clicks.get(link.linkId) ?? 0) + link.clicks);
      this.positions[partition] = to;
    }
  }

  isAt(position: number): boolean {
    return this.positions.every((each) => each === position);
  }
}

function linksOf({ partitions }: Tally): LinkTally[] {
  return partitions.flatMap(({ links }) => links);
}

function clicksOfLinks(from: number, to: number) {
  return Array.from({ length: to - from }, (_, index) =>
    capturedClick(from + index, { linkId: `link_${from + index}` }),
  );
}

describe("tally", () => {
  test("counts the human clicks of each link and the time of the last one", async () => {
    const clicks = [
      capturedClick(3, { linkId: "link_a" }),
      capturedClick(1, { linkId: "link_a" }),
      capturedClick(2, { linkId: "link_b" }),
    ];
    await appendTick(spool, clicks);

    const counted = await tally(folder.directory, allPartitionsAt(0));

    expect(counted.to).toBe(spool.end());
    expect(linksOf(counted).sort((one, other) => (one.linkId < other.linkId ? -1 : 1))).toEqual([
      { linkId: "link_a", clicks: 2, lastClicked: capturedClick(3).time },
      { linkId: "link_b", clicks: 1, lastClicked: capturedClick(2).time },
    ]);
    expect(counted.partitions.map(({ partition }) => partition)).toEqual(
      Array.from({ length: partitionCount }, (_, partition) => partition),
    );
    for (const { partition, links } of counted.partitions)
      for (const { linkId } of links) expect(partitionOf(linkId)).toBe(partition);
  });

  test("reads what was written while an earlier tally of the folder waits and another one passes it", async () => {
    for (let tick = 0; tick < 4; tick++) await appendTick(spool, clicksOfLinks(tick * 10, tick * 10 + 10));
    const begun = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const pause = () => {
      begun.resolve();
      return released.promise;
    };

    const waiting = tally(folder.directory, allPartitionsAt(0), { pause });
    await begun.promise;
    const passing = await tally(folder.directory, allPartitionsAt(0));
    const range = tallyRange({ directory: folder.directory, from: 0, to: spool.end() });
    released.resolve();

    const idsOf = (links: readonly LinkTally[]) => links.map(({ linkId }) => linkId).sort();
    const written = Array.from({ length: 40 }, (_, index) => `link_${index}`).sort();
    expect([linksOf(await waiting), linksOf(passing), range.links].map(idsOf)).toEqual([written, written, written]);
  });

  test("bots do not count, whether the request or the user agent shows them", async () => {
    const clicks = [
      capturedClick(1, { bot: "prefetch" }),
      capturedClick(2, { agent: "curl/8.7.1" }),
      capturedClick(3, { agent: "" }),
    ];
    await appendTick(spool, clicks);

    const counted = await tally(folder.directory, allPartitionsAt(0));

    expect({ to: counted.to, links: linksOf(counted) }).toEqual({ to: spool.end(), links: [] });
  });

  test("purged clicks are skipped, and later clicks of the link count", async () => {
    await appendTick(
      spool,
      [1, 2, 3].map((number) => capturedClick(number, { linkId: "link_a" })),
    );

    const counted = await tally(folder.directory, allPartitionsAt(0), {
      purges: [{ linkId: "link_a", before: capturedClick(2).time + 1 }],
    });

    expect(linksOf(counted)).toEqual([{ linkId: "link_a", clicks: 1, lastClicked: capturedClick(3).time }]);
  });

  test("ends with the frame that reaches its limit of links", async () => {
    const perFrame = 900;
    for (let from = 0; from < tallyLinksMax + perFrame * 2; from += perFrame) {
      await appendTick(spool, clicksOfLinks(from, from + perFrame));
    }

    const first = await tally(folder.directory, allPartitionsAt(0));
    const second = await tally(folder.directory, allPartitionsAt(first.to));

    expect(linksOf(first).length).toBeWithin(tallyLinksMax, tallyLinksMax + perFrame);
    expect(second.to).toBe(spool.end());
    expect(linksOf(first).length + linksOf(second).length).toBe(Math.ceil(tallyLinksMax / perFrame + 2) * perFrame);
  });

  test("at the end of the spool is empty", async () => {
    await append(spool, capturedClick(0));

    expect(await tally(folder.directory, allPartitionsAt(spool.end()))).toEqual({ to: spool.end(), partitions: [] });
  });

  for (const seed of [1, 2, 3, 4, 5]) {
    test(`counts each click once, whichever partitions were applied before each interruption (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const appended = new Map<string, number>();
      const counted = new Counted();
      let number = 0;
      const appendSome = async () => {
        const clicks = Array.from({ length: 1 + Math.floor(random() * 40) }, () =>
          capturedClick(number++, {
            linkId: `link_${Math.floor(random() * 60)}`,
            agent: random() < 0.2 ? "curl/8.7.1" : browserAgent,
          }),
        );
        for (const { agent, target } of clicks) {
          if (agent.value !== browserAgent) continue;
          const { linkId } = target.value;
          appended.set(linkId, (appended.get(linkId) ?? 0) + 1);
        }
        await appendTick(spool, clicks);
      };

      for (let step = 0; step < 60; step++) {
        if (pick(random, ["append", "count"]) === "append") await appendSome();
        const { to, partitions } = await tally(folder.directory, counted.positions);
        counted.apply({ to, partitions: partitions.filter(() => random() < 0.7) });
      }
      while (!counted.isAt(spool.end())) counted.apply(await tally(folder.directory, counted.positions));

      expect(Object.fromEntries(counted.clicks)).toEqual(Object.fromEntries(appended));
    });
  }
});

describe("tallyRange", () => {
  /** Appends ticks with a human click on each of two links and a bot's click; returns the ends of their frames. */
  async function appendTicks(count: number): Promise<number[]> {
    const borders = [spool.end()];
    for (let tick = 0; tick < count; tick++) {
      await appendTick(spool, [
        capturedClick(tick, { linkId: "link_a" }),
        capturedClick(tick + 100, { linkId: "link_b" }),
        capturedClick(tick, { linkId: "link_b", agent: "curl/8.7.1" }),
      ]);
      borders.push(spool.end());
    }
    return borders;
  }

  test("counts only the human clicks between two positions", async () => {
    const borders = await appendTicks(20);
    const directory = folder.directory;
    for (const [first, last] of [
      [0, 20],
      [3, 7],
      [0, 1],
      [12, 20],
      [5, 5],
      [2, 4],
    ] as const) {
      const range = { directory, from: borders[first] ?? 0, to: borders[last] ?? 0 };

      const { links, isWhole } = tallyRange(range);

      const of = (linkId: string, number: number) => ({
        ...{ linkId, clicks: last - first },
        lastClicked: capturedClick(number).time,
      });
      const expected = first === last ? [] : [of("link_a", last - 1), of("link_b", last + 99)];
      expect({ first, last, links, isWhole }).toEqual({ first, last, links: expected, isWhole: true });
    }
  });

  test("reports when the spool lacks a part of the range", async () => {
    const [, , to = 0] = await appendTicks(2);
    const { directory } = folder;

    expect(tallyRange({ directory, from: 0, to: to + 1_000 })).toMatchObject({ isWhole: false });
    expect(tallyRange({ directory: join(directory, "absent"), from: 0, to })).toEqual({ links: [], isWhole: false });
  });
});
