import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { refusal } from "../../tests/support/links.ts";
import { type AccessWorld, openAccessWorld } from "../../tests/support/workspaces.ts";
import { dayMs, minuteMs } from "../base/time.ts";
import { createApiKey, revokeApiKey } from "./api-keys.ts";
import { forgetAuditEntries, listAuditEntries } from "./audit-log.ts";
import { exportAuditLog } from "./export-audit-log.ts";
import { createInvite } from "./invites.ts";
import { changeRole, removeMember } from "./members.ts";
import { openSession } from "./sessions.ts";
import { updateWorkspace } from "./workspaces.ts";

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
const page = { pageSize: 100 };
const newKey = { name: "Website", scopes: null, expiresAt: null, allWorkspaces: false };

describe.each([...engines])("the audit log on %s", (engine) => {
  let world: AccessWorld;

  beforeAll(async () => {
    world = await openAccessWorld(engine);
  });

  afterAll(() => world.close());

  const list = (actor: Parameters<typeof listAuditEntries>[1], filter = {}) =>
    listAuditEntries(world, actor, filter, page);
  const textOf = async (stream: ReadableStream<Uint8Array>) => await new Response(stream).text();

  test("lists changes newest first, with the user, the object, and the fields before and after", async () => {
    const owner = await world.newOwner();
    const { userId } = await world.newColleague(owner, "viewer");
    world.advance(1);
    await changeRole(world, owner, { userId, role: "member" });
    world.advance(1);
    await updateWorkspace(world, owner, { name: "Sales" });
    world.advance(1);
    await removeMember(world, owner, userId);

    const entries = await list(owner);

    expect(entries.slice(0, 3)).toMatchObject([
      { type: "member.removed", object: { id: userId, name: "Ada" }, before: { role: "member" }, after: null },
      { type: "workspace.updated", object: { name: "Sales" }, after: { name: "Sales" } },
      {
        type: "member.updated",
        user: { id: owner.userId, name: "Ada" },
        apiKey: null,
        object: { id: userId, name: "Ada" },
        before: { role: "viewer" },
        after: { role: "member" },
      },
    ]);
  });

  test("names the API key with which a user acted, and contains no key and no token", async () => {
    const owner = await world.newOwner();
    const { id, key } = await createApiKey(world, owner, newKey);
    const byKey = { ...owner, apiKeyId: id };
    const second = await createApiKey(world, byKey, { ...newKey, name: "Second" });
    await revokeApiKey(world, byKey, second.id);
    const { token } = await createInvite(world, byKey, {
      email: "new@example.com",
      role: "viewer",
      expiresAt: world.now() + dayMs,
    });

    const entries = await list(owner);

    expect(entries.slice(0, 3).map(({ type, apiKey, object }) => [type, apiKey?.name, object.name])).toEqual([
      ["invite.created", "Website", "new@example.com"],
      ["apiKey.revoked", "Website", "Second"],
      ["apiKey.created", "Website", "Second"],
    ]);
    for (const secret of [key, second.key, token]) expect(JSON.stringify(entries)).not.toContain(secret);
  });

  test("lists a sign-in once a minute, with method and browser, in each workspace of the user", async () => {
    const owner = await world.newOwner();
    const other = await world.newOwner();
    for (let count = 0; count < 3; count++)
      await openSession(world, { userId: owner.userId, userAgent: firefox, language: "en", method: "password" });
    world.advance(minuteMs + 1);
    await openSession(world, { userId: owner.userId, userAgent: firefox, language: "en", method: "link" });

    const signIns = await list(owner, { kind: "signIn" });

    expect(signIns.map(({ after }) => after)).toEqual([
      { method: "link", browser: "Firefox on Linux" },
      { method: "password", browser: "Firefox on Linux" },
    ]);
    expect(await list(other, { kind: "signIn" })).toEqual([]);
  });

  test("is filtered by kind, user and time, and paged without gaps", async () => {
    const owner = await world.newOwner();
    const colleague = await world.newColleague(owner, "owner");
    const start = world.now() + 1;
    world.advance(1);
    await createApiKey(world, colleague, newKey);
    world.advance(1);
    const end = world.now();
    await createApiKey(world, owner, newKey);

    const all = await list(owner);
    const pages = [];
    for (let startingAfter: string | undefined; pages.length < all.length; ) {
      const [entry] = await listAuditEntries(world, owner, {}, { pageSize: 1, startingAfter });
      pages.push(entry);
      startingAfter = entry?.id;
    }

    expect(pages).toEqual(all);
    expect(await list(owner, { kind: "apiKey" })).toHaveLength(2);
    expect(await list(owner, { kind: "apiKey", userId: colleague.userId })).toHaveLength(1);
    expect(await list(owner, { start, end })).toMatchObject([{ user: { id: colleague.userId } }]);
  });

  test("is refused to members, and empty for owners of other workspaces", async () => {
    const owner = await world.newOwner();
    const member = await world.newColleague(owner, "member");
    await createApiKey(world, owner, newKey);

    expect(await refusal(list(member))).toBe("forbidden");
    expect(await refusal(exportAuditLog(world, member, { format: "csv" }))).toBe("forbidden");
    expect(await list(await world.newOwner(), { userId: owner.userId })).toEqual([]);
  });

  test("is exported as CSV without formulas, and as JSON Lines", async () => {
    const owner = await world.newOwner();
    await createApiKey(world, owner, { ...newKey, name: '=cmd("x")' });

    const csv = await textOf(await exportAuditLog(world, owner, { format: "csv", kind: "apiKey" }));
    const lines = await textOf(await exportAuditLog(world, owner, { format: "jsonl", kind: "apiKey" }));

    const [head, row = "", end] = csv.split("\r\n");
    expect(head).toBe("id,at,type,objectId,objectName,userId,userName,userEmail,apiKeyId,apiKeyName,before,after");
    expect(row).toContain(`,"'=cmd(""x"")",`);
    expect(end).toBe("");
    expect(JSON.parse(lines)).toMatchObject({ type: "apiKey.created", object: { name: '=cmd("x")' } });
  });

  test("instants among the changed fields are ISO 8601, in the list and in exports", async () => {
    const owner = await world.newOwner();
    const expiresAt = Date.UTC(2099, 0, 1);
    await createApiKey(world, owner, { ...newKey, expiresAt });

    const [entry] = await list(owner, { kind: "apiKey" });
    const lines = await textOf(await exportAuditLog(world, owner, { format: "jsonl", kind: "apiKey" }));

    const after = { name: newKey.name, expiresAt: "2099-01-01T00:00:00.000Z" };
    expect(entry).toMatchObject({ after });
    expect(JSON.parse(lines)).toMatchObject({ after });
  });

  test("an export reads every entry of a long log once", async () => {
    const owner = await world.newOwner();
    for (let count = 0; count < 501; count++) await updateWorkspace(world, owner, { name: `Name ${count}` });

    const lines = await textOf(await exportAuditLog(world, owner, { format: "jsonl", kind: "workspace" }));

    const ids = lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(501);
  });

  test("forgets entries after the retention", async () => {
    const owner = await world.newOwner();
    await updateWorkspace(world, owner, { name: "Old" });
    world.advance(10 * dayMs);
    await updateWorkspace(world, owner, { name: "New" });

    while ((await forgetAuditEntries(world, 9)) === "again");

    expect((await list(owner)).map(({ after }) => after)).toEqual([{ name: "New" }]);
  });
});
