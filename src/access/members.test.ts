import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { type AccessWorld, openAccessWorld } from "../../tests/support/workspaces.ts";
import { authenticate, createApiKey } from "./api-keys.ts";
import { acceptInvite, createInvite, listInvites } from "./invites.ts";
import { changeRole, listMembers, removeMember } from "./members.ts";

describe.each([...engines])("members on %s", (engine) => {
  let world: AccessWorld;

  beforeAll(async () => {
    world = await openAccessWorld(engine);
  });

  afterAll(() => world.close());

  const rolesOf = async (workspaceId: number) =>
    (await listMembers(world, { workspaceId })).map(({ role }) => role).sort();

  test("are listed with name, e-mail, role and time of joining", async () => {
    const owner = await world.newOwner();
    const createdAt = world.now();

    expect(await listMembers(world, owner)).toEqual([
      { userId: owner.userId, name: "Ada", email: null, role: "owner", avatarFile: null, createdAt },
    ]);
  });

  test("get another role from an owner, which is recorded", async () => {
    const owner = await world.newOwner();
    const { userId } = await world.newColleague(owner, "viewer");

    expect(await changeRole(world, owner, { userId, role: "member" })).toMatchObject({ userId, role: "member" });
    await changeRole(world, owner, { userId, role: "member" });

    const data = { before: { role: "viewer" }, after: { role: "member" } };
    expect(await world.eventsOf(owner.workspaceId)).toEqual([
      { type: "member.updated", objectId: userId, userId: owner.userId, data },
    ]);
  });

  test("without the owner role cannot change or remove others", async () => {
    const owner = await world.newOwner();
    const member = await world.newColleague(owner, "member");
    const { userId } = await world.newColleague(owner, "viewer");

    expect(await refusal(changeRole(world, member, { userId, role: "owner" }))).toBe("forbidden");
    expect(await refusal(changeRole(world, member, { userId: member.userId, role: "owner" }))).toBe("forbidden");
    expect(await refusal(removeMember(world, member, userId))).toBe("forbidden");
    expect(await rolesOf(owner.workspaceId)).toEqual(["member", "owner", "viewer"]);
  });

  test("a former owner cannot change anyone", async () => {
    const owner = await world.newOwner();
    const former = await world.newColleague(owner, "owner");
    await changeRole(world, owner, { userId: former.userId, role: "viewer" });

    expect(await refusal(changeRole(world, former, { userId: owner.userId, role: "viewer" }))).toBe("forbidden");
  });

  test("of other workspaces are not found", async () => {
    const owner = await world.newOwner();
    const stranger = await world.newOwner();

    expect(await refusal(changeRole(world, owner, { userId: stranger.userId, role: "viewer" }))).toBe("not_found");
    expect(await refusal(removeMember(world, owner, stranger.userId))).toBe("not_found");
    expect(await refusal(removeMember(world, { ...stranger, workspaceId: owner.workspaceId }, owner.userId))).toBe(
      "not_found",
    );
  });

  test("who are removed lose only their keys of that workspace, which is recorded", async () => {
    const owner = await world.newOwner();
    const member = await world.newColleague(owner, "member");
    const home = { ...(await world.newOwner()), userId: member.userId };
    await world.db
      .updateTable("members")
      .set({ userId: member.userId })
      .where("workspaceId", "=", home.workspaceId)
      .execute();
    const newKey = { name: "Key", scopes: null, expiresAt: null, allWorkspaces: false };
    const [here, there] = [await createApiKey(world, member, newKey), await createApiKey(world, home, newKey)];

    await removeMember(world, owner, member.userId);

    expect(await authenticate(world, here.key, undefined)).toBeUndefined();
    expect(await authenticate(world, there.key, undefined)).toMatchObject({ userId: member.userId });
    expect(await refusal(authenticate(world, there.key, owner.workspaceId))).toBe("not_found");
    expect((await world.eventsOf(owner.workspaceId)).slice(1)).toEqual([
      { type: "apiKey.revoked", objectId: here.id, userId: owner.userId, data: { name: "Key", prefix: here.prefix } },
      { type: "member.removed", objectId: member.userId, userId: owner.userId, data: { role: "member" } },
    ]);
  });

  test("who are removed or no longer owners cannot rejoin by their own invite", async () => {
    const owner = await world.newOwner();
    const forOwner = { email: null, role: "owner", expiresAt: null } as const;
    const [removed, demoted] = [await world.newColleague(owner, "owner"), await world.newColleague(owner, "owner")];
    const made = [await createInvite(world, removed, forOwner), await createInvite(world, demoted, forOwner)];
    const kept = await createInvite(world, owner, forOwner);

    await removeMember(world, owner, removed.userId);
    await changeRole(world, owner, { userId: demoted.userId, role: "member" });

    for (const { token } of made) {
      expect(await refusal(acceptInvite(world, { userId: await world.newUser() }, token))).toBe("not_found");
    }
    expect(await listInvites(world, owner)).toEqual([kept.invite]);
    const revoked = (await world.eventsOf(owner.workspaceId)).filter(({ type }) => type === "invite.revoked");
    expect(revoked.map(({ objectId, userId }) => [objectId, userId])).toEqual(
      made.map(({ invite }) => [invite.id, owner.userId]),
    );
  });

  test("of every role can leave", async () => {
    const owner = await world.newOwner();
    for (const role of ["owner", "member", "viewer"] as const) {
      const colleague = await world.newColleague(owner, role);

      expect(await removeMember(world, colleague, colleague.userId)).toEqual({ userId: colleague.userId });
    }
    expect(await rolesOf(owner.workspaceId)).toEqual(["owner"]);
  });

  test("the last owner can neither leave nor take a lower role", async () => {
    const owner = await world.newOwner();
    await world.newColleague(owner, "member");

    expect(await refusal(removeMember(world, owner, owner.userId))).toBe("conflict");
    expect(await refusal(changeRole(world, owner, { userId: owner.userId, role: "viewer" }))).toBe("conflict");
    expect(await rolesOf(owner.workspaceId)).toEqual(["member", "owner"]);
  });

  test("one owner stays when all leave simultaneously", async () => {
    const owner = await world.newOwner();
    const owners = [owner, ...(await Promise.all([1, 2, 3].map(() => world.newColleague(owner, "owner"))))];

    const outcomes = await Promise.all(
      owners.map(async (leaving, index) =>
        index % 2 === 0
          ? await refusal(removeMember(world, leaving, leaving.userId))
          : await refusal(changeRole(world, leaving, { userId: leaving.userId, role: "viewer" })),
      ),
    );

    expect(outcomes.sort()).toEqual(["conflict", "none", "none", "none"]);
    expect((await rolesOf(owner.workspaceId)).filter((role) => role === "owner")).toEqual(["owner"]);
  });
});
