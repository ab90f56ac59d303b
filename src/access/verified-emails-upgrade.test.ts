/** Which users of a database from before migration 0017 count as verified after it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { engines } from "../../tests/support/databases.ts";
import { migrate, openBefore } from "../../tests/support/earlier-database.ts";
import { sha256 } from "../base/ids.ts";
import type { Database } from "../database/database.ts";
import { useSignInLink } from "./users.ts";

const firstStart = Date.parse("2026-01-01T00:00:00Z");
const later = firstStart + 60_000;
const upgrade = later + 60_000;
const setupToken = "a".repeat(40);

/** TABLE of users as earlier versions could leave them, in the order of their creation. */
const users = [
  { id: "first", email: "owner@example.com", passwordHash: "hash", createdAt: firstStart, isVerified: true },
  // Only the operator creates accounts without a password, and no client can change the address of such an account.
  { id: "program", email: "program@example.com", passwordHash: null, createdAt: later, isVerified: true },
  // Created by an operator or by an open invite: with a password, the account may have taken another person's address.
  { id: "renamed", email: "ceo@example.com", passwordHash: "hash", createdAt: later, isVerified: false },
  // A second unfinished first start: its link verifies the address.
  { id: "unfinished", email: null, passwordHash: null, createdAt: later, isVerified: false },
] as const;

describe.each([...engines])("an upgrade to verified addresses on %s", (engine) => {
  let world: { database: Database; close(): Promise<void> };
  beforeAll(async () => {
    world = await openBefore(engine, "0016-click-stores");
    await insertUsers(world.database);
    await migrate(world.database, "0017-verified-emails");
  });
  afterAll(() => world.close());

  test.each([...users])("$id: verified is $isVerified", async ({ id, isVerified, createdAt }) => {
    const { db } = world.database;

    const user = await db.selectFrom("users").select("verifiedAt").where("id", "=", id).executeTakeFirstOrThrow();

    expect(user.verifiedAt).toBe(isVerified ? createdAt : null);
  });

  test("leaves all users' passwords, keys and sessions alone", async () => {
    const { db } = world.database;

    const kept = await db.selectFrom("users").select(["id", "passwordHash"]).orderBy("id").execute();
    const keys = await db.selectFrom("apiKeys").select(["userId", "isForAllWorkspaces"]).execute();
    const sessions = await db.selectFrom("sessions").select("userId").execute();
    const members = await db.selectFrom("members").select(["userId", "isConfirmed"]).execute();

    expect(kept).toEqual(
      users.map(({ id, passwordHash }) => ({ id, passwordHash })).sort((a, b) => a.id.localeCompare(b.id)),
    );
    expect(keys).toEqual([{ userId: "renamed", isForAllWorkspaces: 1 }]);
    expect(sessions).toEqual([{ userId: "renamed" }]);
    expect(members).toEqual([{ userId: "first", isConfirmed: 1 }]);
  });

  test("an unused link of the first start still sets up and verifies its account", async () => {
    await migrate(world.database);
    const { db } = world.database;
    const deps = { db, now: () => upgrade };

    const userId = await useSignInLink(deps, setupToken, {
      ...{ name: "Ann", email: "ann@example.com", password: "correct horse battery" },
    });

    const set = db.selectFrom("users").select(["email", "verifiedAt"]).where("id", "=", userId);
    expect(await set.executeTakeFirst()).toEqual({ email: "ann@example.com", verifiedAt: upgrade });
  });
});

async function insertUsers({ db }: Database): Promise<void> {
  const rows = users.map(({ isVerified: _, ...user }) => ({ ...user, name: "Ann" }));
  await db.insertInto("users").values(rows).execute();
  await db.insertInto("workspaces").values({ name: "Acme", avatarFile: null, createdAt: firstStart }).execute();
  const { id: workspaceId } = await db.selectFrom("workspaces").select("id").executeTakeFirstOrThrow();
  await db
    .insertInto("members")
    .values({ workspaceId, userId: "first", role: "owner", createdAt: firstStart })
    .execute();
  // Raw SQL, because the type of the table has the current columns.
  await sql`
    insert into "apiKeys" ("id", "userId", "workspaceId", "name", "prefix", "hash", "createdAt")
    values ('key', 'renamed', ${workspaceId}, 'Key', 'wp_', 'hash', ${later})`.execute(db);
  await db
    .insertInto("sessions")
    .values({
      ...{ id: "session", userId: "renamed", hash: "hash", label: "Firefox on Linux" },
      ...{ createdAt: later, lastSeenAt: later, expiresAt: upgrade + later },
    })
    .execute();
  const link = { hash: sha256(setupToken), userId: "unfinished", expiresAt: upgrade + 1 };
  await db.insertInto("signInLinks").values(link).execute();
}
