import { describe, expect } from "bun:test";
import { minuteMs } from "../../../src/base/time.ts";
import type { Click } from "../../../src/clicks/click.ts";
import { rollupBucketMs } from "../../../src/clicks/stores/duckdb/star-schema.ts";
import { randomClick, seededRandom } from "../clicks.ts";
import { day, neverAborted, type OpenStore, storeTest } from "./tested-store.ts";

const later = day.to + 1_000 * minuteMs;

/** The contract of firstClick, which is called again after every change that may affect its answer. */
export function describeFirstClicks(open: OpenStore): void {
  describe("firstClick", () => {
    describeInserted(open);
    describeRemaining(open);
  });
}

function describeInserted(open: OpenStore): void {
  storeTest("is at most one bucket before the first click, in any order of insertion", open, async ({ store }) => {
    const times = [50, 31, 70, 29, 14, 3_000].map((minutes) => day.from + minutes * minuteMs);
    const answers = [await store.firstClick({ workspaceId: 1, before: later })];
    for (const [batch, time] of times.entries()) {
      const rows = [clickAt(time), clickAt(time - rollupBucketMs * 10, { workspaceId: 2 })];
      await store.insert({ spoolId: "spool_a", from: batch, to: batch + 1 }, rows);
      answers.push(await store.firstClick({ workspaceId: 1, before: later }));
    }

    const quarters = [3, 2, 2, 1, 0, 0].map((number) => day.from + number * rollupBucketMs);
    expect(answers).toEqual([undefined, ...quarters]);
    expect(await store.firstClick({ workspaceId: 2, before: later })).toBe(day.from - rollupBucketMs * 10);
    expect(await store.firstClick({ workspaceId: 3, before: later })).toBeUndefined();
  });

  storeTest("is that before an instant", open, async ({ store }) => {
    await store.insert({ spoolId: "spool_a", from: 0, to: 1 }, [clickAt(day.from), clickAt(day.to)]);

    expect(await store.firstClick({ workspaceId: 1, before: day.from })).toBeUndefined();
    expect(await store.firstClick({ workspaceId: 1, before: day.from + 1 })).toBe(day.from);
  });

  storeTest("is that of the remaining clicks after links or workspaces are erased", open, async ({ store, reopen }) => {
    const rows = [
      ...many(clickAt(day.from, { linkId: "first" })),
      ...many(clickAt(day.from + rollupBucketMs, { linkId: "second", bot: "search" })),
      ...many(clickAt(day.from, { workspaceId: 2 })),
    ];
    await store.insert({ spoolId: "spool_a", from: 0, to: 1 }, rows);
    const answers = [await store.firstClick({ workspaceId: 1, before: later })];

    await store.erase({ workspaceId: 1, linkId: "first" });
    answers.push(
      await store.firstClick({ workspaceId: 1, before: later }),
      await (await reopen()).firstClick({ workspaceId: 1, before: later }),
    );

    expect(answers).toEqual([day.from, day.from + rollupBucketMs, day.from + rollupBucketMs]);
  });
}

function describeRemaining(open: OpenStore): void {
  storeTest("is undefined without remaining clicks, until the next click", open, async ({ store }) => {
    await store.insert({ spoolId: "spool_a", from: 0, to: 1 }, [clickAt(day.from)]);
    const before = await store.firstClick({ workspaceId: 1, before: later });

    await store.erase({ workspaceId: 1 });

    expect([before, await store.firstClick({ workspaceId: 1, before: later })]).toEqual([day.from, undefined]);
    await store.insert({ spoolId: "spool_a", from: 1, to: 2 }, [clickAt(day.to)]);
    expect(await store.firstClick({ workspaceId: 1, before: later })).toBe(day.to);
  });

  storeTest("does not change when clicks expire, nor after maintain or a recount", open, async ({ store }) => {
    await store.insert({ spoolId: "spool_a", from: 0, to: 1 }, [...many(clickAt(day.from)), ...many(clickAt(day.to))]);
    const answers = [await store.firstClick({ workspaceId: 1, before: later })];

    await store.expire({ workspaceId: 1, before: day.to });
    answers.push(await store.firstClick({ workspaceId: 1, before: later }));
    await store.maintain(neverAborted);
    answers.push(await store.firstClick({ workspaceId: 1, before: later }));
    await store.recountRollup({ workspaceId: 1, corrects: true });
    answers.push(await store.firstClick({ workspaceId: 1, before: later }));

    expect(answers).toEqual(answers.map(() => day.from));
  });

  storeTest("ignores a batch that failed", open, async ({ store }) => {
    await store.insert({ spoolId: "spool_a", from: 0, to: 1 }, [clickAt(day.to)]);
    await store.firstClick({ workspaceId: 1, before: later });
    const bad = [clickAt(day.from), clickAt(day.from, { id: "no id" })];

    await expect(store.insert({ spoolId: "spool_a", from: 1, to: 2 }, bad)).rejects.toThrow();

    expect(await store.firstClick({ workspaceId: 1, before: later })).toBe(day.to);
  });
}

const random = seededRandom(20261121);

function clickAt(time: number, same: Partial<Click> = {}): Click {
  return randomClick(random, day, { workspaceId: 1, time, ...same });
}

/** Enough clicks to leave level 0 when the levels are small. */
function many(one: Click): Click[] {
  return Array.from({ length: 400 }, () => randomClick(random, day, { ...one, id: randomClick(random, day).id }));
}
