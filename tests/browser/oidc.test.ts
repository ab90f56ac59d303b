/** Signing in with an OpenID Connect provider. */
import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityErrorsOf, newPerson } from "../support/dashboard.ts";
import { startOidcProvider } from "../support/oidc-provider.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { withServer } from "../support/server.ts";

const provider = await startOidcProvider();
afterAll(() => provider.stop());
const world = openWalks({ ...provider.environment, WAYPOST_OIDC_NAME: "Acme" });

/** Opens a page of the dashboard and signs in with the provider there. */
async function signIn(id: string, path: string) {
  const page = await world.newPage({}, null);
  // At 127.0.0.1; the provider sends the browser back to the host of WAYPOST_URL, localhost.
  await page.goto(`${world.server.url}/app${path}`);
  await signInFrom(page, id);
  return page;
}

async function signInFrom(page: Page, id: string): Promise<void> {
  await page.getByRole("link", { name: "Continue with Acme" }).click();
  await page.locator("[name=login]").fill(id);
  await page.locator("[name=password]").fill("any");
  await page.locator("button[type=submit]").click();
}

test(
  "the security page lists the provider that signs the person in, and disconnects it",
  async () => {
    const person = await newPerson(world.server);
    await provider.setAccount("joined", { email: person.email, email_verified: true });

    const page = await signIn("joined", "/account/security");
    await page.getByText("Sign-in with Acme").waitFor();
    const faults = await accessibilityErrorsOf(page);
    await page.getByRole("button", { name: "Disconnect Acme" }).click();
    await page.getByRole("dialog").getByLabel("Current password").fill(person.password);
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();

    await page.getByText("Not connected. Sign in with Acme").waitFor();
    expect(faults).toEqual([]);
  },
  walkMsMax,
);

test(
  "without passwords, the pages to sign in, to reset a password and of the account offer the provider only",
  async () => {
    const options = {
      WAYPOST_OIDC_NAME: "Acme",
      WAYPOST_PASSWORD_SIGN_IN: "off",
      WAYPOST_OIDC_CREATE_ACCOUNTS: "true",
      WAYPOST_OIDC_ROLES: "staff=1:member",
    };
    await withServer({ ...provider.environment, ...options }, async (strict) => {
      await provider.setAccount("new", { email: "new@example.com", email_verified: true, groups: ["staff"] });
      const page = await world.newPage({}, null);
      const faults = [];
      await page.goto(`${strict.url}/app/forgot-password`);
      await page.getByRole("heading", { name: "This service has no passwords" }).waitFor();
      faults.push(...(await accessibilityErrorsOf(page)));
      await page.getByRole("link", { name: "Back to sign-in" }).click();
      await page.getByText("People sign in to this service with Acme only.").waitFor();
      await page.getByText("No account yet? Continue with Acme to create one.").waitFor();
      const fields = await page.locator("input").count();
      faults.push(...(await accessibilityErrorsOf(page)));
      await signInFrom(page, "new");
      await page.waitForURL(/\/app\/w\/1\//);
      await page.goto(new URL("/app/account/security", page.url()).href);
      await page.getByText("Your only way to sign in").waitFor();
      faults.push(...(await accessibilityErrorsOf(page)));

      expect([fields, await page.locator("input[type=password]").count()]).toEqual([0, 0]);
      expect(faults).toEqual([]);
    });
  },
  walkMsMax,
);

test(
  "a person signs in with the provider and comes to the requested page; without an account, the page says so",
  async () => {
    const ann = await newPerson(world.server);
    await provider.setAccount("ann", { email: ann.email, email_verified: true });
    await provider.setAccount("eve", { email: "eve@example.com", email_verified: true });

    const annsPage = await signIn("ann", "/w/1/domains");
    await annsPage.getByRole("heading", { name: "Domains" }).waitFor();
    const evesPage = await signIn("eve", "/w/1/domains");
    await evesPage.getByRole("alert").getByText("You have no account here").waitFor();

    expect(await accessibilityErrorsOf(evesPage)).toEqual([]);
  },
  walkMsMax,
);
