/** What a search finds in a database from before migration 0020. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Migrator, sql } from "kysely";
import { databaseStartMsMax, engines } from "../../tests/support/databases.ts";
import { sharedPostgres } from "../../tests/support/postgres.ts";
import type { Actor } from "../access/actor.ts";
import { connect, type Database, type DatabaseLocation } from "../database/database.ts";
import type { Engine } from "../database/engine.ts";
import { migrations } from "../database/migrations/migrations.ts";
import { transact } from "../database/transact.ts";
import { listLinks } from "./list-links.ts";

describe.each([...engines])("an upgrade of the search index on %s", (engine) => {
  let world: { database: Database; close(): Promise<void> };
  let actor: Actor;
  beforeAll(async () => {
    world = await openBefore(engine);
    actor = await insertLinks(world.database);
    await migrate(world.database);
  }, databaseStartMsMax);
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

/** A database with the tables of the version before. */
async function openBefore(engine: Engine) {
  const { location, remove } = await emptyLocation(engine);
  const database = connect(location, "full");
  await migrate(database, "0019-block-names");
  return {
    database,
    async close() {
      await database.close();
      await remove();
    },
  };
}

async function emptyLocation(engine: Engine): Promise<{ location: DatabaseLocation; remove(): Promise<void> }> {
  if (engine === "postgres") {
    const server = await sharedPostgres();
    const url = await server.createDatabase();
    return { location: { kind: "postgres", url }, remove: () => server.stop() };
  }
  const folder = await mkdtemp(join(tmpdir(), "waypost-test-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  return { location: { kind: "sqlite", path: join(folder, `${randomUUID()}.sqlite`) }, remove };
}

async function migrate({ db, engine }: Database, last?: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations(engine) } });
  const { error } = last === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(last);
  if (error !== undefined) throw error;
}

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
