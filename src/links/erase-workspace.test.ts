import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { engines } from "../../tests/support/databases.ts";
import { type LinkWorkspace, refusal } from "../../tests/support/links.ts";
import { openLinks } from "../../tests/support/open-links.ts";
import { authenticate, createApiKey } from "../access/api-keys.ts";
import { deleteWorkspace } from "../access/delete-workspace.ts";
import { insertMember, listWorkspaces } from "../access/workspaces.ts";
import { createLink } from "./create-link.ts";
import { type EraseDeps, eraseNextPart, linksPerStepMax, settleMs } from "./erase-workspace.ts";

const url = "https://example.com/";

describe.each([...engines])("a deleted workspace on %s", (engine) => {
  const world = openLinks(engine);

  const remove = async ({ actor }: LinkWorkspace, name = "Acme") => await deleteWorkspace(world.deps, actor, name);
  const newLink = async ({ actor, domain }: LinkWorkspace, key?: string, slug = domain.slug) =>
    await createLink(world.deps, actor, { url, domain: slug, ...(key === undefined ? {} : { key }) });
  /** A spool and a store at positions that the test sets. */
  const newStore = () => {
    const state = { end: 500, cursor: 0, erased: [] as number[], failures: 0, haveSettled: true };
    const deps: EraseDeps = {
      ...world.deps,
      spools: async () => [
        { id: "spool", end: state.end, stored: state.cursor },
        { id: "read", end: 10, stored: 10 },
      ],
      haveNodesSettled: async () => state.haveSettled,
      async eraseClicks(workspaceId) {
        if (state.failures-- > 0) throw new Error("The store is unavailable.");
        state.erased.push(workspaceId);
      },
    };
    return { state, deps };
  };
  const eraseRows = async (deps: EraseDeps) => {
    let steps = 1;
    while ((await eraseNextPart(deps)) === "again") steps++;
    return steps;
  };
  const countOf = async (table: "links" | "domains" | "apiKeys" | "members" | "erasures", workspaceId: number) =>
    (await world.deps.db.selectFrom(table).select("workspaceId").where("workspaceId", "=", workspaceId).execute())
      .length;

  test("can be deleted only by an owner who types its name", async () => {
    const workspace = await world.newWorkspace();

    expect(await refusal(remove(workspace, "acme"))).toBe("unprocessable_entity");
    expect(await refusal(deleteWorkspace(world.deps, { ...workspace.actor, userId: "user_x" }, "Acme"))).toBe(
      "not_found",
    );
    await world.deps.db
      .updateTable("members")
      .set({ role: "member" })
      .where("userId", "=", workspace.actor.userId)
      .execute();
    expect(await refusal(remove(workspace))).toBe("forbidden");
    expect(await countOf("erasures", workspace.actor.workspaceId)).toBe(0);
  });

  test("cannot be the one of the instance's domain, nor one with other workspaces' links on its domains", async () => {
    const [workspace, other] = [await world.newWorkspace(), await world.newWorkspace()];
    const { workspaceId, userId } = { ...workspace.actor, workspaceId: world.instance.workspaceId };
    await world.deps.db.transaction().execute((tx) => insertMember(tx, workspaceId, userId, "owner", 1));
    const link = await newLink(other);
    await world.deps.db.updateTable("links").set({ domainId: workspace.domain.id }).where("id", "=", link.id).execute();

    expect(await refusal(deleteWorkspace(world.deps, { ...workspace.actor, workspaceId }, "Acme"))).toBe("conflict");
    expect(await refusal(remove(workspace))).toBe("conflict");
  });

  test("has no members and keys at once, and its deletion is recorded", async () => {
    const workspace = await world.newWorkspace();
    const { key } = await createApiKey(world.deps, workspace.actor, {
      name: "Key",
      scopes: null,
      expiresAt: null,
      allWorkspaces: false,
    });

    await remove(workspace);

    expect(await authenticate(world.deps, key, undefined)).toBeUndefined();
    expect(await listWorkspaces(world.deps, workspace.actor)).toEqual([]);
    expect(await world.eventsOf(String(workspace.actor.workspaceId))).toMatchObject([
      { type: "workspace.created" },
      { type: "workspace.deleted", userId: workspace.actor.userId, name: "Acme" },
    ]);
    expect(await refusal(remove(workspace))).toBe("not_found");
  });

  test("is deleted once by simultaneous calls", async () => {
    const workspace = await world.newWorkspace();

    const outcomes = await Promise.all([1, 2, 3].map(() => refusal(remove(workspace))));

    expect(outcomes.sort()).toEqual(["none", "not_found", "not_found"]);
  });

  test("loses its rows in batches, and no other workspace loses any", async () => {
    const [workspace, other] = [await world.newWorkspace(), await world.newWorkspace()];
    for (let made = 0; made <= linksPerStepMax; made++) await newLink(workspace);
    const kept = await newLink(other);
    // Finishes the deletions of the other tests.
    await eraseRows(newStore().deps);
    const { workspaceId } = workspace.actor;
    await remove(workspace);

    const { deps } = newStore();
    const remaining: number[] = [];
    for (let outcome = "again"; outcome === "again"; ) {
      outcome = await eraseNextPart(deps);
      remaining.push(await countOf("links", workspaceId));
    }

    expect(remaining.slice(0, 2)).toEqual([2, 0]);
    expect(await countOf("domains", workspaceId)).toBe(0);
    const events = world.deps.db.selectFrom("events").select("type").where("workspaceId", "=", workspaceId);
    expect(await events.execute()).toEqual([{ type: "workspace.deleted" }]);
    expect(await world.eventsOf(kept.id)).toMatchObject([{ type: "link.created" }]);
    expect(await countOf("links", other.actor.workspaceId)).toBeGreaterThan(0);
  });

  test("releases its keys on the instance's domain, which stay reserved for a day", async () => {
    const [workspace, other] = [await world.newWorkspace(), await world.newWorkspace()];
    await newLink(workspace, "given-up", world.instance.slug);
    await remove(workspace);
    await eraseRows(newStore().deps);

    expect(await refusal(newLink(other, "given-up", world.instance.slug))).toBe("conflict");
  });

  test("loses its clicks once the store has read the spools, even after the store failed", async () => {
    const workspace = await world.newWorkspace();
    const { workspaceId } = workspace.actor;
    await remove(workspace);
    const { state, deps } = newStore();
    await eraseRows(deps);
    state.end = 700;
    world.advance(settleMs);
    await eraseNextPart(deps);

    state.cursor = 699;
    await eraseNextPart(deps);
    expect(state.erased).not.toContain(workspaceId);
    state.cursor = 700;
    state.failures = 1;
    expect(eraseNextPart(deps)).rejects.toThrow("The store is unavailable.");
    expect(await countOf("erasures", workspaceId)).toBe(1);
    await eraseNextPart(deps);

    expect(state.erased.filter((id) => id === workspaceId)).toEqual([workspaceId]);
    expect(await countOf("erasures", workspaceId)).toBe(0);
  });

  test("stays to be erased when that is requested again while its clicks are erased", async () => {
    const workspace = await world.newWorkspace();
    const { workspaceId } = workspace.actor;
    await remove(workspace);
    const { state, deps } = newStore();
    state.cursor = state.end;
    await eraseRows(deps);
    world.advance(settleMs);
    await eraseNextPart(deps);

    await eraseNextPart({
      ...deps,
      async eraseClicks(id) {
        const again = { requestedAt: world.deps.now(), spoolEnds: sql<string>`null` };
        await world.deps.db.updateTable("erasures").set(again).where("workspaceId", "=", id).execute();
      },
    });
    expect(await countOf("erasures", workspaceId)).toBe(1);
    world.advance(settleMs);
    await eraseNextPart(deps);
    await eraseNextPart(deps);

    expect(state.erased).toContain(workspaceId);
    expect(await countOf("erasures", workspaceId)).toBe(0);
  });
});
