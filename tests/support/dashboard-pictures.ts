import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { z } from "zod";
import { openBrowser } from "./browser.ts";
import { ownerPassword, ownerSignIn } from "./dashboard.ts";
import { fillSampleWorkspace } from "./sample-workspace.ts";
import { startServer, type TestServer } from "./server.ts";

/** A page of the dashboard as it is pictured: its address below /app, and what is done before. */
export type Pictured = {
  path: string | ((server: TestServer) => Promise<string>);
  isSignedOut?: boolean;
  prepare?(page: Page): Promise<void>;
};

/** TABLE of the pages, by what their pictures are called. */
export const dashboardPages: Record<string, Pictured> = {
  "sign-in": { path: "/sign-in", isSignedOut: true },
  "forgot-password": { path: "/forgot-password", isSignedOut: true },
  welcome: { path: "/w/1/welcome" },
  links: { path: "/w/1/links?sort=mostClicked" },
  "link-drawer": {
    path: "/w/1/links?create=1",
    async prepare(page) {
      await page.getByLabel("Destination").first().fill("https://kestrel.coffee/shop/winter?utm_source=poster");
    },
  },
  analytics: { path: "/w/1/analytics?interval=90d" },
  "analytics-below": {
    path: "/w/1/analytics?interval=90d",
    async prepare(page) {
      await page.getByRole("heading", { name: "World map" }).scrollIntoViewIfNeeded();
      await page.waitForLoadState("networkidle");
    },
  },
  live: {
    path: "/w/1/analytics?interval=90d",
    async prepare(page) {
      await page.getByRole("button", { name: "Live" }).click();
      await page.getByText("Listening").waitFor();
    },
  },
  share: { path: sharePath, isSignedOut: true },
  "link-editor": {
    path: async (server) => `/w/1/links?edit=${await mostClicked(server)}`,
    async prepare(page) {
      await page.getByRole("dialog").getByLabel("Destination").first().waitFor();
    },
  },
  domains: { path: "/w/1/domains" },
  domain: { path: "/w/1/domains/go.kestrel.coffee" },
  "settings-workspace": { path: "/w/1/settings" },
  "settings-members": { path: "/w/1/settings/members" },
  "settings-keys": { path: "/w/1/settings/keys" },
  "settings-utm": { path: "/w/1/settings/utm-templates" },
  "account-security": { path: "/w/1/account/security" },
  account: { path: "/w/1/account" },
  "account-look": { path: "/w/1/account/look" },
  "command-palette": {
    path: "/w/1/links",
    async prepare(page) {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").waitFor();
    },
  },
};

const views: Record<string, BrowserContextOptions> = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 800 } },
  phone: { colorScheme: "light", viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 },
};

/** Writes a picture of each page in each view into a folder; `names` limits which. */
export async function takeDashboardPictures(folder: string, names = Object.keys(dashboardPages)): Promise<void> {
  let server: TestServer = await startServer(ownerPassword);
  const browser = await openBrowser();
  try {
    server = await fillSampleWorkspace(server);
    for (const [view, options] of Object.entries(views)) {
      const fixed = { reducedMotion: "reduce", locale: "en-US", timezoneId: "Europe/Berlin" } as const;
      const context = await browser.newContext({ ...fixed, ...options });
      for (const name of names) {
        const pictured = dashboardPages[name];
        if (pictured === undefined) throw new Error(`There is no page ${name}.`);
        await context.clearCookies();
        if (pictured.isSignedOut !== true) {
          await context.request.post(`${server.url}/app/session`, {
            data: ownerSignIn,
            headers: { Origin: server.url },
          });
        }
        const page = await context.newPage();
        const path = typeof pictured.path === "string" ? pictured.path : await pictured.path(server);
        await page.goto(`${server.url}/app${path}`);
        await page.waitForLoadState("networkidle");
        await pictured.prepare?.(page);
        await page.screenshot({ path: join(folder, `dashboard-${name}-${view}.png`) });
        await page.close();
      }
      await context.close();
    }
  } finally {
    await browser.close();
    await server.remove();
  }
}

async function mostClicked(server: TestServer): Promise<string> {
  const { body } = await server.call("GET", "/links?sortBy=clicks&pageSize=1");
  return z.array(z.object({ id: z.string() })).parse(body)[0]?.id ?? "";
}

/** Of a share that is made for the picture. */
async function sharePath(server: TestServer): Promise<string> {
  const linkId = await mostClicked(server);
  const { body } = await server.call("POST", "/shares", { body: { linkId, name: "The menu in the shops" } });
  return new URL(z.object({ url: z.string() }).parse(body).url).pathname.replace(/^\/app/, "");
}
