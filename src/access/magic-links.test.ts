import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "../../tests/support/databases.ts";
import { type AccessWorld, openAccessWorld } from "../../tests/support/workspaces.ts";
import { findMagicLink, insertProviderLink, mailMagicLink, newBrowserToken, useMagicLink } from "./magic-links.ts";
import { findUser } from "./users.ts";

describe.each([...engines])("links to sign in on %s", (engine) => {
  let world: AccessWorld;
  beforeAll(async () => {
    world = await openAccessWorld(engine);
  });
  afterAll(() => world.close());

  test("are open one at a time, even after simultaneous requests", async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const userId = await world.newUser(email);
    const mailer = { hasServer: true, send: async () => "sent" as const };
    const deps = { ...world, mailer, appUrl: new URL("https://links.example.com") };

    const request = () => mailMagicLink(deps, { email, language: "en", browser: newBrowserToken(), next: undefined });
    await Promise.all([1, 2, 3, 4, 5].map(request));

    const open = await world.db.selectFrom("magicLinks").select("hash").where("userId", "=", userId).execute();
    expect(open.length).toBe(1);
  });

  test("made for a sign-in by a provider verify no address, and ask for the code even if the address is unverified", async () => {
    const { userId } = await world.newOwner();
    await world.db.updateTable("users").set({ verifiedAt: null }).where("id", "=", userId).execute();
    await world.db
      .insertInto("oneTimeCodes")
      .values({ userId, sealedSecret: "", lastStep: 0, confirmedAt: 1 })
      .execute();
    const browser = newBrowserToken();
    const token = await insertProviderLink(world, { userId, browser });

    const link = await findMagicLink(world, token, browser);
    const used = await useMagicLink(world, token);

    expect(link).toMatchObject({ needsCode: true, verifiesAddress: false });
    expect(used).toBe(userId);
    expect((await findUser(world, userId))?.verifiedAt).toBeNull();
  });
});
