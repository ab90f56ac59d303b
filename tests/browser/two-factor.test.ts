/** Two-factor authentication in the dashboard: setting it up, signing in with it, and requiring it. */
import { expect, test } from "bun:test";
import { newPerson, ownerSignIn } from "../support/dashboard.ts";
import { codeOf } from "../support/one-time-codes.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { withDatabase } from "../support/server-database.ts";

const world = openWalks();

test(
  "an owner without a second factor cannot require one",
  async () => {
    const page = await world.newPage({}, ownerSignIn);
    await page.goto(world.url("/settings"));

    await page.getByRole("switch", { name: "Require two-factor authentication" }).click();

    await page
      .getByText("Set up one-time codes or a passkey in your own account first, and sign in with it.")
      .waitFor();
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "an owner without a second factor is led to set it up, sees whose keys are refused, and then signs in with a code",
  async () => {
    const ann = await newPerson(world.server, "owner");
    // Only a session with a second factor could end this, so it is the last test of the file.
    await withDatabase(world.server, ({ db }) =>
      db.updateTable("workspaces").set({ requiresSecondFactor: 1 }).where("id", "=", 1).execute(),
    );
    const page = await world.newPage({}, ann);
    await page.goto(world.url("/links"));

    await page.getByRole("link", { name: "Go to security settings" }).click();
    await page.getByRole("button", { name: "Turn on" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Current password").fill(ann.password);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
    const secret = (await dialog.getByRole("region", { name: "Key" }).innerText()).trim();
    await dialog.getByLabel("Code", { exact: true }).fill(codeOf(secret));
    await dialog.getByRole("button", { name: "Turn on" }).click();
    await dialog.getByRole("list", { name: "Recovery codes" }).waitFor();
    expect(await dialog.getByRole("listitem").count()).toBe(10);
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Close anyway" }).click();
    await page.getByText("10 recovery codes left").waitFor();
    await page.getByRole("link", { name: "Links", exact: true }).click();
    await page.getByRole("heading", { name: "Links" }).waitFor();
    // The first user has a key and no second factor.
    await page.goto(world.url("/settings/keys"));
    const key = page.getByRole("listitem").filter({ hasText: "This workspace requires two-factor authentication" });
    await key.getByText("Refused", { exact: true }).waitFor();

    const other = await world.newPage({}, null);
    await other.goto(`${world.server.url}/app/sign-in`);
    await other.getByLabel("E-mail").fill(ann.email);
    await other.getByLabel("Password").fill(ann.password);
    await other.getByRole("button", { name: "Sign in" }).click();
    await other.getByLabel("Code").fill("000 000");
    await other.getByRole("button", { name: "Sign in" }).click();
    await other.getByText("This code is wrong, or has already been used.").waitFor();
    await other.getByLabel("Code").fill(codeOf(secret, 1));
    await other.getByRole("button", { name: "Sign in" }).click();
    await other.waitForURL(/\/w\/1\//);

    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
