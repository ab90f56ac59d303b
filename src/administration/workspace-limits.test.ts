import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { engines } from "../../tests/support/databases.ts";
import { noInstanceLimits } from "../../tests/support/instance-limits.ts";
import { refusal } from "../../tests/support/links.ts";
import { problemOf } from "../../tests/support/problem-of.ts";
import { type AccessWorld, openAccessWorld } from "../../tests/support/workspaces.ts";
import { createApiKey } from "../access/api-keys.ts";
import { acceptInvite, createInvite } from "../access/invites.ts";
import { changeRole } from "../access/members.ts";
import { limitsOf, storeInstanceLimits } from "../access/workspace-limits.ts";
import { createWorkspace, getWorkspace, updateWorkspace } from "../access/workspaces.ts";
import { createDomain } from "../domains/create-domain.ts";
import { createExample } from "../examples/create-example.ts";
import { setLimits } from "./workspace-limits.ts";

const newKey = { name: "Key", scopes: null, expiresAt: null, allWorkspaces: false };

describe.each([...engines])("limits on %s", (engine) => {
  let world: AccessWorld;
  beforeAll(async () => {
    world = await openAccessWorld(engine);
    await storeInstanceLimits(world.db, noInstanceLimits);
  });
  afterAll(() => world.close());

  const set = (workspaceId: number, changes: object) =>
    setLimits({ ...world, reads: world.db }, null, { workspaceId, ...changes });
  const refusals = async (calls: Promise<unknown>[]) => (await Promise.all(calls.map(refusal))).sort();

  test.skipIf(engine !== "sqlite")(
    "of the instance are stored again only when they change, so that a full disk prevents no start",
    async () => {
      await storeInstanceLimits(world.db, noInstanceLimits);
      for (const event of ["insert", "update"]) {
        await sql`create trigger ${sql.id(event)} before ${sql.raw(event)} on settings begin select raise(abort, 'full'); end`.execute(
          world.db,
        );
      }

      await storeInstanceLimits(world.db, noInstanceLimits);
      const changed = storeInstanceLimits(world.db, { ...noInstanceLimits, WAYPOST_MAX_LINKS: 7 }).catch(
        (error: unknown) => error,
      );

      expect(String(await changed)).toContain("full");
      for (const event of ["insert", "update"]) await sql`drop trigger ${sql.id(event)}`.execute(world.db);
    },
  );

  test("a workspace's own limit replaces the instance's, and null returns to it", async () => {
    const { workspaceId } = await world.newOwner();
    await storeInstanceLimits(world.db, { ...noInstanceLimits, WAYPOST_MAX_LINKS: 10, WAYPOST_MAX_DOMAINS: 3 });
    const maxLinks = async () => (await limitsOf(world.db, workspaceId)).effective.links;

    const found = [await maxLinks()];
    for (const links of [5, "unlimited", null]) {
      await set(workspaceId, { links });
      found.push(await maxLinks());
    }

    expect(found).toEqual([10, 5, null, 10]);
    expect((await limitsOf(world.db, workspaceId)).effective.domains).toBe(3);
    await storeInstanceLimits(world.db, noInstanceLimits);
    expect((await world.eventsOf(workspaceId)).map(({ data }) => data)).toContainEqual({
      before: { linksMax: "default" },
      after: { linksMax: 5 },
    });
  });

  test("simultaneous creations never exceed a limit", async () => {
    const owner = await world.newOwner();
    await set(owner.workspaceId, { apiKeys: 2, domains: 2, members: 2 });
    const invites = await Promise.all(
      [1, 2, 3].map(() => createInvite(world, owner, { email: null, role: "member", expiresAt: null })),
    );
    const people = await Promise.all([1, 2, 3].map(() => world.newUser()));

    const keys = await refusals([1, 2, 3, 4].map(() => createApiKey(world, owner, newKey)));
    const domains = await refusals(
      [1, 2, 3, 4].map((index) => createDomain(world, owner, { slug: `l${index}-${owner.workspaceId}.example` })),
    );
    const members = await refusals(
      invites.map(({ token }, index) => acceptInvite(world, { userId: people[index] ?? "" }, token)),
    );

    expect(keys).toEqual(["conflict", "conflict", "none", "none"]);
    expect(domains).toEqual(["conflict", "conflict", "none", "none"]);
    expect(members).toEqual(["conflict", "conflict", "none"]);
  });

  test("a member of a full workspace who accepts another invite reads that they are a member", async () => {
    const owner = await world.newOwner();
    await set(owner.workspaceId, { members: 1 });
    const { token } = await createInvite(world, owner, { email: null, role: "member", expiresAt: null });

    const problem = await problemOf(acceptInvite(world, owner, token));

    expect(problem).toMatchObject({ code: "conflict", message: "You are already a member of this workspace." });
  });

  test("simultaneous creations of workspaces never exceed the limit of a user; administrators have none", async () => {
    await storeInstanceLimits(world.db, { ...noInstanceLimits, WAYPOST_MAX_WORKSPACES: 2 });
    const { userId } = await world.newOwner();
    const create = () => createWorkspace(world, { userId }, "Acme");

    expect(await refusals([create(), create(), create()])).toEqual(["conflict", "conflict", "none"]);
    await world.db.updateTable("users").set({ isAdministrator: 1 }).where("id", "=", userId).execute();
    expect(await refusals([create()])).toEqual(["none"]);
    await storeInstanceLimits(world.db, noInstanceLimits);
  });

  test("handing ownership on, or an invitation, leaves nobody with more workspaces than the limit of a user", async () => {
    const [giver, taker] = [await world.newOwner(), await world.newUser()];
    const invite = { role: "owner", email: null, expiresAt: null } as const;
    const { token } = await createInvite(world, giver, invite);
    const { token: asMember } = await createInvite(world, giver, { ...invite, role: "member" });
    await storeInstanceLimits(world.db, { ...noInstanceLimits, WAYPOST_MAX_WORKSPACES: 1 });
    await createWorkspace(world, { userId: taker }, "Acme");
    const promote = () => refusal(changeRole(world, giver, { userId: taker, role: "owner" }));

    expect(await refusal(acceptInvite(world, { userId: taker }, token))).toBe("conflict");
    expect(await refusal(acceptInvite(world, { userId: taker }, asMember))).toBe("none");
    expect(await promote()).toBe("conflict");
    await storeInstanceLimits(world.db, noInstanceLimits);
    expect(await promote()).toBe("none");
  });

  test("the example workspace does not count towards the limit of a user", async () => {
    await storeInstanceLimits(world.db, { ...noInstanceLimits, WAYPOST_MAX_WORKSPACES: 1 });
    const userId = await world.newUser();

    await createExample(world, { userId });

    expect(await refusal(createWorkspace(world, { userId }, "Acme"))).toBe("none");
    await storeInstanceLimits(world.db, noInstanceLimits);
  });

  test("a new workspace begins with the default retention, and owners stay within the limit", async () => {
    await storeInstanceLimits(world.db, {
      ...noInstanceLimits,
      WAYPOST_DEFAULT_RETENTION_DAYS: 90,
      WAYPOST_MAX_RETENTION_DAYS: 365,
    });
    const userId = await world.newUser();
    const workspaceId = await createWorkspace(world, { userId }, "Acme");
    const owner = { userId, workspaceId, role: "owner", scopes: null, expiresAt: null } as const;
    const change = (clickRetentionDays: number | null) =>
      refusal(updateWorkspace(world, owner, { clickRetentionDays }));

    expect((await getWorkspace(world, owner)).clickRetentionDays).toBe(90);
    expect([await change(365), await change(366), await change(null)]).toEqual([
      "none",
      "unprocessable_entity",
      "unprocessable_entity",
    ]);
    await set(workspaceId, { clickRetentionDays: "unlimited" });
    expect(await change(null)).toBe("none");
    await storeInstanceLimits(world.db, noInstanceLimits);
  });
});
