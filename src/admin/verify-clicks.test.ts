import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { engines } from "../../tests/support/databases.ts";
import { copyLink, openLinkWorld } from "../../tests/support/links.ts";
import { appendTick, capturedClick, spoolFolder, testSpool } from "../../tests/support/spools.ts";
import { openLog } from "../base/log.ts";
import { ReadWriteLock } from "../base/read-write-lock.ts";
import { LossRecord } from "../clicks/lost-clicks.ts";
import { startPipeline } from "../clicks/pipeline.ts";
import { partitionOf, tally } from "../clicks/tally.ts";
import { correctCounters } from "../links/correct-counters.ts";
import { applyTally, counterPositions, openCounters } from "../links/counters.ts";
import { createLink } from "../links/create-link.ts";
import { openMetrics } from "../metrics.ts";
import { spoolReaders } from "../spools/readers.ts";
import type { TrackedSpool } from "../spools/tracked-spool.ts";
import { type LinksVerified, type VerifyDeps, verifyLinks, workspacesToVerify } from "./verify-clicks.ts";

/** Beyond this distance, the store reads more before the comparison. */
const gapBytesMax = 8 * 1024 ** 2;

for (const engine of engines) {
  describe(engine, () => {
    const cleanups: (() => Promise<void>)[] = [];

    // The first one starts the engine.
    beforeAll(async () => {
      const world = await openLinkWorld(engine);
      cleanups.push(() => world.close());
    });
    afterAll(async () => {
      for (const close of cleanups) await close();
    });

    /** A database with a link, a spool, and readers that only advance when the test calls them. */
    async function newWorkspace() {
      const world = await openLinkWorld(engine);
      const { actor } = await world.newWorkspace();
      const { workspaceId } = actor;
      const { id: linkId } = await createLink(world.deps, actor, { url: "example.com" });
      const folder = spoolFolder();
      const { directory } = folder;
      const spool = testSpool(directory);
      const pipeline = startPipeline({ engine: "duckdb", path: join(dirname(directory), "clicks.duckdb"), threads: 1 });
      const counters = openCounters(world.location);
      cleanups.push(async () => {
        await pipeline.close();
        await counters.close();
        spool.close();
        folder.remove();
        await world.close();
      });
      const read: TrackedSpool = {
        directory,
        cursors: { store: 0, counters: 0 },
        extent: () => ({ id: spool.id, end: spool.end(), bytes: spool.bytes() }),
        truncate: async () => {},
      };
      const deps: VerifyDeps = {
        ...{
          node: undefined,
          database: world.database,
          readersLock: new ReadWriteLock(),
          log: openLog("error"),
          pipeline,
          counters,
        },
        spools: { all: () => [read] },
        metrics: openMetrics({ own: unexpectedRead, workers: async () => [], store: async () => undefined }),
        liveEvents: { storeAdvanced() {} },
        losses: new LossRecord(directory),
        storeLosses: { beforeStoring: async () => {}, reportOlder: async () => {} },
        now: Date.now,
        purges: { current: [] },
      };
      return {
        ...{ world, workspaceId, linkId, deps, read },
        /** Appends `count` clicks in one tick, the last at the time `from + count - 1`. */
        async click(from: number, count: number, url = "https://example.com/") {
          const clicks = Array.from({ length: count }, (_, index) =>
            capturedClick(from + index, { workspaceId, linkId, url }),
          );
          await appendTick(spool, clicks);
        },
        verify: (after = "", corrects = false) => verifyLinks(deps, { workspaceId, after, corrects }),
      };
    }

    /** The number of links: the link and its domain's root link. */
    const same: LinksVerified = {
      kind: "compared",
      links: 2,
      approximate: 0,
      differences: [],
      isComplete: true,
      next: null,
    };

    test("there is no difference, whatever the positions of the two readers", async () => {
      const { deps, read, click, verify } = await newWorkspace();
      const found: LinksVerified[] = [await verify()];

      const { store, counters } = spoolReaders;
      for (const [from, { step }] of [store, counters, store, store, counters, counters].entries()) {
        await click(from * 10, 10);
        await step(deps, read);
        await click(from * 10 + 5, 3);
        found.push(await verify());
      }

      expect(found).toEqual(found.map(() => same));
      // The comparison did not advance the counters beyond the store.
      expect(read.cursors.counters).toBeGreaterThan(0);
    });

    test("an interrupted step of the counters is completed first", async () => {
      const { world, linkId, deps, read, click, verify } = await newWorkspace();
      await click(0, 10);
      await spoolReaders.counters.step(deps, read);
      await click(10, 5);
      const spoolId = read.extent()?.id ?? "";
      const counted = () => counterPositions(world.deps.db, spoolId);
      const next = await tally(read.directory, await counted());
      const partitions = next.partitions.filter(({ partition }) => partition === partitionOf(linkId));
      await applyTally(world.database, spoolId, { ...next, partitions });
      const positions = new Set(await counted());

      const found = await verify();

      expect(positions.size).toBe(2);
      expect(found).toEqual(same);
      expect(new Set(await counted())).toEqual(new Set([next.to]));
    });

    test("a store far behind the counters reads more first", async () => {
      const { deps, read, click, verify } = await newWorkspace();
      for (let round = 0; (read.extent()?.end ?? 0) < gapBytesMax * 1.1; round++) {
        await click(round * 1_000, 100, `https://example.com/${"x".repeat(4_000)}${round}`);
        await click(round * 1_000 + 500, 100, `https://example.com/${"y".repeat(4_000)}${round}`);
      }
      while ((await spoolReaders.counters.step(deps, read)).hasMoved);
      const distance = read.cursors.counters - read.cursors.store;

      // Repeats the call like the command line, because a call can time out on a busy machine.
      const behind: number[] = [];
      let found = await verify();
      for (; found.kind === "behind" && behind.length < 10; found = await verify()) behind.push(found.bytes);

      expect(found).toEqual(same);
      expect(behind).toEqual(behind.toSorted((one, other) => other - one));
      expect(distance).toBeGreaterThan(gapBytesMax);
      expect(read.cursors.counters - read.cursors.store).toBeLessThan(gapBytesMax);
    });

    test("links come in pages with their differences, and only pages that request it are corrected", async () => {
      const { world, linkId, workspaceId, deps, click, verify } = await newWorkspace();
      await click(0, 10);
      const ids = [...(await copyLink(world.deps.db, linkId, 4_500)), linkId].sort();
      const wrong = [0, 1_999, 2_000, 4_499].map((index) => ids[index] ?? "");
      await world.deps.db.updateTable("links").set({ clicks: 3 }).where("id", "in", wrong).execute();

      const reported = await pages(verify, false);
      const corrected = await pages(verify, true);
      const after = await pages(verify, false);

      expect(reported.links).toBe(4_502);
      expect(reported.differences.map(({ linkId: id }) => id)).toEqual(wrong);
      expect(reported.differences.map(({ isCorrected }) => isCorrected)).toEqual(wrong.map(() => false));
      expect(corrected.differences).toEqual(
        reported.differences.map((difference) => ({ ...difference, isCorrected: true })),
      );
      expect(after).toEqual({ links: 4_502, differences: [] });
      expect(await workspacesToVerify(deps.database.reads, workspaceId)).toEqual([{ id: workspaceId, links: 4_502 }]);
    });

    test("a counter that has changed since the comparison is not corrected", async () => {
      const { world, linkId } = await newWorkspace();
      const found = { linkId, clicks: 5, lastClicked: null };
      const right = { linkId, clicks: 7, lastClicked: 1_000 };

      const corrected = await correctCounters(world.database, [{ found, right }]);

      expect([...corrected]).toEqual([]);
      const link = world.deps.db.selectFrom("links").select(["clicks", "lastClicked"]).where("id", "=", linkId);
      expect(await link.executeTakeFirst()).toEqual({ clicks: 0, lastClicked: null });
      expect([...(await correctCounters(world.database, [{ found: { ...found, clicks: 0 }, right }]))]).toEqual([
        linkId,
      ]);
      expect(await link.executeTakeFirst()).toEqual({ clicks: 7, lastClicked: 1_000 });
    });
  });
}

async function pages(verify: (after: string, corrects: boolean) => Promise<LinksVerified>, corrects: boolean) {
  const differences: Extract<LinksVerified, { kind: "compared" }>["differences"] = [];
  let links = 0;
  for (let after: string | null = ""; after !== null; ) {
    const page = await verify(after, corrects);
    if (page.kind === "behind") throw new Error(`The store is ${page.bytes} bytes behind.`);
    differences.push(...page.differences);
    links += page.links;
    after = page.next;
  }
  return { links, differences };
}

function unexpectedRead(): never {
  throw new Error("No test reads these metrics.");
}
