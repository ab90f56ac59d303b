/** What a search finds in a database from before migration 0020. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { engines } from "../../tests/support/databases.ts";
import { migrate, openBefore } from "../../tests/support/earlier-database.ts";
import type { Actor } from "../access/actor.ts";
import type { Database } from "../database/database.ts";
import { transact } from "../database/transact.ts";
import { listLinks } from "./list-links.ts";

describe.each([...engines])("an upgrade of the search index on %s", (engine) => {
  let world: { database: Database; close(): Promise<void> };
  let actor: Actor;
  beforeAll(async () => {
    world = await openBefore(engine, "0019-block-names");
    actor = await insertLinks(world.database);
    await migrate(world.database);
  });
  afterAll(() => world.close());

  async function found(search: string): Promise<string[]> {
    const { db } = world.database;
    return (await listLinks({ db }, actor, { search }, { pageSize: 9 })).map(({ key }) => key);
  }

  test("finds earlier links by title and comments, and still by key and URL", async () => {
    expect(await found("summer party")).toEqual(["one"]);
    expect(await found("ask nora")).toEqual(["two"]);
    expect(await found("one")).toEqual(["one"]);
    expect(await found("a.example")).toEqual(["two", "one"]);
  });

  test("may run again after an interruption", async () => {
    const { db } = world.database;
    await sql`delete from "kysely_migration" where "name" >= '0020'`.execute(db);

    await migrate(world.database, "0020-search-titles");

    expect(await found("summer party")).toEqual(["one"]);
    expect(await found("a.example")).toEqual(["two", "one"]);
  });

  test("finds an earlier link by its new title only, after a change", async () => {
    await transact(world.database.db, async (tx) => {
      await tx.updateTable("links").set({ title: "Winter" }).where("key", "=", "one").execute();
    });

    expect(await found("summer party")).toEqual([]);
    expect(await found("winter")).toEqual(["one"]);
  });
});

/** Inserts as an earlier version did; raw SQL, because the types of the tables have the current columns. */
async function insertLinks({ db }: Database): Promise<Actor> {
  await db
    .insertInto("users")
    .values({ id: "user_1", email: null, name: "Ann", passwordHash: null, createdAt: 1 })
    .execute();
  await db.insertInto("workspaces").values({ name: "Acme", avatarFile: null, createdAt: 1 }).execute();
  const { id: workspaceId } = await db.selectFrom("workspaces").select("id").executeTakeFirstOrThrow();
  await transact(db, async (tx) => {
    await sql`
      insert into "domains" ("id", "workspaceId", "slug", "status", "token", "createdAt", "updatedAt")
      values ('dom_1', ${workspaceId}, 'go.example.com', 'verified', 'token', 1, 1)`.execute(tx);
    for (const [id, key, title, comments] of [
      ["link_1", "one", "Summer party", null],
      ["link_2", "two", null, "Ask Nora first"],
    ] as const) {
      await sql`
        insert into "links" ("id", "workspaceId", "domainId", "key", "foldedKey", "url", "title", "comments", "createdAt", "updatedAt")
        values (${id}, ${workspaceId}, 'dom_1', ${key}, ${key}, 'https://a.example', ${title}, ${comments}, 1, 1)`.execute(
        tx,
      );
    }
  });
  return { userId: "user_1", workspaceId, role: "owner", scopes: null, expiresAt: null };
}
