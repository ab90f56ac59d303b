import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { engines } from "../../tests/support/databases.ts";
import { type DomainWorld, openDomainWorld } from "../../tests/support/domains.ts";
import { authenticate, createApiKey } from "./api-keys.ts";

const newKey = { name: "Key", scopes: null, expiresAt: null, allWorkspaces: true };

describe.each([...engines])("API keys on %s", (engine) => {
  let world: DomainWorld;
  beforeAll(async () => {
    world = await openDomainWorld(engine);
  });
  afterAll(() => world.close());

  test("a key works even if its last use cannot be stored", async () => {
    const owner = await world.newOwner();
    const { id, key } = await createApiKey(world, owner, newKey);
    await refuseUpdates();

    const actor = await authenticate(world, key, undefined);

    expect(actor).toEqual({ ...owner, apiKeyId: id });
    expect(
      await world.db.selectFrom("apiKeys").select("lastUsedAt").where("userId", "=", owner.userId).execute(),
    ).toEqual([{ lastUsedAt: null }]);
  });

  /** Like a full disk, for this table only. */
  async function refuseUpdates(): Promise<void> {
    if (engine === "sqlite") {
      await sql`create trigger "full" before update on "apiKeys" begin select raise(abort, 'full'); end`.execute(
        world.db,
      );
      return;
    }
    await sql`create function "full"() returns trigger language plpgsql as 'begin raise exception ''full''; end'`.execute(
      world.db,
    );
    await sql`create trigger "full" before update on "apiKeys" execute function "full"()`.execute(world.db);
  }
});
