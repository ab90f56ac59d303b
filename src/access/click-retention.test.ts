import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type LinkPlace, refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { dayMs, hourMs } from "../base/time.ts";
import type { ExpireScope } from "../clicks/store.ts";
import { expiredAtOnceMax, expireNextClicks } from "./click-retention.ts";
import { getWorkspace, updateWorkspace } from "./workspaces.ts";

describe.each([...engines])("the retention of clicks on %s", (engine) => {
  const world = openLinks(engine);

  const keepFor = async ({ actor }: LinkPlace, clickRetentionDays: number | null) =>
    await updateWorkspace(world.deps, actor, { clickRetentionDays });
  /** Expires until nothing is due; returns the calls of the store for these workspaces. */
  const expireAll = async (...places: LinkPlace[]) => {
    const expirations: ExpireScope[] = [];
    const deps = { ...world.deps, expire: async (scope: ExpireScope) => void expirations.push(scope) };
    while ((await expireNextClicks(deps)) === "again");
    const ids = new Set(places.map(({ actor }) => actor.workspaceId));
    return expirations.filter(({ workspaceId }) => ids.has(workspaceId));
  };
  /** The current day of the test clock, minus `days`. */
  const midnight = (daysBefore: number) => (Math.floor(world.deps.now() / dayMs) - daysBefore) * dayMs;

  test("is unlimited at first, set only by owners, and recorded", async () => {
    const place = await world.newWorkspace();
    const { workspaceId, userId } = place.actor;

    const first = await getWorkspace(world.deps, place.actor);
    await keepFor(place, 30);
    await keepFor(place, 30);
    const after = await getWorkspace(world.deps, place.actor);
    await world.deps.db.updateTable("members").set({ role: "member" }).where("userId", "=", userId).execute();

    expect([first.clickRetentionDays, after.clickRetentionDays]).toEqual([null, 30]);
    expect(await refusal(keepFor(place, 1))).toBe("forbidden");
    expect(await refusal(keepFor(place, null))).toBe("forbidden");
    expect(await refusal(keepFor(place, 30))).toBe("none");
    const [, ...events] = await world.eventsOf(String(workspaceId));
    expect(events).toMatchObject([
      { type: "workspace.updated", userId, before: { clickRetentionDays: null }, after: { clickRetentionDays: 30 } },
    ]);
  });

  test("removes older clicks in whole days, once a day, in the workspaces that limit it", async () => {
    const [place, other, keeping] = [
      await world.newWorkspace(),
      await world.newWorkspace(),
      await world.newWorkspace(),
    ];
    await keepFor(place, 30);
    await keepFor(other, 1);
    const { workspaceId } = place.actor;

    const first = await expireAll(place, other, keeping);
    const second = await expireAll(place, other, keeping);
    world.advance(dayMs - hourMs);
    world.advance(hourMs);
    const nextDay = await expireAll(place, other, keeping);

    expect(first).toEqual([
      { workspaceId, before: midnight(31) },
      { workspaceId: other.actor.workspaceId, before: midnight(2) },
    ]);
    expect(second).toEqual([]);
    expect(nextDay).toEqual([
      { workspaceId, before: midnight(30) },
      { workspaceId: other.actor.workspaceId, before: midnight(1) },
    ]);
  });

  test("removes more in the next step when shortened, and nothing when extended", async () => {
    const place = await world.newWorkspace();
    const { workspaceId } = place.actor;
    await keepFor(place, 30);
    await expireAll(place);

    await keepFor(place, 7);
    const shorter = await expireAll(place);
    await keepFor(place, 3_650);
    const longer = await expireAll(place);
    await keepFor(place, null);

    expect(shorter).toEqual([{ workspaceId, before: midnight(7) }]);
    expect(longer).toEqual([]);
    expect(await expireAll(place)).toEqual([]);
  });

  test("is retried after a failure of the store, starting with the workspace that failed", async () => {
    const places: LinkPlace[] = [];
    for (let made = 0; made <= expiredAtOnceMax; made++) {
      const place = await world.newWorkspace();
      await keepFor(place, 10);
      places.push(place);
    }
    const failing = places[2]?.actor.workspaceId;
    const expire = async ({ workspaceId }: ExpireScope) => {
      if (workspaceId === failing) throw new Error("The store is unavailable.");
    };

    expect(expireNextClicks({ ...world.deps, expire })).rejects.toThrow("away");
    await expireNextClicks({ ...world.deps, expire }).catch(() => {});
    const again = await expireAll(...places);

    expect(again.map(({ workspaceId }) => workspaceId)).toEqual(places.slice(2).map(({ actor }) => actor.workspaceId));
  });
});
