/** Signing in with an OpenID Connect provider. */
import { afterAll, expect, test } from "bun:test";
import { accessibilityErrorsOf, newPerson } from "../support/dashboard.ts";
import { startOidcProvider } from "../support/oidc-provider.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const provider = await startOidcProvider();
afterAll(() => provider.stop());
const world = openWalks({ ...provider.environment, WAYPOST_OIDC_NAME: "Acme" });

test(
  "a person signs in with the provider and comes to the requested page; without an account, the page says so",
  async () => {
    const ann = await newPerson(world.server);
    await provider.setAccount("ann", { email: ann.email, email_verified: true });
    await provider.setAccount("eve", { email: "eve@example.com", email_verified: true });
    const signIn = async (id: string) => {
      const page = await world.newPage({}, null);
      // At 127.0.0.1; the provider sends the browser back to the host of WAYPOST_URL, localhost.
      await page.goto(`${world.server.url}/app/w/1/domains`);
      await page.getByRole("link", { name: "Continue with Acme" }).click();
      await page.locator("[name=login]").fill(id);
      await page.locator("[name=password]").fill("any");
      await page.locator("button[type=submit]").click();
      return page;
    };

    const annsPage = await signIn("ann");
    await annsPage.getByRole("heading", { name: "Domains" }).waitFor();
    const evesPage = await signIn("eve");
    await evesPage.getByRole("alert").getByText("You have no account here").waitFor();

    expect(await accessibilityErrorsOf(evesPage)).toEqual([]);
  },
  walkMsMax,
);
