/** Passkeys in the dashboard, with Chromium's virtual authenticator. */
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityErrorsOf, newPerson } from "../support/dashboard.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { withDatabase } from "../support/server-database.ts";

const world = openWalks();

/** Passkeys belong to the host of WAYPOST_URL, which is localhost. */
const atLocalhost = (path: string) => `${world.server.url.replace("127.0.0.1", "localhost")}/app${path}`;

/** Errors of all pages; the world expects them at 127.0.0.1, whose requests here go to localhost. */
const errors = () =>
  world.pageErrors.filter((error) => !error.startsWith(`a request to ${atLocalhost("").slice(0, -4)}`));

/** Gives a page an authenticator that a person unlocks at once. */
async function addAuthenticator(page: Page) {
  const client = await page.context().newCDPSession(page);
  await client.send("WebAuthn.enable");
  await client.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Opens a page at localhost, signed in with the password. */
async function signedIn(person: { email: string; password: string }, path: string): Promise<Page> {
  const page = await world.newPage({}, null);
  const url = atLocalhost("");
  await page.context().request.post(`${url}/session`, { data: person, headers: { Origin: new URL(url).origin } });
  await page.goto(atLocalhost(path));
  return page;
}

async function addPasskey(page: Page, password: string): Promise<void> {
  await page.getByRole("button", { name: "Add passkey" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a passkey" });
  await dialog.getByLabel("Name").fill("Work laptop");
  await dialog.getByLabel("Current password").fill(password);
  expect(await accessibilityErrorsOf(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByText("The passkey “Work laptop” was added.").first().waitFor();
}

/** Makes the browser one that offers no passkeys in the autofill; the authenticator would answer there at once. */
async function turnAutofillOff(page: Page): Promise<void> {
  await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false");
}

/** Signs the page's person out, and opens the sign-in page. */
async function signOut(page: Page): Promise<void> {
  await page.context().request.delete(atLocalhost("/session"), { headers: { Origin: new URL(page.url()).origin } });
  await page.goto(atLocalhost("/sign-in"));
}

test(
  "a person adds a passkey, signs out, and signs in with it",
  async () => {
    const ann = await newPerson(world.server);
    const page = await signedIn(ann, "/w/1/account/security");
    await addAuthenticator(page);
    await addPasskey(page, ann.password);
    await page.getByText("Not used yet").waitFor();
    expect(await accessibilityErrorsOf(page)).toEqual([]);

    await turnAutofillOff(page);
    await signOut(page);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(/\/w\/1\//);
    await page.goto(atLocalhost("/w/1/account/security"));

    await page.getByText(/Last used/).waitFor();
    await page.getByRole("button", { name: "Actions for Work laptop" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Old laptop");
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByRole("button", { name: "Actions for Old laptop" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await page.getByRole("dialog").getByLabel("Current password").fill(ann.password);
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("You have no passkeys yet.").waitFor();
    expect(errors()).toEqual([]);
  },
  walkMsMax,
);

test(
  "a sign-in without a passkey on the device says so",
  async () => {
    const page = await world.newPage({}, null);
    await addAuthenticator(page);
    await turnAutofillOff(page);
    await page.goto(atLocalhost("/sign-in"));

    await page.getByRole("button", { name: "Sign in with a passkey" }).click();

    await page.getByText("No passkey was used. Try again, or choose another way.").waitFor();
    expect(await accessibilityErrorsOf(page)).toEqual([]);
  },
  walkMsMax,
);

test(
  "a page with another URL than the service's says where passkeys work, and does not offer them",
  async () => {
    const page = await world.newPage();
    await page.goto(world.url("/account/security"));

    await page
      .getByText(`Passkeys only work at ${new URL(atLocalhost("")).origin}. Open the dashboard there.`)
      .waitFor();

    expect(await page.getByRole("button", { name: "Add passkey" }).count()).toBe(0);
    const visitor = await world.newPage({}, null);
    await visitor.goto(`${world.server.url}/app/sign-in`);
    await visitor.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await visitor.getByRole("button", { name: "Sign in with a passkey" }).count()).toBe(0);
  },
  walkMsMax,
);

test(
  "a passkey opens a workspace that requires a second factor, when it is added and when the autofill signs in with it",
  async () => {
    const ann = await newPerson(world.server);
    await withDatabase(world.server, ({ db }) =>
      db.updateTable("workspaces").set({ requiresSecondFactor: 1 }).where("id", "=", 1).execute(),
    );
    const page = await signedIn(ann, "/w/1/links");
    await addAuthenticator(page);

    await page.getByRole("link", { name: "Go to security settings" }).click();
    await addPasskey(page, ann.password);
    await page.getByRole("link", { name: "Links", exact: true }).click();
    await page.getByRole("heading", { name: "Links" }).waitFor();
    await signOut(page);
    await page.waitForURL(/\/w\/1\//);
    await page.goto(atLocalhost("/w/1/links"));

    await page.getByRole("heading", { name: "Links" }).waitFor();
    expect(errors()).toEqual([]);
  },
  walkMsMax,
);
