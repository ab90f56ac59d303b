import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { type AccessWorld, openAccessWorld } from "../../tests/support/workspaces.ts";
import { authenticate, createApiKey } from "../access/api-keys.ts";
import { exportUser } from "../access/export-user.ts";
import { acceptInvite, createInvite } from "../access/invites.ts";
import { listMembers, removeMember } from "../access/members.ts";
import { findSession, openSession } from "../access/sessions.ts";
import { createWorkspace } from "../access/workspaces.ts";
import { deletePerson, disablePerson, enablePerson, findPerson, listPeople, setAdministrator } from "./people.ts";

describe.each([...engines])("people on %s", (engine) => {
  let world: AccessWorld;

  beforeAll(async () => {
    world = await openAccessWorld(engine);
  });

  afterAll(() => world.close());

  const newKey = { name: "Key", scopes: null, expiresAt: null, allWorkspaces: false };
  const newEmail = () => `${crypto.randomUUID()}@example.com`;

  test("a disabled account loses sessions and keys at once, and gets none until it is enabled", async () => {
    const owner = await world.newOwner();
    const member = await world.newColleague(owner, "member");
    const { key } = await createApiKey(world, member, newKey);
    const cookie = await openSession(world, {
      userId: member.userId,
      userAgent: "",
      language: "en",
      method: "password",
    });

    expect(await disablePerson(world, null, member.userId)).toMatchObject({ withoutOwner: [] });

    expect(await authenticate(world, key, undefined)).toBeUndefined();
    expect(await findSession(world, cookie)).toBeUndefined();
    expect(
      await refusal(openSession(world, { userId: member.userId, userAgent: "", language: "en", method: "password" })),
    ).toBe("forbidden");
    expect(await refusal(createApiKey(world, member, newKey))).toBe("forbidden");
    expect(await refusal(createWorkspace(world, member, "Mine"))).toBe("forbidden");
    expect(await refusal(disablePerson(world, null, member.userId))).toBe("conflict");

    await enablePerson(world, null, member.userId);

    expect(await authenticate(world, key, undefined)).toBeUndefined();
    expect(await findSession(world, cookie)).toBeUndefined();
    expect(
      await openSession(world, { userId: member.userId, userAgent: "", language: "en", method: "password" }),
    ).toBeString();
    expect((await listMembers(world, owner)).map(({ userId }) => userId)).toContain(member.userId);
    expect(await refusal(enablePerson(world, null, member.userId))).toBe("conflict");
  });

  test("a disabled account cannot accept an invite, and its own invites end", async () => {
    const owner = await world.newOwner();
    const inviting = await world.newColleague(owner, "owner");
    const invite = { email: null, role: "member", expiresAt: null } as const;
    const [open, own] = [await createInvite(world, owner, invite), await createInvite(world, inviting, invite)];
    const stranger = await world.newUser();
    await disablePerson(world, null, stranger);
    await disablePerson(world, null, inviting.userId);

    expect(await refusal(acceptInvite(world, { userId: stranger }, open.token))).toBe("forbidden");
    expect(await refusal(acceptInvite(world, { userId: await world.newUser() }, own.token))).toBe("not_found");
  });

  test("a disabled owner is not the other owner whom a workspace needs", async () => {
    const owner = await world.newOwner();
    const disabled = await world.newColleague(owner, "owner");
    await disablePerson(world, null, disabled.userId);

    expect(await refusal(removeMember(world, owner, owner.userId))).toBe("conflict");
    expect(await disablePerson(world, null, owner.userId)).toMatchObject({
      withoutOwner: [{ id: owner.workspaceId, name: "Acme" }],
    });
  });

  test("the only owner of a workspace is not deleted", async () => {
    const owner = await world.newOwner();

    expect(await deletePerson(world, null, owner.userId)).toEqual({
      kind: "onlyOwner",
      workspaces: [{ id: owner.workspaceId, name: "Acme" }],
      id: owner.userId,
    });
    expect(await findPerson(world.db, owner.userId)).toMatchObject({ name: "Ada", state: "active" });
  });

  test("a deleted account leaves nothing about the person, and its address is free", async () => {
    const owner = await world.newOwner();
    const email = newEmail();
    const userId = await world.newUser(email);
    const { token } = await createInvite(world, owner, { email: null, role: "member", expiresAt: null });
    const actor = { ...owner, userId, role: "member" as const };
    await acceptInvite(world, { userId }, token);
    const { key } = await createApiKey(world, actor, newKey);

    expect(await deletePerson(world, null, email)).toMatchObject({ kind: "deleted", id: userId });

    const row = await world.db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();
    expect(row).toMatchObject({ email: null, name: "", passwordHash: null, verifiedAt: null });
    expect(await authenticate(world, key, undefined)).toBeUndefined();
    expect((await listMembers(world, owner)).map((member) => member.userId)).toEqual([owner.userId]);
    expect(await refusal(findPerson(world.db, userId))).toBe("not_found");
    expect(await refusal(enablePerson(world, null, userId))).toBe("not_found");
    expect(await refusal(openSession(world, { userId, userAgent: "", language: "en", method: "password" }))).toBe(
      "forbidden",
    );
    expect(await refusal(exportUser(world, userId))).toBe("not_found");
    expect(await world.newUser(email)).toBeString();
  });

  test("an export contains memberships, sessions and keys without their secrets", async () => {
    const owner = await world.newOwner();
    const { key, prefix } = await createApiKey(world, owner, newKey);
    const cookie = await openSession(world, {
      userId: owner.userId,
      userAgent: "",
      language: "en",
      method: "password",
    });

    const exported = await exportUser(world, owner.userId);

    expect(exported).toMatchObject({
      profile: { id: owner.userId, name: "Ada", avatar: null },
      workspaces: [{ id: owner.workspaceId, name: "Acme", role: "owner" }],
      sessions: [{ label: "Unknown browser" }],
      apiKeys: [{ name: "Key", prefix }],
      savedViews: [],
      notifications: [],
    });
    const text = JSON.stringify(exported);
    expect([text.includes(key), text.includes(cookie), text.includes("hash")]).toEqual([false, false, false]);
  });

  test("are found by a part of name or address, which is no pattern, in pages", async () => {
    const email = newEmail();
    const id = await world.newUser(email);
    const find = async (search: string) => (await listPeople(world.db, { search, limit: 100 })).map((row) => row.id);

    expect(await find(email.slice(3, 30).toUpperCase())).toEqual([id]);
    expect(await find("%")).toEqual([]);
    expect(await find("_@")).toEqual([]);
    const [first, second] = await listPeople(world.db, { limit: 2 });
    expect(await listPeople(world.db, { limit: 1, after: first?.id })).toEqual(second === undefined ? [] : [second]);
  });

  test("become administrators, who cannot disable or delete their own account", async () => {
    const userId = await world.newUser(newEmail());
    const unverified = await world.newUser(newEmail(), { isVerified: false });

    await setAdministrator(world, { user: userId, isAdministrator: true });

    expect(await findPerson(world.db, userId)).toMatchObject({ isAdministrator: true });
    expect(await refusal(setAdministrator(world, { user: unverified, isAdministrator: true }))).toBe("conflict");
    expect(await refusal(setAdministrator(world, { user: userId, isAdministrator: true }))).toBe("conflict");
    await world.db.updateTable("users").set({ email: null }).where("id", "=", unverified).execute();
    await expect(setAdministrator(world, { user: unverified, isAdministrator: true })).rejects.toThrow(
      "no e-mail address",
    );
    expect(await refusal(disablePerson(world, { userId }, userId))).toBe("conflict");
    expect(await refusal(deletePerson(world, { userId }, userId))).toBe("conflict");
  });
});
