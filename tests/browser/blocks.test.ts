/** How the dashboard shows blocks by the operator, and domains that are not verified. */
import { expect, test } from "bun:test";
import { waypost } from "../support/command.ts";
import { accessibilityErrorsOf, newPerson } from "../support/dashboard.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { addDomain, addLink } from "../support/short-domains.ts";

const world = openWalks();
const url = "https://example.com/to";
const views = [{}, { colorScheme: "dark" }, { viewport: { width: 360, height: 740 }, locale: "de-DE" }] as const;

async function block(kind: string, target: string): Promise<void> {
  const { code, stderr } = await waypost([kind, "block", target, "--reason", "Phishing"], world.server);
  if (code !== 0) throw new Error(stderr);
}

/** Opens a page in each view, waits for its text in English or German, and returns the violations that axe finds. */
async function accessibilityErrorsAt(address: string, text: RegExp): Promise<string[]> {
  const errors: string[] = [];
  for (const view of views) {
    const page = await world.newPage(view);
    await page.goto(address);
    await page.getByText(text).first().waitFor();
    errors.push(...(await accessibilityErrorsOf(page)));
    await page.context().close();
  }
  return errors;
}

test(
  "rows of links show blocks and unverified domains, and the link's drawer explains them",
  async () => {
    const { page, server } = world;
    const [blocked, pending] = [await addDomain(server), await addDomain(server)];
    const { id, shortLink } = await addLink(server, { url, key: "blocked" });
    await addLink(server, { url, key: "on-blocked", domain: blocked.slug });
    await addLink(server, { url, key: "on-pending", domain: pending.slug });
    await addLink(server, { url, key: "works" });
    await block("link", shortLink);
    await block("domain", blocked.slug);

    await page.goto(world.url("/links"));
    const row = (key: string) => page.getByRole("listitem").filter({ has: page.getByText(`/${key}`, { exact: true }) });
    await row("blocked").getByText("Blocked by the operator").waitFor();
    await row("on-blocked").getByText("Blocked by the operator").waitFor();
    await row("on-pending").getByText("Domain not verified").waitFor();
    const marks = await row("works")
      .getByText(/Blocked|not verified/)
      .count();
    await page.goto(world.url(`/links?edit=${id}`));
    await page.getByText(/^The operator has blocked this link/).waitFor();

    expect(marks).toBe(0);
    const mark = /^(Blocked by the operator|Vom Betreiber gesperrt)$/;
    expect(await accessibilityErrorsAt(world.url("/links"), mark)).toEqual([]);
    expect(await accessibilityErrorsAt(world.url(`/links?edit=${id}`), mark)).toEqual([]);
    await page.goto(world.url("/domains"));
    const domain = page.getByRole("listitem").filter({ hasText: blocked.slug });
    await domain.getByText("Blocked by the operator").waitFor();
    expect(await page.getByText("Blocked by the operator").count()).toBe(1);
    expect(await accessibilityErrorsAt(world.url("/domains"), mark)).toEqual([]);
    expect(await accessibilityErrorsAt(world.url(`/domains/${blocked.slug}`), mark)).toEqual([]);
  },
  3 * walkMsMax,
);

test(
  "the pages of a blocked workspace say so, and the account pages still work",
  async () => {
    const { page, server } = world;
    const { body } = await server.call("POST", "/workspaces", { body: { name: "Blocked" } });
    const id = String(Object(body).id);
    await block("workspace", id);
    const pages = `${server.url}/app/w/${id}`;

    await page.goto(`${pages}/analytics`);
    await page.getByRole("heading", { name: "The operator has blocked this workspace" }).waitFor();
    const errors = await page.getByRole("alert").count();
    await page.goto(`${pages}/account`);
    await page.getByLabel("E-mail").waitFor();

    expect(errors).toBe(0);
    const title = /^(The operator has blocked this workspace|Der Betreiber hat diesen Arbeitsbereich gesperrt)$/;
    expect(await accessibilityErrorsAt(`${pages}/links`, title)).toEqual([]);
  },
  2 * walkMsMax,
);

test(
  "every page tells a person that their account is blocked, and lets them sign out",
  async () => {
    const { server } = world;
    const person = await newPerson(server);
    const page = await world.newPage({}, person);
    await page.goto(world.url("/links"));
    await page.getByRole("heading", { name: "Links" }).waitFor();
    await block("user", person.email);

    await page.reload();
    await page.getByRole("heading", { name: "The operator has blocked your account" }).waitFor();
    const errors = await accessibilityErrorsOf(page);
    await page.getByRole("button", { name: "Sign out" }).click();

    await page.getByRole("heading", { name: "Sign in to Waypost" }).waitFor();
    expect(errors).toEqual([]);
  },
  walkMsMax,
);
