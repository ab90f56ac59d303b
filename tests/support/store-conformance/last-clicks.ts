import { describe, expect, test } from "bun:test";
import { randomClicks, seededRandom } from "../clicks.ts";
import { day, type OpenStore } from "./tested-store.ts";

/** The contract of lastClicks. */
export function describeLastClicks(open: OpenStore): void {
  describe("lastClicks", () => {
    test("are each link's last click, by a human or a bot, from any spool", async () => {
      const tested = await open();
      try {
        const { store } = tested;
        const clicks = randomClicks(seededRandom(8), 1_000, day);
        await store.insert({ spoolId: "spool_a", from: 0, to: 1 }, clicks.slice(0, 600));
        await store.insert({ spoolId: "spool_b", from: 0, to: 1 }, clicks.slice(600));
        const linkIds = ["link_c", "link_a", "link_none", "'; DROP TABLE clicks; --"];

        const answered = await store.lastClicks({ workspaceId: 2, linkIds });

        const expected = ["link_a", "link_c"].map((id) => {
          const clicksOfLink = clicks.filter(({ workspaceId, linkId }) => workspaceId === 2 && linkId === id);
          const last = clicksOfLink.reduce((one, other) => (other.time > one.time ? other : one));
          const { linkId, time, domainId, domain, key, url } = last;
          return { linkId, time, domainId, domain, key, url };
        });
        expect(answered.sort((one, other) => (one.linkId < other.linkId ? -1 : 1))).toEqual(expected);
        expect(await store.lastClicks({ workspaceId: 2, linkIds: [] })).toEqual([]);
        await store.expire({ workspaceId: 2, before: day.to });
        const expired = await store.lastClicks({ workspaceId: 2, linkIds });
        expect(expired.map(({ linkId, url }) => [linkId, url]).sort()).toEqual([
          ["link_a", ""],
          ["link_c", ""],
        ]);
        expect(await store.lastClicks({ workspaceId: 3, linkIds })).toEqual([]);
      } finally {
        await tested.remove();
      }
    });
  });
}
