import { describe, expect } from "bun:test";
import { hourMs } from "../../../src/base/time.ts";
import type { Click } from "../../../src/clicks/click.ts";
import type { LinkCount } from "../../../src/clicks/recount.ts";
import { rollupBucketMs } from "../../../src/clicks/stores/duckdb/star-schema.ts";
import { randomClicks, seededRandom } from "../clicks.ts";
import { days, type EngineTraits, type OpenStore, storeTest } from "./tested-store.ts";

const before = Date.UTC(2026, 10, 20);
/** More links than any test has. */
const limit = 1_000;

/** The contract of linkCounts and recountRollup. */
export function describeRecount(open: OpenStore, traits: EngineTraits): void {
  describeLinkCounts(open);
  describeExpiredCounts(open);
  describeRollup(open, traits);
}

function describeLinkCounts(open: OpenStore): void {
  describe("linkCounts", () => {
    storeTest("count only human clicks, as of the returned cursors", open, async ({ store }) => {
      const clicks = randomClicks(seededRandom(1), 2_000, days);
      await store.insert({ spoolId: "spool_a", from: 0, to: 7 }, clicks.slice(0, 1_500));
      await store.insert({ spoolId: "spool_b", from: 0, to: 9 }, clicks.slice(1_500));

      const counts = await store.linkCounts({ workspaceId: 1, after: "", limit });

      expect(counts).toEqual({
        cursors: { spool_a: 7, spool_b: 9 },
        links: countsOf(clicks, 1),
        upTo: undefined,
      });
      const none = { cursors: counts.cursors, links: [], upTo: undefined };
      expect(await store.linkCounts({ workspaceId: 3, after: "", limit })).toEqual(none);
    });

    storeTest(
      "are in pages ordered by the bytes of the ids, without links that have no human clicks",
      open,
      async (tested) => {
        const { store } = tested;
        const ids = ["a", "B", "Z", "_", "ä", "z", "zz"];
        const clicks = ids.flatMap((linkId, index) =>
          randomClicks(seededRandom(index), 5, days, { workspaceId: 1, linkId, bot: linkId === "Z" ? "tool" : "" }),
        );
        await store.insert({ spoolId: "spool_a", from: 0, to: 1 }, clicks);

        const pages = [];
        for (let after: string | undefined = ""; after !== undefined && pages.length < 10; ) {
          const { links, upTo } = await store.linkCounts({ workspaceId: 1, after, limit: 2 });
          pages.push(links.map(({ linkId }) => linkId));
          after = upTo;
        }

        expect(pages).toEqual([["B"], ["_", "a"], ["z", "zz"], ["ä"]]);
      },
    );
  });
}

function describeExpiredCounts(open: OpenStore): void {
  describe("linkCounts", () => {
    storeTest("include expired clicks, and time the last one to within a bucket", open, async ({ store }) => {
      const old = randomClicks(
        seededRandom(2),
        300,
        { from: days.from, to: before },
        { workspaceId: 1, linkId: "old" },
      );
      const both = randomClicks(seededRandom(3), 900, days, { workspaceId: 1, linkId: "both" });
      await store.insert({ spoolId: "spool_a", from: 0, to: 1 }, [...old, ...both]);

      await store.expire({ workspaceId: 1, before });

      const [exactBoth, exactOld] = countsOf([...old, ...both], 1);
      const bucket = Math.floor((exactOld?.lastClicked.to ?? 0) / rollupBucketMs) * rollupBucketMs;
      const known = { ...exactOld, lastClicked: { from: bucket, to: bucket + rollupBucketMs - 1 } };
      const { links } = await store.linkCounts({ workspaceId: 1, after: "", limit });
      expect(links).toEqual([exactBoth, known] as LinkCount[]);
    });

    storeTest("see whole batches only, each together with its cursor", open, async ({ store }) => {
      for (let batch = 0; batch < 5; batch++) {
        const rows = randomClicks(seededRandom(batch), 1_000, days, { workspaceId: 1, linkId: "link", bot: "" });
        const insert = store.insert({ spoolId: "spool_a", from: batch, to: batch + 1 }, rows);
        const reads = Array.from({ length: 3 }, () => store.linkCounts({ workspaceId: 1, after: "", limit }));
        const during = await Promise.all(reads);
        await insert;

        const answers = during.map(({ cursors, links }) => [cursors["spool_a"] ?? 0, links[0]?.clicks ?? 0]);
        expect(answers).toEqual(
          during.map(({ cursors }) => [cursors["spool_a"] ?? 0, (cursors["spool_a"] ?? 0) * 1_000]),
        );
      }
    });
  });
}

function describeRollup(open: OpenStore, { keepsRollup }: EngineTraits): void {
  describe("recountRollup", () => {
    storeTest("finds no difference after any inserts, expiries and erasures", open, async (tested) => {
      const { store } = tested;
      const random = seededRandom(4);
      const differences: unknown[] = [];
      const compare = async () => {
        for (const workspaceId of [1, 2, 3]) {
          const found = await store.recountRollup({ workspaceId, corrects: false });
          differences.push(...found.differences);
        }
      };

      for (let round = 0; round < 4; round++) {
        await store.insert({ spoolId: "spool_a", from: round, to: round + 1 }, randomClicks(random, 1_500, days));
        await compare();
        await store.expire({ workspaceId: 1, before: days.from + round * 12 * hourMs });
        await compare();
        await store.erase({ workspaceId: 1, linkId: round % 2 === 0 ? "link_a" : "link_b" });
        await compare();
      }
      await store.erase({ workspaceId: 2 });
      await compare();

      expect(differences).toEqual([]);
      const reopened = await tested.reopen();
      const { compared } = await reopened.recountRollup({ workspaceId: 1, corrects: true });
      expect(compared > 0).toBe(keepsRollup);
      expect(await reopened.recountRollup({ workspaceId: 2, corrects: true })).toEqual({
        ...{ compared: 0, differences: [], differencesCount: 0 },
      });
    });
  });
}

/** The expected counts, computed click by click. */
function countsOf(clicks: readonly Click[], workspaceId: number): LinkCount[] {
  const human = clicks.filter((click) => click.workspaceId === workspaceId && click.bot === "");
  return [...Map.groupBy(human, ({ linkId }) => linkId)]
    .map(([linkId, own]) => {
      const last = Math.max(...own.map(({ time }) => time));
      return { linkId, clicks: own.length, lastClicked: { from: last, to: last } };
    })
    .sort((one, other) => Buffer.compare(Buffer.from(one.linkId), Buffer.from(other.linkId)));
}
