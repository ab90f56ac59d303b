import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type LinkWorkspace, refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { dayMs, hourMs } from "../base/time.ts";
import type { ExpireScope } from "../clicks/store.ts";
import { expireNextClicks, stepWorkspacesMax } from "./click-retention.ts";
import { getWorkspace, updateWorkspace } from "./workspaces.ts";

describe.each([...engines])("the retention of clicks on %s", (engine) => {
  const world = openLinks(engine);

  const keepFor = async ({ actor }: LinkWorkspace, clickRetentionDays: number | null) =>
    await updateWorkspace(world.deps, actor, { clickRetentionDays });
  /** Expires until nothing is due; returns the calls of the store for these workspaces. */
  const expireAll = async (...workspaces: LinkWorkspace[]) => {
    const expirations: ExpireScope[] = [];
    const deps = { ...world.deps, expire: async (scope: ExpireScope) => void expirations.push(scope) };
    while ((await expireNextClicks(deps)) === "again");
    const ids = new Set(workspaces.map(({ actor }) => actor.workspaceId));
    return expirations.filter(({ workspaceId }) => ids.has(workspaceId));
  };
  /** The current day of the test clock, minus `days`. */
  const midnight = (daysBefore: number) => (Math.floor(world.deps.now() / dayMs) - daysBefore) * dayMs;

  test("is unlimited at first, set only by owners, and recorded", async () => {
    const workspace = await world.newWorkspace();
    const { workspaceId, userId } = workspace.actor;

    const first = await getWorkspace(world.deps, workspace.actor);
    await keepFor(workspace, 30);
    await keepFor(workspace, 30);
    const after = await getWorkspace(world.deps, workspace.actor);
    await world.deps.db.updateTable("members").set({ role: "member" }).where("userId", "=", userId).execute();

    expect([first.clickRetentionDays, after.clickRetentionDays]).toEqual([null, 30]);
    expect(await refusal(keepFor(workspace, 1))).toBe("forbidden");
    expect(await refusal(keepFor(workspace, null))).toBe("forbidden");
    expect(await refusal(keepFor(workspace, 30))).toBe("none");
    const [, ...events] = await world.eventsOf(String(workspaceId));
    expect(events).toMatchObject([
      { type: "workspace.updated", userId, before: { clickRetentionDays: null }, after: { clickRetentionDays: 30 } },
    ]);
  });

  test("removes older clicks in whole days, once a day, in the workspaces that limit it", async () => {
    const [workspace, other, keeping] = [
      await world.newWorkspace(),
      await world.newWorkspace(),
      await world.newWorkspace(),
    ];
    await keepFor(workspace, 30);
    await keepFor(other, 1);
    const { workspaceId } = workspace.actor;

    const first = await expireAll(workspace, other, keeping);
    const second = await expireAll(workspace, other, keeping);
    world.advance(dayMs - hourMs);
    world.advance(hourMs);
    const nextDay = await expireAll(workspace, other, keeping);

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
    const workspace = await world.newWorkspace();
    const { workspaceId } = workspace.actor;
    await keepFor(workspace, 30);
    await expireAll(workspace);

    await keepFor(workspace, 7);
    const shorter = await expireAll(workspace);
    await keepFor(workspace, 3_650);
    const longer = await expireAll(workspace);
    await keepFor(workspace, null);

    expect(shorter).toEqual([{ workspaceId, before: midnight(7) }]);
    expect(longer).toEqual([]);
    expect(await expireAll(workspace)).toEqual([]);
  });

  test("is retried after a failure of the store, starting with the workspace that failed", async () => {
    const workspaces: LinkWorkspace[] = [];
    for (let made = 0; made <= stepWorkspacesMax; made++) {
      const workspace = await world.newWorkspace();
      await keepFor(workspace, 10);
      workspaces.push(workspace);
    }
    const failing = workspaces[2]?.actor.workspaceId;
    const expire = async ({ workspaceId }: ExpireScope) => {
      if (workspaceId === failing) throw new Error("The store is unavailable.");
    };

    expect(expireNextClicks({ ...world.deps, expire })).rejects.toThrow("The store is unavailable.");
    await expireNextClicks({ ...world.deps, expire }).catch(() => {});
    const again = await expireAll(...workspaces);

    expect(again.map(({ workspaceId }) => workspaceId)).toEqual(
      workspaces.slice(2).map(({ actor }) => actor.workspaceId),
    );
  });
});
