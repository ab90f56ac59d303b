/**
 * Domains in a real browser: added, verified and configured in the dashboard, and visited. All tests share one server,
 * one DNS server and one browser; each has its own domain.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator, Page, Response } from "playwright-core";
import {
  accessibilityErrorsOf,
  type DashboardWorld,
  openDashboardWorld,
  worldStartMsMax,
} from "../support/dashboard.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { walkMsMax } from "../support/open-walks.ts";
import { eventually } from "../support/server.ts";
import { addDomain, addVerifiedDomain } from "../support/short-domains.ts";
import { finalUrl, openVisitor } from "../support/visitor-pages.ts";

const cnameTarget = "links.example.com";

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

/** A field of the DNS record that the page shows first, by its label. */
async function recordShown(page: Page, label: string): Promise<string> {
  return await page.locator("dt", { hasText: label }).first().locator("xpath=following-sibling::dd[1]").innerText();
}

test(
  "a domain at the top of its zone shows the optional record of www.",
  async () => {
    const { page, server } = world;
    dns.answer("top.example", { kind: "name-servers", servers: ["ns1.dns.example"] });
    await server.call("POST", "/domains", { body: { slug: "top.example" } });

    await page.goto(world.url("/domains/top.example"));

    await page.getByRole("heading", { name: "Point www.top.example here (optional)" }).waitFor();
    expect(await accessibilityErrorsOf(page)).toEqual([]);
  },
  walkMsMax,
);

test(
  "a domain shows no number of links before it is known",
  async () => {
    const { page, server } = world;
    await server.call("POST", "/domains", { body: { slug: "counted.example" } });
    const counted = Promise.withResolvers<void>();
    await page.route("**/links/count?*", async (route) => {
      await counted.promise;
      await route.continue();
    });

    await page.goto(world.url("/domains"));
    const row = page.getByRole("listitem").filter({ hasText: "counted.example" });
    await row.getByText("Pending").waitFor();
    const before = await row.innerText();
    counted.resolve();
    await row.getByText("0 links").waitFor();

    expect(before).not.toMatch(/\d links/);
    await page.unroute("**/links/count?*");
  },
  walkMsMax,
);

test(
  "an added domain shows its records, and is verified once they exist",
  async () => {
    // A separate page: its last click may still wait for the button, and would act on the page of a later test.
    const page = await world.newPage();
    await page.goto(world.url("/domains"));
    await page.getByRole("button", { name: "Add domain" }).first().click();
    await page.getByLabel("Domain", { exact: true }).fill("go example.org");
    await page.getByRole("dialog").getByRole("button", { name: "Add domain" }).click();
    await page.getByText("must be a domain name such as go.example.com").waitFor();
    await page.getByLabel("Domain", { exact: true }).fill("https://go.example.org/path");
    await page.getByRole("dialog").getByRole("button", { name: "Add domain" }).click();
    await page.getByRole("heading", { name: "Verify ownership" }).waitFor();
    const [name, value] = [await recordShown(page, "Name"), await recordShown(page, "Value")];

    await page.getByRole("button", { name: "Verify now" }).click();
    await page.getByRole("status").getByText("but this name does not exist").waitFor();
    const history = page.getByRole("listitem").filter({ hasText: "Record missing" });
    await history.getByText("but this name does not exist").waitFor();
    dns.answer(name, { kind: "txt", records: ["of another owner", value] });
    dns.answer("go.example.org", { kind: "alias", target: cnameTarget });
    const verified = page.getByRole("heading", { name: "This domain is verified" }).waitFor();
    const clicked = page.getByRole("button", { name: "Verify now" }).click();

    // On a slow machine, the service's own check comes first, and takes the button away.
    const isClicked = await Promise.race([clicked.then(() => true), verified.then(() => false)]);
    clicked.catch(() => {});
    if (isClicked) await page.getByText("go.example.org is verified").waitFor();
    await page.getByRole("listitem").filter({ hasText: "Record found" }).waitFor();
    await verified;
    await page.getByText("Incorrect · TTL 300 s").waitFor();
    expect(await page.getByText(/^Correct/).count()).toBe(3);
    expect(await page.getByText(`CNAME ${cnameTarget}`).count()).toBe(1);
    await page.context().close();
  },
  walkMsMax,
);

test(
  "the DNS provider is recognized, and names and values have the form that it expects",
  async () => {
    dns.answer("guided.example", { kind: "name-servers", servers: ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"] });
    await world.server.call("POST", "/domains", { body: { slug: "go.guided.example" } });
    const page = await world.newPage();
    await page.goto(world.url("/domains/go.guided.example"));
    await page.getByText("Cloudflare manages the DNS of guided.example.").waitFor();
    const routing = page.getByRole("listitem").filter({ hasText: "Point your domain here" });
    const atCloudflare = await routing.locator("dl").innerText();
    const errors = await accessibilityErrorsOf(page);

    await page.getByLabel("DNS provider").selectOption("Hetzner");
    await page.getByText("In Hetzner, open DNS → Records → Add record.").waitFor();
    const atHetzner = await routing.locator("dl").innerText();
    await page.getByLabel("DNS provider").selectOption("Another provider");
    const elsewhere = await routing.locator("dl").innerText();

    const words = (text: string) => text.split(/\s+/).join(" ");
    expect(words(atCloudflare)).toBe(`Type CNAME Name go Target ${cnameTarget} Proxy status DNS only (off)`);
    expect(words(atHetzner)).toBe(`Type CNAME Name go Value ${cnameTarget}.`);
    expect(words(elsewhere)).toBe(`Type CNAME Name go.guided.example Value ${cnameTarget}`);
    expect(errors).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "an open page checks automatically, and verifies the domain once its record exists",
  async () => {
    const { slug, record } = await addDomain(world.server);
    const page = await world.newPage();
    await page.clock.install();
    await page.goto(world.url(`/domains/${slug}`));
    await page.getByText("Checks again every 15 seconds while this page is open.").waitFor();
    dns.answer(record.name, { kind: "txt", records: [record.value] });

    await page.clock.fastForward(16_000);

    await page.getByText(`${slug} is verified`).waitFor();
    expect((await world.server.call("GET", `/domains/${slug}`)).body).toMatchObject({ verified: true });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the button is busy while Waypost checks DNS, and the page then shows the result",
  async () => {
    const { slug, record } = await addDomain(world.server);
    const page = await world.newPage();
    const mayVerify = Promise.withResolvers<void>();
    await page.route("**/v1/domains-v2/*/verify*", async (route) => {
      await mayVerify.promise;
      await route.continue();
    });
    await page.goto(world.url(`/domains/${slug}`));
    await page.getByRole("heading", { name: "Verify ownership" }).waitFor();

    await page.getByRole("button", { name: "Verify now" }).click();
    const checking = page.getByRole("button", { name: "Checking DNS…" });
    await checking.waitFor();
    const isEnabled = await checking.isEnabled();
    const badge = page.getByRole("heading", { name: slug }).getByText("Pending", { exact: true });
    await badge.waitFor();
    dns.answer(record.name, { kind: "txt", records: [record.value] });
    mayVerify.resolve();
    await page.getByRole("status").getByText(`${slug} is verified`).waitFor();
    await badge.waitFor({ state: "detached" });
    const isEnabledAgain = await page.getByRole("button", { name: "Check again" }).isEnabled();

    expect({ isEnabled, isEnabledAgain }).toEqual({ isEnabled: false, isEnabledAgain: true });
    expect((await world.server.call("GET", `/domains/${slug}`)).body).toMatchObject({ verified: true });
  },
  walkMsMax,
);

test(
  "visitors to the bare domain, to unknown keys and to expired links reach the domain's destinations",
  async () => {
    const { slug } = await addVerifiedDomain(world.server, dns);
    const body = { domain: slug, key: "over", url: "https://example.com/", expiresAt: "2020-01-01T00:00:00Z" };
    await world.server.call("POST", "/links", { body });
    const origin = `http://${slug}:${new URL(world.server.url).port}`;
    // Destinations are on the same server, so that visitors contact no other.
    const target = (name: string) => `${world.server.url}/healthz?page=${name}`;
    const page = await world.newPage();
    await page.goto(world.url(`/domains/${slug}?tab=settings`));
    const expired = page.getByLabel("Redirect expired links to");
    const isSaved = (response: Response) =>
      response.request().method() === "PATCH" && response.url().includes("/v1/domains/");
    const save = () =>
      Promise.all([page.waitForResponse(isSaved), page.getByRole("button", { name: "Save changes" }).click()]);

    await page.getByLabel("Root link").fill(target("start"));
    await page.getByLabel("Redirect unknown slugs to").fill(target("unknown"));
    await expired.fill(target("expired"));
    await save();
    const reached: string[] = [];
    for (const path of ["/", "/nothing-here", "/over"]) reached.push(await finalUrl(world.browser, `${origin}${path}`));
    await expired.fill("");
    await save();
    const visitor = await openVisitor(world.browser);
    await visitor.goto(`${origin}/over`);

    await visitor.getByRole("heading", { name: "This link has expired" }).waitFor();
    expect(reached).toEqual([target("start"), target("unknown"), target("expired")]);
    await visitor.context().close();
  },
  walkMsMax,
);

test(
  "a domain's settings apply to visitors, and invalid JSON files are refused at their field",
  async () => {
    const { page, server } = world;
    await server.call("POST", "/domains", { body: { slug: "apps.example.org" } });
    await page.goto(world.url("/domains/apps.example.org?tab=settings"));
    await page.getByLabel("Root link").fill("https://example.org/start");
    await page.getByLabel("Redirect unknown slugs to").fill("no url");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("must be an http or https URL").waitFor();
    await page.getByLabel("Redirect unknown slugs to").fill("https://example.org/404");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved.").first().waitFor();

    await page.getByRole("tab", { name: "Apps" }).click();
    await page.getByLabel("Served at /.well-known/assetlinks.json").fill("{}");
    await page.getByText("Android expects a list").waitFor();
    await page.getByLabel("Served at /.well-known/assetlinks.json").fill('[{"relation":[]}]');
    // The button is disabled while saving and after it, so the response is awaited.
    const saved = page.waitForResponse((response) => response.request().method() === "PATCH");
    await page.getByRole("button", { name: "Save changes" }).first().click();
    await saved;
    await page.getByRole("button", { name: "Save changes" }).first().and(page.locator(":disabled")).waitFor();

    const { body } = await server.call("GET", "/domains/apps.example.org");
    expect(body).toMatchObject({ notFoundUrl: "https://example.org/404", assetLinks: '[{"relation":[]}]' });
    const root = await server.call("GET", "/links/info?domain=apps.example.org&key=_root");
    expect(root.body).toMatchObject({ url: "https://example.org/start" });
  },
  walkMsMax,
);

test(
  "typed settings stay when a switch is saved, and an external logo is loaded only on request",
  async () => {
    const { server } = world;
    const page = await world.newPage();
    const logo = "https://images.example.net/logo.png";
    await server.call("POST", "/domains", { body: { slug: "typed.example.org", logo } });
    await page.goto(world.url("/domains/typed.example.org?tab=settings"));
    await page.getByLabel("Redirect unknown slugs to").fill("https://example.org/404");
    // Awaited from before the click, since the page refetches the domain right after it saves the switch.
    const refetched = page.waitForResponse(
      (response) =>
        response.request().method() === "GET" && new URL(response.url()).pathname === "/v1/domains/typed.example.org",
    );
    await page.getByRole("switch", { name: "Honor “Do Not Track”" }).click();
    await refetched;
    await page.getByRole("switch", { name: "Honor “Do Not Track”", checked: true }).waitFor();
    const typed = await page.getByLabel("Redirect unknown slugs to").inputValue();
    await page.getByRole("button", { name: "Load external image" }).waitFor();
    await page.goto(world.url("/domains"));
    await page.getByRole("link", { name: "typed.example.org" }).waitFor();

    expect(typed).toBe("https://example.org/404");
    expect(world.pageErrors.filter((pageError) => pageError.includes("images.example.net"))).toEqual([]);
  },
  walkMsMax,
);

test(
  "the switches for HTTPS save at once, and turning HSTS off makes browsers forget it",
  async () => {
    const { server } = world;
    const page = await world.newPage();
    const slug = "https.example.org";
    await server.call("POST", "/domains", { body: { slug } });
    await page.goto(world.url(`/domains/${slug}?tab=settings`));
    const redirect = page.getByRole("switch", { name: "Redirect HTTP to HTTPS" });
    const hsts = page.getByRole("switch", { name: "HTTPS only (HSTS)" });
    const stored = async () => Object((await server.call("GET", `/domains/${slug}`)).body);
    const until = async (field: string, value: unknown) =>
      await eventually(stored, (domain) => domain[field] === value);

    expect([await redirect.isChecked(), await hsts.isChecked()]).toEqual([true, false]);
    await redirect.click();
    await until("httpsRedirect", false);
    await hsts.click();
    await until("hstsMaxAgeSeconds", 31_536_000);
    await page.reload();
    expect([await redirect.isChecked(), await hsts.isChecked()]).toEqual([false, true]);
    await redirect.click();
    await until("httpsRedirect", undefined);
    await hsts.click();
    await until("hstsMaxAgeSeconds", 0);
  },
  walkMsMax,
);

test(
  "the page of a domain with conflicting records is accessible, wide in light and narrow in dark",
  async () => {
    await world.server.call("POST", "/domains", { body: { slug: "shown.example.org" } });
    dns.answer("shown.example.org", { kind: "address", type: "A", addresses: ["192.0.2.7"] });
    const narrow = { viewport: { width: 360, height: 740 }, colorScheme: "dark" } as const;
    const errors: string[] = [];
    for (const options of [{}, narrow]) {
      const page = await world.newPage(options);
      await page.goto(world.url("/domains/shown.example.org"));
      await page.getByText("Conflicting record").first().waitFor();
      errors.push(...(await accessibilityErrorsOf(page)));
      await page.context().close();
    }

    expect(errors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the button that verifies a domain is beside the link back on a phone, and otherwise beside link and name",
  async () => {
    await world.server.call("POST", "/domains", { body: { slug: "short.example.org" } });
    const page = await world.newPage({ viewport: { width: 390, height: 844 } });
    await page.goto(world.url("/domains/short.example.org"));
    const boxOf = async (locator: Locator) => {
      const { x = 0, y = 0, height = 0 } = (await locator.boundingBox()) ?? {};
      return { x, middle: Math.round(y + height / 2) };
    };
    const boxes = async () => ({
      button: await boxOf(page.getByRole("button", { name: "Verify now" })),
      back: await boxOf(page.getByRole("link", { name: "All domains" })),
      title: await boxOf(page.getByRole("heading", { level: 1, name: "short.example.org Pending" })),
    });

    const narrow = await boxes();
    await page.setViewportSize({ width: 1280, height: 800 });
    const wide = await boxes();

    expect(Math.abs(narrow.button.middle - narrow.back.middle)).toBeLessThanOrEqual(1);
    for (const { button, back, title } of [narrow, wide]) {
      expect(title.x).toBe(back.x);
      expect(title.middle).toBeGreaterThan(back.middle);
      expect(button.x).toBeGreaterThan(title.x);
    }
    expect(wide.button.middle).toBeGreaterThan(wide.back.middle);
    expect(wide.button.middle).toBeLessThan(wide.title.middle);
  },
  walkMsMax,
);

test(
  "a URL pasted as a domain's name is reduced to its host",
  async () => {
    const page = await world.newPage({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(world.url("/domains?add=true"));
    const field = page.getByRole("dialog").getByLabel("Domain");
    await field.waitFor();
    await page.evaluate("navigator.clipboard.writeText('https://www.pasted.example.org/')");
    await field.focus();
    await page.keyboard.press("Control+v");
    await page.getByText("This also covers www.pasted.example.org.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Add domain" }).click();

    await page.getByRole("heading", { name: "pasted.example.org" }).waitFor();
    const { body } = await world.server.call("GET", "/domains?search=pasted.example.org");
    expect(body).toMatchObject([{ slug: "pasted.example.org" }]);
  },
  walkMsMax,
);

test("no page had errors or requests to other hosts", () => {
  expect(world.pageErrors).toEqual([]);
});

test(
  "each tab of a pending domain offers verification, and a verified one only another check",
  async () => {
    const { slug, record } = await addDomain(world.server);
    const page = await world.newPage();
    await page.goto(world.url(`/domains/${slug}?tab=settings`));
    const openLink = page.getByRole("link", { name: "Open in a new tab" });
    await page.getByRole("banner").or(page.locator("header")).getByRole("button", { name: "Verify now" }).waitFor();
    const openLinksBefore = await openLink.count();
    // Only now: the service would verify the domain itself within seconds.
    dns.answer(record.name, { kind: "txt", records: [record.value] });
    await page.getByRole("button", { name: "Verify now" }).click();

    await page.getByRole("status").getByText(`${slug} is verified`).waitFor();
    await openLink.waitFor();

    expect(openLinksBefore).toBe(0);
    expect(await page.getByRole("button", { name: "Verify now" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Check again" }).count()).toBe(1);
    expect(await accessibilityErrorsOf(page)).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
