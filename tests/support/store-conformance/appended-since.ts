import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Click } from "../../../src/clicks/click.ts";
import type { ClickSelection } from "../../../src/clicks/query.ts";
import { firstClickId } from "../../../src/clicks/spool-format.ts";
import type { AppendedSince } from "../../../src/clicks/store.ts";
import { randomClicks, seededRandom } from "../clicks.ts";
import { day, everything, type OpenStore, type TestedStore } from "./tested-store.ts";

/** The second spool's ids have the highest bit set: a store that compared signed numbers would put them first. */
const spoolIds = ["0f8fad5bd9cb469fa16570867728950e", "ff8fad5bd9cb469fa16570867728950e"] as const;
const clickBytes = 44;

/** Clicks with the ids of a spool, one every 44 bytes. */
function spooled(spoolId: string, seed: number): Click[] {
  return randomClicks(seededRandom(seed), 1_000, day).map((click, index) => ({
    ...click,
    id: firstClickId(spoolId, 2 ** 33 + index * clickBytes),
  }));
}

/** The contract of appendedSince. */
export function describeAppendedSince(open: OpenStore): void {
  describe("appendedSince", () => {
    const [first, second] = [spooled(spoolIds[0], 1), spooled(spoolIds[1], 2)];
    let tested: TestedStore;

    beforeAll(async () => {
      tested = await open();
      // Not in the spool's order, since a store may reorder clicks too.
      await tested.store.insert({ spoolId: spoolIds[1], from: 0, to: 2 ** 34 }, [...second].reverse());
      await tested.store.insert({ spoolId: spoolIds[0], from: 0, to: 2 ** 34 }, [...first].reverse());
    });
    afterAll(() => tested.remove());

    const expectAppended = async (clicks: readonly Click[], since: AppendedSince) => {
      expect({ since, clicks: await tested.store.appendedSince(since) }).toEqual({ since, clicks: [...clicks] });
    };
    const ofWorkspace = (clicks: readonly Click[], workspace: number) =>
      clicks.filter(({ workspaceId }) => workspaceId === workspace);

    test("returns only the workspace's clicks of that spool, in the spool's order", async () => {
      for (const [spoolId, clicks] of [
        [spoolIds[0], first],
        [spoolIds[1], second],
      ] as const) {
        for (const workspaceId of [1, 2, 3]) {
          const range = { spoolId, from: 0, to: 2 ** 52 };
          const selection = { ...everything, workspaceId };
          await expectAppended(ofWorkspace(clicks, workspaceId), { selection, range, limit: 2_000 });
        }
      }
    });

    test("includes the start of the range, excludes its end, and obeys the limit", async () => {
      const [spoolId] = spoolIds;
      const selection = { ...everything, workspaceId: 1 };
      const at = (index: number) => 2 ** 33 + index * clickBytes;
      for (const [from, to] of [
        [at(0), at(1)],
        [at(100), at(500)],
        [at(100) + 1, at(500) + 1],
        [at(999), at(1_000)],
        [at(5), at(5)],
        [at(1_000), 2 ** 52],
      ] as const) {
        const inside = first.filter((_, index) => at(index) >= from && at(index) < to);
        const range = { spoolId, from, to };
        await expectAppended(ofWorkspace(inside, 1), { selection, range, limit: 2_000 });
        await expectAppended(ofWorkspace(inside, 1).slice(0, 7), { selection, range, limit: 7 });
      }
    });

    test("applies the selection's filters, bot choice and time range", async () => {
      const [spoolId] = spoolIds;
      const noon = day.from + 12 * 3_600_000;
      const selection: ClickSelection = {
        ...{ workspaceId: 2, from: noon, to: day.to, bots: "exclude" },
        filters: [{ dimension: "country", values: ["DE", "US"], isExcluded: false }],
      };

      const expected = ofWorkspace(first, 2).filter(
        ({ time, bot, country }) => time >= noon && bot === "" && (country === "DE" || country === "US"),
      );
      await expectAppended(expected, { selection, range: { spoolId, from: 0, to: 2 ** 52 }, limit: 2_000 });
    });
  });
}
