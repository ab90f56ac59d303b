import { describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type LinkWorkspace, refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import type { EraseScope } from "../clicks/store.ts";
import { allPartitionsAt, type LinkTally, tallyByPartition } from "../clicks/tally.ts";
import { openClickLimits } from "./click-limit.ts";
import { applyTally } from "./counters.ts";
import { createLink } from "./create-link.ts";
import { deleteLink } from "./delete-link.ts";
import { settleMs } from "./erase-workspace.ts";
import { findLink } from "./find-links.ts";
import { pendingPurges } from "./pending-purges.ts";
import { type PurgeDeps, pendingPurgesMax, purgeClicks, purgeNextClicks } from "./purge-clicks.ts";

describe.each([...engines])("purging a link's clicks on %s", (engine) => {
  const world = openLinks(engine);
  let spools = 0;

  /** A clicked link, with functions that apply a tally to it and read its counter. */
  async function newClicked(maxClicks?: number) {
    const workspace = await world.newWorkspace();
    const { actor } = workspace;
    const { id } = await createLink(world.deps, actor, { url: "example.com", ...(maxClicks ? { maxClicks } : {}) });
    const spoolId = `spool${++spools}`;
    const apply = async (
      from: number,
      to: number,
      clicks: number,
      purges = pendingPurges(world.deps.db),
      lastClicked = 2_000,
    ) => {
      const links: LinkTally[] = [{ linkId: id, clicks, lastClicked }];
      return await applyTally(
        { db: world.deps.db, engine },
        spoolId,
        tallyByPartition(allPartitionsAt(from), to, links),
        await purges,
      );
    };
    const counted = async () => {
      const { clicks, lastClicked } = await findLink(world.deps, actor, id);
      return { clicks, lastClicked };
    };
    await apply(0, 10, 3);
    return { workspace, actor, id, apply, counted };
  }
  /** A spool and a store at positions that the test sets. */
  function newStore() {
    const state = { end: 500, read: 0, erased: [] as EraseScope[], failures: 0 };
    const deps: PurgeDeps = {
      ...world.deps,
      spools: async () => [{ id: "spool", end: state.end, stored: state.read }],
      haveNodesSettled: async () => true,
      async eraseClicks(scope) {
        if (state.failures-- > 0) throw new Error("The store is unavailable.");
        state.erased.push(scope);
      },
    };
    const erasedOf = (linkId: string) => state.erased.filter((scope) => "linkId" in scope && scope.linkId === linkId);
    return { state, deps, erasedOf };
  }
  const isPending = async (id: string) => (await pendingPurges(world.deps.db)).some(({ linkId }) => linkId === id);
  const finishAll = async () => {
    const { state, deps } = newStore();
    state.read = state.end;
    for (let step = 0; step < 3; step++) {
      await purgeNextClicks(deps);
      world.advance(settleMs);
    }
    await purgeNextClicks(deps);
  };

  test("sets its counter to 0 at once, and is recorded", async () => {
    const { actor, id, counted } = await newClicked();

    const { before } = await purgeClicks(world.deps, actor, id);

    expect(await counted()).toEqual({ clicks: 0, lastClicked: null });
    expect((await world.eventsOf(id)).at(-1)).toMatchObject({
      ...{ type: "clicks.purged", userId: actor.userId, until: before - 1 },
    });
  });

  test("clicks folded before it and counted after it do not come back", async () => {
    const { actor, id, apply, counted } = await newClicked();
    const known = pendingPurges(world.deps.db);
    await known;
    await purgeClicks(world.deps, actor, id);

    const cursor = await apply(10, 20, 5, known);

    expect(cursor).toBe(10);
    expect(await counted()).toEqual({ clicks: 0, lastClicked: null });
    expect(await apply(10, 20, 2)).toBe(20);
    expect(await counted()).toEqual({ clicks: 2, lastClicked: 2_000 });
  });

  test("is exact even while clicks are being counted", async () => {
    const { actor, id, apply, counted } = await newClicked();
    const known = pendingPurges(world.deps.db);
    await known;

    const [cursor] = await Promise.all([apply(10, 20, 5, known), purgeClicks(world.deps, actor, id)]);

    // Either they were counted before it, or not at all.
    expect([10, 20]).toContain(cursor);
    expect(await counted()).toEqual({ clicks: 0, lastClicked: null });
  });

  test("covers every counted click after the clock was set back, and what an earlier purge covers", async () => {
    const { actor, id, apply } = await newClicked();
    const clockBackMs = 60_000;
    await purgeClicks(world.deps, actor, id);
    const ahead = world.deps.now() + 1_000;
    await apply(10, 20, 5, undefined, ahead);

    world.advance(-clockBackMs);
    const first = await purgeClicks(world.deps, actor, id);
    const second = await purgeClicks(world.deps, actor, id);
    world.advance(clockBackMs);

    expect(first.before).toBe(ahead + 1);
    expect(second.before).toBe(ahead + 1);
  });

  test("works for a deleted link by its id, and for no link that the workspace never had", async () => {
    const { workspace, actor, id } = await newClicked();
    const other = await world.newWorkspace();
    await deleteLink(world.deps, actor, id);

    expect((await purgeClicks(world.deps, actor, id)).id).toBe(id);
    expect(await refusal(purgeClicks(world.deps, other.actor, id))).toBe("not_found");
    expect(await refusal(purgeClicks(world.deps, workspace.actor, "link_unknown"))).toBe("not_found");
    expect(await refusal(purgeClicks(world.deps, workspace.actor, "ext_unknown"))).toBe("not_found");
  });

  test("does not reopen a used-up link", async () => {
    const { actor, id } = await newClicked(3);

    await purgeClicks(world.deps, actor, id);

    const limits = openClickLimits(world.deps.db);
    expect(await limits.isUsedUp(id, 3)).toBe(true);
    expect(await limits.take(id, 3)).toBe(false);
    expect(await limits.take(id, 4)).toBe(true);
  });

  test("erases the store's clicks at once, and again when the spools have been read", async () => {
    const { actor, id } = await newClicked();
    const { workspaceId } = actor;
    const { before } = await purgeClicks(world.deps, actor, id);
    const { state, deps, erasedOf } = newStore();

    await purgeNextClicks(deps);
    expect(erasedOf(id)).toEqual([{ workspaceId, linkId: id, before }]);
    state.end = 700;
    world.advance(settleMs);
    await purgeNextClicks(deps);
    state.read = 699;
    await purgeNextClicks(deps);
    expect(erasedOf(id).length).toBe(1);
    state.read = 700;
    state.failures = 1;
    expect(purgeNextClicks(deps)).rejects.toThrow("The store is unavailable.");
    expect(await isPending(id)).toBe(true);
    await finishAll();
    expect(await isPending(id)).toBe(false);
  });

  test("starts over with the later instant when requested again", async () => {
    const { actor, id } = await newClicked();
    const first = await purgeClicks(world.deps, actor, id);
    const { state, deps, erasedOf } = newStore();
    state.read = state.end;
    await purgeNextClicks(deps);
    world.advance(settleMs);
    await purgeNextClicks(deps);

    const second = await purgeClicks(world.deps, actor, id);
    await purgeNextClicks(deps);

    expect(second.before).toBeGreaterThan(first.before);
    expect(erasedOf(id).map((scope) => "before" in scope && scope.before)).toEqual([first.before, second.before]);
    expect(await isPending(id)).toBe(true);
    await finishAll();
    expect(await isPending(id)).toBe(false);
  });

  describe("starts over when the same instant is requested again", () => {
    /** Purges until a step asks for one of these deps, requests the purge again there, and takes the next steps. */
    async function requestAt(moment: "spools" | "eraseClicks", stepsBefore: number) {
      const { actor, id } = await newClicked();
      await purgeClicks(world.deps, actor, id);
      const { state, deps } = newStore();
      state.read = state.end;
      for (let step = 0; step < stepsBefore; step++) {
        await purgeNextClicks(deps);
        world.advance(settleMs);
      }
      // As in repeat-removals.ts, for clicks that a node adds to its spool.
      const repeat = async () => {
        await world.deps.db.updateTable("purges").set({ isErased: 0, spoolEnds: null }).execute();
        state.end += 100;
      };
      const spools = async () => {
        const before = await deps.spools();
        await repeat();
        return before;
      };
      await purgeNextClicks({ ...deps, ...(moment === "spools" ? { spools } : { eraseClicks: repeat }) });
      for (let step = 0; step < 3; step++) await purgeNextClicks(deps);
      return { id, state, deps };
    }

    test.each([
      ["the ends of the spools are read", "spools", 1],
      ["its clicks are erased", "eraseClicks", 2],
    ] as const)("while %s, and then waits for later clicks", async (_, moment, stepsBefore) => {
      const { id, state, deps } = await requestAt(moment, stepsBefore);
      expect(await isPending(id)).toBe(true);

      state.read = state.end;
      await purgeNextClicks(deps);
      expect(await isPending(id)).toBe(false);
    });
  });

  test("is bounded in number per workspace", async () => {
    const { actor, id } = await newClicked();
    const { workspaceId } = actor;
    const rows = Array.from({ length: pendingPurgesMax }, (_, index) => ({
      ...{ linkId: `link_${engine}${index}`, workspaceId, before: 1, isErased: 0 as const, spoolEnds: null },
    }));
    for (let start = 0; start < rows.length; start += 200) {
      await world.deps.db
        .insertInto("purges")
        .values(rows.slice(start, start + 200))
        .execute();
    }

    expect(await refusal(purgeClicks(world.deps, actor, id))).toBe("rate_limit_exceeded");
    const other: LinkWorkspace = await world.newWorkspace();
    const { id: otherId } = await createLink(world.deps, other.actor, { url: "example.com" });
    expect(await refusal(purgeClicks(world.deps, other.actor, otherId))).toBe("none");
  });
});
