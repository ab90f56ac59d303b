import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databaseStartMsMax, engines } from "../../tests/support/databases.ts";
import { type AccessWorld, openAccessWorld } from "../../tests/support/workspaces.ts";
import { findMagicLink, insertProviderLink, newLinkBrowser, useMagicLink } from "./magic-links.ts";
import { findUser } from "./users.ts";

describe.each([...engines])("a sign-in with a provider that needs a code on %s", (engine) => {
  let world: AccessWorld;
  beforeAll(async () => {
    world = await openAccessWorld(engine);
  }, databaseStartMsMax);
  afterAll(() => world.close());

  test("verifies no address, and asks for the code of a user whose address is unverified", async () => {
    const { userId } = await world.newOwner();
    await world.db.updateTable("users").set({ verifiedAt: null }).where("id", "=", userId).execute();
    await world.db
      .insertInto("oneTimeCodes")
      .values({ userId, sealedSecret: "", lastStep: 0, confirmedAt: 1 })
      .execute();
    const browser = newLinkBrowser();
    const token = await insertProviderLink(world, { userId, browser });

    const link = await findMagicLink(world, token, browser);
    const used = await useMagicLink(world, token);

    expect(link).toMatchObject({ needsCode: true, isVerified: true });
    expect(used).toBe(userId);
    expect((await findUser(world, userId))?.verifiedAt).toBeNull();
  });
});
