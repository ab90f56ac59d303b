import { afterAll, beforeAll, expect, test } from "bun:test";
import { type LinkWorld, openLinkWorld } from "../../tests/support/links.ts";
import { transact } from "../database/transact.ts";
import { deleteWorkspace } from "./delete-workspace.ts";
import { followGroups } from "./mapped-members.ts";
import { insertUser } from "./users.ts";

let world: LinkWorld;

beforeAll(async () => {
  world = await openLinkWorld("sqlite");
});

afterAll(async () => {
  await world.close();
});

test("a group makes nobody a member of a workspace that was deleted and is not erased yet", async () => {
  const { db, now } = world.deps;
  const [deleted, kept] = [await world.newWorkspace(), await world.newWorkspace()];
  await deleteWorkspace(world.deps, deleted.actor, "Acme");
  const roles = new Map([deleted, kept].map(({ actor }) => [actor.workspaceId, "member" as const]));

  const userId = await transact(db, async (tx) => {
    const id = await insertUser(tx, { email: null, name: "", passwordHash: null }, now());
    await followGroups(tx, id, roles, now());
    return id;
  });

  const members = await db.selectFrom("members").select("workspaceId").where("userId", "=", userId).execute();
  expect(members).toEqual([{ workspaceId: kept.actor.workspaceId }]);
});
