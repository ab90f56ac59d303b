/** Badges of what no longer gives access: API keys that have expired, and identity providers of earlier settings. */
import { expect, test } from "bun:test";
import { ownerSignIn } from "../support/dashboard.ts";
import { addIdentity } from "../support/identities.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { withDatabase } from "../support/server-database.ts";

const world = openWalks();

test(
  "a key that has expired says so, and one that has not does not",
  async () => {
    const { page, server } = world;
    for (const name of ["Old shop", "New shop"]) {
      expect((await server.call("POST", "/api-keys", { body: { name } })).status).toBeLessThan(300);
    }
    await withDatabase(server, ({ db }) =>
      db
        .updateTable("apiKeys")
        .set({ expiresAt: Date.UTC(2026, 0, 1) })
        .where("name", "=", "Old shop")
        .execute(),
    );

    await page.goto(world.url("/settings/keys"));
    const keyOf = (name: string) => page.getByRole("listitem").filter({ hasText: name });
    await keyOf("Old shop").getByText("Expired", { exact: true }).waitFor();

    expect(await keyOf("New shop").getByText("Expired", { exact: true }).count()).toBe(0);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the provider of an earlier setting is marked as no longer used, and can be disconnected",
  async () => {
    const { page, server } = world;
    await withDatabase(server, async ({ db }) => {
      const owner = db.selectFrom("users").select("id").where("email", "=", ownerSignIn.email);
      await addIdentity(db, (await owner.executeTakeFirstOrThrow()).id, "owner@id.example.com");
    });

    await page.goto(world.url("/account/security"));
    const identity = page.getByRole("listitem").filter({ hasText: "owner@id.example.com" });
    await identity.getByText("No longer used", { exact: true }).waitFor();
    await identity.getByRole("button", { name: /^Disconnect/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Current password").fill(ownerSignIn.password);
    await dialog.getByRole("button", { name: "Disconnect" }).click();

    await identity.waitFor({ state: "detached" });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
