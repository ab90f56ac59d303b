import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { type AccessWorld, openAccessWorld } from "../../tests/support/workspaces.ts";
import { listMembers } from "../access/members.ts";
import { listAllDomains } from "./domains.ts";
import { disablePerson } from "./people.ts";
import { deleteAnyWorkspace, listAllWorkspaces, transferWorkspace } from "./workspaces.ts";

describe.each([...engines])("workspaces on %s", (engine) => {
  let world: AccessWorld;

  beforeAll(async () => {
    world = await openAccessWorld(engine);
  });

  afterAll(() => world.close());

  test("are transferred to a person, who joins, while former owners become members", async () => {
    const owner = await world.newOwner();
    const { workspaceId } = owner;
    const to = await world.newUser(`${crypto.randomUUID()}@example.com`);

    await transferWorkspace(world, null, { workspaceId, to });

    const roles = (await listMembers(world, owner)).map(({ userId, role }) => [userId, role]);
    expect(Object.fromEntries(roles)).toEqual({ [owner.userId]: "member", [to]: "owner" });
    expect((await world.eventsOf(workspaceId)).map(({ type }) => type)).toEqual(["member.added", "member.updated"]);
    expect(await refusal(transferWorkspace(world, null, { workspaceId, to }))).toBe("conflict");
    expect(await refusal(transferWorkspace(world, null, { workspaceId, to: "user_none" }))).toBe("not_found");
    expect(await refusal(transferWorkspace(world, null, { workspaceId: 999, to }))).toBe("not_found");
  });

  test("are not transferred to an account without an e-mail address, and the error says what to do", async () => {
    const { workspaceId } = await world.newOwner();
    const to = await world.newUser(`${crypto.randomUUID()}@example.com`);
    await world.db.updateTable("users").set({ email: null }).where("id", "=", to).execute();

    await expect(transferWorkspace(world, null, { workspaceId, to })).rejects.toThrow(
      `${to} has no e-mail address. Add one and verify it: waypost user email`,
    );
  });

  test("are not transferred to a disabled account", async () => {
    const { workspaceId } = await world.newOwner();
    const to = await world.newUser(`${crypto.randomUUID()}@example.com`);
    await disablePerson(world, null, to);

    expect(await refusal(transferWorkspace(world, null, { workspaceId, to }))).toBe("forbidden");
  });

  test("are deleted with their name as confirmation, and are then no longer listed", async () => {
    const { workspaceId } = await world.newOwner();
    const listed = async () => (await listAllWorkspaces(world.db, { limit: 100 })).map(({ id }) => id);
    expect(await refusal(deleteAnyWorkspace(world, null, { workspaceId, confirm: "Other" }))).toBe(
      "unprocessable_entity",
    );
    expect(await listed()).toContain(workspaceId);

    await deleteAnyWorkspace(world, null, { workspaceId, confirm: "Acme" });

    expect(await listed()).not.toContain(workspaceId);
    expect(await refusal(deleteAnyWorkspace(world, null, { workspaceId, confirm: "Acme" }))).toBe("not_found");
  });

  test("are listed with their owners and numbers, and found by name", async () => {
    const owner = await world.newOwner();
    const listed = await listAllWorkspaces(world.db, { search: "ACM", after: owner.workspaceId - 1, limit: 1 });

    expect(listed).toMatchObject([
      { id: owner.workspaceId, name: "Acme", owners: ["Ada"], members: 1, domains: 0, isBlocked: false },
    ]);
    expect(await listAllWorkspaces(world.db, { search: "none", limit: 100 })).toEqual([]);
    expect(await listAllDomains(world.db, { search: "none", limit: 100 })).toEqual([]);
  });
});
