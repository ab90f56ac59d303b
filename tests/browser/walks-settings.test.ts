/**
 * Walks through secrets, domains, the first run and a lost connection, in windows of three widths with visible
 * scrollbars. Each walk ends with the faults of the page in both themes. Other files check each part in depth, mostly in
 * one view.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { z } from "zod";
import { type DashboardWorld, openDashboardWorld, worldStartMsMax } from "../support/dashboard.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { newLink, openList, row } from "../support/link-list.ts";
import { walkMsMax } from "../support/open-walks.ts";
import { eventually, browser as firefox } from "../support/server.ts";
import { addVerifiedDomain } from "../support/short-domains.ts";
import { faultsInBothThemes, walkWidths } from "../support/walk-views.ts";

const cnameTarget = "links.example.com";
const NumberedWorkspace = z.object({ id: z.number() });
const Named = z.array(z.object({ name: z.string() }));

let dns: DnsServer;
let world: DashboardWorld;

beforeAll(async () => {
  dns = await startDnsServer();
  world = await openDashboardWorld({ WAYPOST_RESOLVERS: dns.address, WAYPOST_CNAME_TARGET: cnameTarget });
}, worldStartMsMax);
afterAll(async () => {
  await world.close();
  await dns.close();
});

async function openWindow(width: number): Promise<Page> {
  const permissions = ["clipboard-read", "clipboard-write"];
  return await world.newPage({ viewport: { width, height: 800 }, timezoneId: "UTC", permissions });
}

async function copiedText(page: Page): Promise<string> {
  return z.string().parse(await page.evaluate("navigator.clipboard.readText()"));
}

/** Closes a dialog before its secret is copied, returns, copies it with the focused button, and closes the dialog. */
async function copySecret(page: Page, label: string, button: string): Promise<{ faults: string[]; isCopied: boolean }> {
  const dialog = page.getByRole("dialog").filter({ has: page.getByLabel(label, { exact: true }) });
  const secret = await dialog.getByLabel(label, { exact: true }).innerText();
  await dialog.getByRole("button", { name: button }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Close without copying?" }).waitFor();
  const faults = await faultsInBothThemes(page);
  await page.getByRole("button", { name: "Go back" }).click();
  faults.push(...(await faultsInBothThemes(page)));
  await dialog.getByRole("button", { name: button }).click();
  await dialog.getByRole("button", { name: "Copied" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  return { faults, isCopied: (await copiedText(page)) === secret };
}

test.each(walkWidths)(
  "at %i pixels, the links of invitations and shares and a new key are copied with the main button, and secrets are not lost unnoticed",
  async (width) => {
    const page = await openWindow(width);
    await page.goto(world.url("/settings/members"));
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByRole("button", { name: "Create invitation" }).click();
    const invite = await copySecret(page, "Invitation link", "Copy link");
    await page.goto(world.url("/settings/keys"));
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByRole("dialog").getByLabel("Name").fill(`Walk at ${width}`);
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    const key = await copySecret(page, "API key", "Copy key");

    await newLink(world.server, { url: "https://example.com/", key: `shared-${width}` });
    await page.goto(world.url(`/links?search=shared-${width}`));
    await page.getByRole("button", { name: new RegExp(`^Actions for .*/shared-${width}$`) }).click();
    await page.getByRole("menuitem", { name: "Share analytics" }).click();
    const dialog = page.getByRole("dialog", { name: "Share analytics" });
    await dialog.getByRole("button", { name: "Create share link" }).click();
    const created = dialog.getByRole("region", { name: "Share link created" });
    const copy = created.getByRole("button", { name: "Copy link" });
    await copy.and(page.locator(":focus")).waitFor();
    const faults = await faultsInBothThemes(page);
    await copy.click();
    await created.getByRole("button", { name: "Copied" }).waitFor();
    const shared = await copiedText(page);
    await page.goto(shared);
    await page.getByRole("heading", { level: 1, name: new RegExp(`shared-${width}`) }).waitFor();
    await page.context().close();

    expect([invite.isCopied, key.isCopied]).toEqual([true, true]);
    expect([...invite.faults, ...key.faults, ...faults]).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test.each(walkWidths)(
  "at %i pixels, numbered steps guide through a new domain at its DNS provider, and every page names a failing domain",
  async (width) => {
    const zone = `walk-${width}.example`;
    dns.answer(zone, { kind: "name-servers", servers: ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"] });
    const page = await openWindow(width);
    await page.goto(world.url("/domains"));
    await page.getByRole("button", { name: "Add domain" }).first().click();
    await page.getByRole("dialog").getByLabel("Domain", { exact: true }).fill(`go.${zone}`);
    await page.getByRole("dialog").getByRole("button", { name: "Add domain" }).click();
    await page.getByText(`Cloudflare manages the DNS of ${zone}.`).waitFor();
    const steps = page.locator("ol > li");
    const headings = await steps.getByRole("heading", { level: 2 }).allInnerTexts();
    const titles = headings.map((title) => title.split("\n").at(-1));
    await steps.getByRole("button", { name: "Copy value" }).first().click();
    const copied = await copiedText(page);
    await page.getByLabel("DNS provider").selectOption("GoDaddy");
    await page.getByText(/^In GoDaddy, open /).waitFor();
    const faults = await faultsInBothThemes(page);

    const { id, slug, record } = await addVerifiedDomain(world.server, dns);
    dns.answer(record.name, { kind: "nxdomain" });
    await world.server.call("POST", `/domains-v2/${id}/verify`);
    const missing = page.getByText(`The TXT record of ${slug} is missing. Its links work until`);
    for (const path of ["/links", "/analytics", "/domains", "/settings"]) {
      await page.goto(world.url(path));
      await missing.waitFor();
    }
    faults.push(...(await faultsInBothThemes(page)));
    await page.getByRole("link", { name: `Fix it: ${slug}` }).click();
    await page.getByRole("heading", { name: /Its TXT record is missing: links stop in/ }).waitFor();
    faults.push(...(await faultsInBothThemes(page)));
    dns.answer(record.name, { kind: "txt", records: [record.value] });
    await page.getByRole("button", { name: "Verify now" }).click();
    await missing.waitFor({ state: "detached" });
    await page.context().close();

    expect(titles).toEqual(["Open your DNS provider", "Verify ownership", "Point your domain here", "Certificate"]);
    expect(copied).toMatch(/^waypost-verify=/);
    expect(faults).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "on a phone, the note about failing domains names one of them and counts the others",
  async () => {
    const domains = [await addVerifiedDomain(world.server, dns), await addVerifiedDomain(world.server, dns)];
    const check = async () => {
      for (const { id } of domains) await world.server.call("POST", `/domains-v2/${id}/verify`);
    };
    for (const { record } of domains) dns.answer(record.name, { kind: "nxdomain" });
    await check();
    const page = await openWindow(390);
    await page.goto(world.url("/links"));
    const missing = page.getByText(/^The TXT record of .* is missing/).filter({ visible: true });
    const more = page.getByText(/more domains? (is|are) missing/).filter({ visible: true });
    await missing.first().waitFor();
    const onPhone = [await missing.count(), ...(await more.allInnerTexts())];
    const faults = await faultsInBothThemes(page);

    await page.setViewportSize({ width: 1024, height: 800 });
    const beside = [await missing.count(), await more.count()];
    await page.context().close();
    for (const { record } of domains) dns.answer(record.name, { kind: "txt", records: [record.value] });
    await check();

    expect({ onPhone, beside }).toEqual({ onPhone: [1, "1 more domain is missing its record."], beside: [2, 0] });
    expect(faults).toEqual([]);
  },
  walkMsMax,
);

test.each(walkWidths)(
  "at %i pixels, the steps of the first run complete themselves, and the set-up can be skipped",
  async (width) => {
    const { server } = world;
    const page = await openWindow(width);
    const newWorkspace = async (name: string) => {
      const { body } = await server.call("POST", "/workspaces", { body: { name } });
      return `${server.url}/app/w/${NumberedWorkspace.parse(body).id}`;
    };
    const skipped = await newWorkspace(`Skipped at ${width}`);
    await page.goto(`${skipped}/welcome`);
    await page.getByRole("heading", { name: "Welcome to Waypost" }).waitFor();
    const faults = await faultsInBothThemes(page);
    await page.getByRole("button", { name: "Skip setup" }).click();
    await page.getByText("Create your first link").waitFor();
    await page.goto(`${server.url}/app`);
    await page.waitForURL(/\/links$/);
    await page.getByText("Create your first link").waitFor();

    await page.goto(`${await newWorkspace(`Walked at ${width}`)}/welcome`);
    const done = page.getByRole("listitem").getByLabel("Done");
    await page.getByLabel("Destination").fill("https://example.com/first");
    await page.getByLabel("Slug").fill(`first-${width}`);
    const before = await done.count();
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByText("Waiting for the first click").waitFor();
    const created = await done.count();
    await server.visit(`/first-${width}`, { headers: firefox });
    await page.getByText("Your first click is here").waitFor();
    await done.nth(2).waitFor();
    faults.push(...(await faultsInBothThemes(page)));
    const skips = await page.getByRole("button", { name: "Skip setup" }).count();
    await page.context().close();

    expect({ before, created, skips }).toEqual({ before: 0, created: 1, skips: 0 });
    expect(faults).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test.each(walkWidths)(
  "at %i pixels, an example with a year of clicks is explored, and removed with one click, which opens the own workspace",
  async (width) => {
    await newLink(world.server, { url: "https://example.com/", key: `kept-${width}` });
    const page = await openWindow(width);
    await page.goto(world.url("/welcome"));
    await page.getByRole("button", { name: "Explore an example" }).click();
    const note = page.getByText("Example data: invented links and a year of clicks.");
    await note.waitFor({ timeout: walkMsMax / 2 });
    await page.getByRole("button", { name: /^Period/ }).click();
    await page.getByRole("button", { name: "Last 12 months" }).click();
    const total = page.getByRole("button", { name: /^Clicks \d/ });
    const clicks = await eventually(
      async () => Number((await total.innerText()).split("\n")[1]?.replaceAll(",", "")),
      (count) => count > 30_000,
    );
    await page.getByRole("link", { name: "Links", exact: true }).click();
    await page
      .getByRole("listitem")
      .filter({ has: page.getByRole("checkbox") })
      .first()
      .waitFor();
    const faults = await faultsInBothThemes(page);
    await page.getByRole("button", { name: "Remove example" }).click();
    await page.waitForURL(world.url("/links"));
    await page.getByRole("heading", { level: 1, name: "Links" }).waitFor();
    await note.waitFor({ state: "detached" });
    await page.context().close();

    const { body } = await world.server.call("GET", "/workspaces");
    expect(clicks).toBeLessThanOrEqual(50_000);
    expect(JSON.stringify(body)).not.toContain("Example");
    expect(faults).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test.each(walkWidths)(
  "at %i pixels, lists follow others, and a lost connection is named at once and its changes wait",
  async (width) => {
    const { server } = world;
    const page = await openWindow(width);
    const search = `together-${width}`;
    await newLink(server, { url: "https://example.com/", key: `${search}-a` });
    const stream = page.waitForResponse((answer) => answer.url().includes("/v1/changes/live"));
    await openList(page, world.url(`/links?search=${search}`), "1 link");
    await stream;
    await newLink(server, { url: "https://example.com/", key: `${search}-b` });
    await row(page, `${search}-b`).waitFor();
    await page.getByText("2 links", { exact: true }).waitFor();

    const foldersMade = async () =>
      Named.parse((await server.call("GET", "/folders")).body).filter(({ name }) => name === search).length;
    await page.goto(world.url("/links?manage=folders"));
    await page.getByLabel("New folder").waitFor();
    await page.context().setOffline(true);
    await page.getByText("You’re offline. Changes will be sent when you’re back online.").waitFor({ timeout: 1_000 });
    await page.getByLabel("New folder").fill(search);
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("1 change will be sent when you’re back online.").waitFor();
    const faults = await faultsInBothThemes(page);
    const offline = await foldersMade();
    await page.context().setOffline(false);
    await page.getByText("You’re offline.").waitFor({ state: "detached" });
    await page.getByRole("dialog").getByText(search, { exact: true }).waitFor();
    await page.context().close();

    expect([offline, await foldersMade()]).toEqual([0, 1]);
    expect(faults).toEqual([]);
    expect(world.pageErrors.filter((pageError) => !pageError.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
  },
  walkMsMax,
);
