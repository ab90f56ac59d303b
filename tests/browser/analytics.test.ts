/** Analytics in a real browser: live clicks, filters by row, charts shown as tables, and shared pages. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { z } from "zod";
import { accessibilityErrorsOf } from "../support/dashboard.ts";
import { openWalks } from "../support/open-walks.ts";
import { eventually, browser as firefox } from "../support/server.ts";

const walkMsMax = 120_000;
const chrome = {
  "User-Agent":
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
};
const fromGermany = { "X-Forwarded-For": "84.128.1.1" };
const fromTheStates = { "X-Forwarded-For": "8.8.8.8" };

const world = openWalks({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1/32" });

const Created = z.object({ id: z.string(), shortLink: z.string() });
const Counted = z.object({ clicks: z.number() });

async function newLink(key: string, fields: object = {}) {
  // The destination is on the same server, so that the browser contacts no other.
  const body = { url: `${world.server.url}/healthz`, key, ...fields };
  return Created.parse((await world.server.call("POST", "/links", { body })).body);
}

async function click(key: string, headers: Record<string, string>): Promise<void> {
  const { status } = await world.server.visit(`/${key}`, { headers });
  if (status !== 302) throw new Error(`/${key} returned ${status}.`);
}

/** Resolves when reports count this many clicks of a link; an open page does not refetch for clicks stored later. */
async function waitUntilStored(linkId: string, clicks: number): Promise<void> {
  const path = `/analytics/clicks?linkId=${linkId}&groupBy=count`;
  const counted = async () => Counted.parse((await world.server.call("GET", path)).body).clicks;
  await eventually(counted, (now) => now === clicks);
}

/** The headline number for this many clicks. */
function figure(page: Page, clicks: number): Locator {
  return page.getByRole("button", { name: new RegExp(`^Clicks ${clicks}\\b`) });
}

/** Opens the export, which is in a menu on a phone. */
async function openExport(page: Page): Promise<void> {
  const more = page.getByRole("button", { name: "More", exact: true });
  if (await more.isVisible()) {
    await more.click();
    await page.getByRole("menuitem", { name: "Export" }).click();
  } else await page.getByRole("button", { name: "Export" }).click();
}

/** Scrolls to the map, which is only loaded then. */
async function showMap(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "World map" }).scrollIntoViewIfNeeded();
}

test(
  "without clicks the page says how to get one, and the first click appears without a reload",
  async () => {
    const { shortLink } = await newLink("live");
    const { page } = world;

    await page.goto(world.url("/analytics"));
    await page.getByText("No clicks yet").waitFor();
    await page.getByRole("button", { name: "Watch live" }).click();
    await page.getByText("Listening").waitFor();
    const visitor = await world.browser.newContext({ userAgent: firefox["User-Agent"] });
    await (await visitor.newPage()).goto(shortLink);
    await visitor.close();

    await page.getByRole("row", { name: /localhost:\d+\/live .*Direct/ }).waitFor();
    await figure(page, 1).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await click("live", firefox);
    await page.getByText("1 new click").waitFor();
    const rowsWhilePaused = await page.getByRole("row", { name: /\/live / }).count();
    await page.getByRole("button", { name: "Resume" }).click();
    await page
      .getByRole("row", { name: /\/live / })
      .nth(1)
      .waitFor();
    expect({ rowsWhilePaused, pageErrors: world.pageErrors }).toEqual({ rowsWhilePaused: 1, pageErrors: [] });
  },
  walkMsMax,
);

test(
  "new clicks refetch the totals, but not every card",
  async () => {
    const { id } = await newLink("followed");
    await click("followed", firefox);
    await waitUntilStored(id, 1);
    const page = await world.newPage();
    const requests = new Map<string, number>();
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      const groupBy = searchParams.get("groupBy");
      if (pathname === "/v1/analytics" && groupBy !== null) requests.set(groupBy, (requests.get(groupBy) ?? 0) + 1);
    });
    await page.goto(world.url(`/analytics?linkId=${id}&live=true`));
    await page.getByText("Listening").waitFor();
    await figure(page, 1).waitFor();
    await page.getByRole("button", { name: /^Firefox/ }).waitFor();
    await click("followed", firefox);
    await figure(page, 2).waitFor();

    const refetched = [...requests].filter(([, times]) => times > 1).map(([groupBy]) => groupBy);
    expect(refetched.toSorted()).toEqual(["count", "timeseries"]);
    await page.context().close();
  },
  walkMsMax,
);

describe("with clicks", () => {
  let link: z.output<typeof Created>;
  let page: Page;
  beforeAll(async () => {
    link = await newLink("spring");
    await click("spring", { ...firefox, ...fromGermany });
    await click("spring", { ...firefox, ...fromTheStates });
    await click("spring", { ...chrome, ...fromTheStates });
    await waitUntilStored(link.id, 3);
    page = await world.newPage();
    await page.goto(world.url(`/analytics?linkId=${link.id}`));
    await figure(page, 3).waitFor();
  }, walkMsMax);

  test(
    "a row sets a filter, its chip inverts it, and the URL keeps both",
    async () => {
      await page.getByRole("button", { name: /^Firefox/ }).click();
      await figure(page, 2).waitFor();
      expect(new URL(page.url()).searchParams.get("browser")).toBe("Firefox");

      await page.getByRole("button", { name: /^is Invert filter: Browser/ }).click();
      await figure(page, 1).waitFor();
      expect(new URL(page.url()).searchParams.get("browser")).toBe("-Firefox");

      await page.reload();
      await figure(page, 1).waitFor();
      await page.getByRole("button", { name: "Remove filter: Browser" }).click();
      await figure(page, 3).waitFor();
    },
    walkMsMax,
  );

  test(
    "the filter menu finds links without clicks, and works by keyboard",
    async () => {
      await newLink("unclicked");
      await page.goto(world.url("/analytics"));
      await page.getByRole("button", { name: "Filter", exact: true }).press("Enter");
      await page.getByRole("combobox").pressSequentially("link");
      await page.keyboard.press("Enter");
      await page.getByRole("combobox").pressSequentially("unclick");
      await page.getByRole("option", { name: /\/unclicked/, selected: true }).waitFor();
      await page.keyboard.press("Enter");

      await figure(page, 0).waitFor();
      await page.keyboard.press("Escape");
      await page.getByText("No clicks with these filters").waitFor();
      await page.goto(world.url(`/analytics?linkId=${link.id}`));
      await figure(page, 3).waitFor();
    },
    walkMsMax,
  );

  test(
    "the card and the filter of links show titles, and the filter finds a link by its title or destination",
    async () => {
      const url = `${world.server.url}/healthz?topic=open-day`;
      const { id } = await newLink("titled", { url, title: "Summer festival" });
      await click("titled", firefox);
      await waitUntilStored(id, 1);
      await page.goto(world.url("/analytics"));
      await page.getByRole("button", { name: /\/titled Summer festival/ }).waitFor();

      await page.getByRole("button", { name: "Filter", exact: true }).press("Enter");
      await page.getByRole("combobox").pressSequentially("link");
      await page.keyboard.press("Enter");
      for (const text of ["festival", "topic=open"]) {
        await page.getByRole("combobox", { name: /link$/i }).fill(text);
        await page.getByRole("option", { name: /\/titled/, selected: true }).waitFor();
      }
      await page.goto(world.url(`/analytics?linkId=${link.id}`));
      await figure(page, 3).waitFor();
    },
    walkMsMax,
  );

  test(
    "the map and the chart work by keyboard",
    async () => {
      await showMap(page);
      await page.getByRole("button", { name: /^Germany: 1 click\b/ }).press("Enter");
      await figure(page, 1).waitFor();
      await page.getByRole("button", { name: /^Germany: 1 click\b/ }).press("Enter");
      await figure(page, 3).waitFor();

      const chart = page.getByRole("slider", { name: /^Clicks over time/ });
      const today = await chart.getAttribute("aria-valuetext");
      await chart.press("ArrowLeft");
      const yesterday = await chart.getAttribute("aria-valuetext");

      expect(today).toMatch(/: 3 clicks; /);
      expect(yesterday).toMatch(/: 0 clicks; /);
    },
    walkMsMax,
  );

  test(
    "a time zone is found by a former name, and an unknown name finds none",
    async () => {
      await page.getByRole("button", { name: /^Period/ }).click();
      await page.getByRole("button", { name: /^Time zone/ }).click();
      const search = page.getByRole("combobox", { name: "Find a time zone" });
      await search.fill("zzzz");
      await page.getByText("No time zones found.").waitFor();
      const none = await page.getByRole("option").count();
      await search.fill("calcutta");
      await page.getByRole("option", { name: "Asia/Kolkata" }).waitFor();
      const found = await page.getByRole("option").allTextContents();
      await page.keyboard.press("Escape");

      expect({ none, found }).toEqual({ none: 0, found: ["Asia/KolkataUTC+05:30"] });
    },
    walkMsMax,
  );

  test(
    "charts become tables with the same numbers",
    async () => {
      await page.getByRole("button", { name: "Show as table: Clicks over time" }).click();
      await page.getByRole("button", { name: "Show as table: World map" }).click();
      await page.getByRole("button", { name: "Show as table: By day and hour" }).click();

      await page.getByRole("row", { name: /\(so far\) 3 0$/ }).waitFor();
      await page.getByRole("row", { name: "United States 2 66.7%" }).waitFor();
      expect(new URL(page.url()).searchParams.get("tables")).toBe("series,map,week");
      await page.getByRole("button", { name: "Show as chart: World map" }).click();
      await showMap(page);
      await page.getByRole("button", { name: /^United States: 2 clicks/ }).waitFor();
    },
    walkMsMax,
  );

  test(
    "failed cards show their error, and retrying one retries the others",
    async () => {
      const failingRequests = /\/v1\/analytics\?.*groupBy=(languages|referer_groups|browsers)/;
      await page.route(failingRequests, (route) => route.abort());
      await page.goto(world.url(`/analytics?linkId=${link.id}`));
      const card = page.getByRole("region", { name: "Triggers & bots" });
      const failed = page.getByRole("main").getByRole("alert");
      await failed.nth(2).waitFor();
      await figure(page, 3).waitFor();
      await page.unroute(failingRequests);
      await card.getByRole("button", { name: "Try again" }).click();

      await card.getByText("No clicks with a known language").waitFor();
      await page.getByRole("button", { name: /^Firefox/ }).waitFor();
      await page.getByRole("button", { name: /^Direct/ }).waitFor();
      expect(await failed.count()).toBe(0);
      const others = world.pageErrors.filter((pageError) => !pageError.includes("net::ERR_FAILED"));
      world.pageErrors.splice(0, world.pageErrors.length, ...others);
    },
    walkMsMax,
  );

  test(
    "the export dialog shows the exported days in the language and time zone of the page, and the number of clicks",
    async () => {
      const period = "start=2025-11-01&end=2025-11-03&timezone=America/New_York";
      const dialog = page.getByRole("dialog");

      await page.goto(world.url(`/analytics?${period}`));
      await page.getByRole("button", { name: "Export" }).click();
      await dialog.getByText("0 clicks, one row each, with the filters of this page.").waitFor();
      // The dash has thin spaces around it.
      const custom = (await dialog.locator("dd").allInnerTexts()).map((text) => text.replaceAll(/\s/g, " "));
      await page.goto(world.url(`/analytics?linkId=${link.id}&interval=today&timezone=Asia/Tokyo`));
      await page.getByRole("button", { name: "Export" }).click();
      await dialog.getByText(/^\d clicks, one row each/).waitFor();
      const day = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "Asia/Tokyo" });
      const named = await dialog.locator("dd").allInnerTexts();

      expect(custom).toEqual(["Nov 1 – 3, 2025", "America/New York"]);
      expect(named[0]).toContain(day.format(new Date()));
      expect(named[1]).toBe("Asia/Tokyo");
    },
    walkMsMax,
  );

  test(
    "an export contains the page's clicks",
    async () => {
      // Without the file picker, as in Firefox and Safari.
      await page.addInitScript("delete window.showSaveFilePicker");
      await page.goto(world.url(`/analytics?linkId=${link.id}&browser=Firefox`));
      await figure(page, 2).waitFor();
      await page.getByRole("button", { name: "Export" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download" }).click(),
      ]);

      const lines = (await Bun.file(await download.path()).text()).trim().split("\r\n");
      expect(download.suggestedFilename()).toMatch(/^clicks-\d{4}-\d{2}-\d{2}\.csv$/);
      expect(lines).toHaveLength(3);
    },
    walkMsMax,
  );

  test(
    "a page is shared with a password, readable without signing in, and revoked",
    async () => {
      await page.goto(world.url(`/analytics?linkId=${link.id}`));
      await page.getByRole("button", { name: "Share analytics" }).click();
      await page.getByLabel("Page title").fill("Spring, for the agency");
      await page.getByLabel("Password").fill("tulips");
      await page.getByRole("button", { name: "Create share link" }).click();
      const address = (await page.getByRole("link", { name: "Open page" }).getAttribute("href")) ?? "";

      const reader = await world.newPage({ colorScheme: "dark", viewport: { width: 360, height: 640 } }, null);
      await reader.goto(address);
      await reader.getByLabel("Password").fill("roses");
      await reader.getByRole("button", { name: "Open" }).click();
      await reader.getByText("Incorrect password.").waitFor();
      const errors = await accessibilityErrorsOf(reader);
      await reader.getByLabel("Password").fill("tulips");
      await reader.getByRole("button", { name: "Open" }).click();
      await reader.getByRole("heading", { name: "Spring, for the agency" }).waitFor();
      await figure(reader, 3).waitFor();
      await showMap(reader);
      await reader.getByRole("button", { name: /^Germany: 1 click\b/ }).waitFor();
      errors.push(...(await accessibilityErrorsOf(reader)));
      const links = await reader.getByRole("tab", { name: "Links" }).count();
      await reader.getByRole("button", { name: /^Firefox/ }).click();
      await figure(reader, 2).waitFor();

      await page.getByRole("button", { name: "Revoke" }).click();
      await page.getByRole("button", { name: "Revoke permanently?" }).click();
      await page.getByText("Not shared yet.").waitFor();
      await reader.reload();
      await reader.getByRole("heading", { name: "This page doesn’t exist" }).waitFor();
      expect({ errors, links }).toEqual({ errors: [], links: 0 });
    },
    walkMsMax,
  );
});

/** One line for each table of a region that is wider than its box. */
async function overflowsIn(page: Page, name: string): Promise<string[]> {
  const boxes = await page.getByRole("region", { name }).getByRole("region").all();
  if (boxes.length === 0) return [`${name}: no table`];
  const widths = await Promise.all(boxes.map((box) => box.evaluate((it) => [it.scrollWidth, it.clientWidth] as const)));
  return widths.flatMap(([width, box]) => (width > box ? [`${name}: ${width} pixels in a box of ${box}`] : []));
}

test(
  "on a phone, the controls are in one row with the title, and a menu has those without room",
  async () => {
    const page = await world.newPage({ viewport: { width: 390, height: 844 } });
    const menu = page.getByRole("menu");
    const openMenu = () => page.getByRole("button", { name: "More", exact: true }).click();
    await page.goto(world.url("/analytics?start=2025-09-30T09:30&end=2025-10-31T18:00"));
    await page.getByRole("button", { name: /^Period: Sep 30/ }).waitFor();
    const rowPx = (await page.locator("main header").first().boundingBox())?.height;

    await openMenu();
    await menu.waitFor();
    const errors = await accessibilityErrorsOf(page);
    await menu.getByRole("menuitemcheckbox", { name: "Live" }).click();
    await page.getByRole("region", { name: "Live clicks" }).waitFor();
    await openMenu();
    const isLive = await menu.getByRole("menuitemcheckbox", { name: "Live" }).isChecked();
    await menu.getByRole("menuitemradio", { name: "Bots only" }).click();
    await page.waitForURL(/bots=only/);
    await openMenu();
    await menu.getByRole("menuitem", { name: "Share analytics" }).click();
    await page.getByRole("dialog", { name: "Share analytics" }).waitFor();
    await page.keyboard.press("Escape");
    await openExport(page);
    await page.getByRole("dialog", { name: "Export clicks" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("option", { name: "Country" }).waitFor();

    expect({ rowPx, errors, isLive, pageErrors: world.pageErrors }).toEqual({
      rowPx: 36,
      errors: [],
      isLive: true,
      pageErrors: [],
    });
  },
  walkMsMax,
);

/** TABLE of the views: each theme, and each kind of viewport. */
const views = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 800 } },
  "360 pixels wide and dark": { colorScheme: "dark", viewport: { width: 360, height: 640 } },
} as const;

describe.each(Object.entries(views))("%s", (_, options) => {
  test(
    "the page, its tables, filters, live clicks and dialogs are accessible and fit the width",
    async () => {
      const page = await world.newPage(options);
      const errors: string[] = [];
      const check = async (state: string) => {
        errors.push(...(await accessibilityErrorsOf(page)).map((error) => `${state}: ${error}`));
      };

      await page.goto(world.url("/analytics?country=-FR"));
      await showMap(page);
      await page.getByRole("button", { name: /^Germany: 1 click\b/ }).waitFor();
      await page.getByRole("tab", { name: "Countries" }).waitFor();
      await check("page");
      await page.getByRole("button", { name: /^Period/ }).click();
      await page.getByRole("button", { name: /^Time zone/ }).click();
      await check("period");
      await page.goto(world.url("/analytics?live=true&tables=series,map,week&metric=visitors"));
      await page.getByText("Listening").waitFor();
      await page.getByRole("row", { name: /^United States/ }).waitFor();
      await page.getByRole("region", { name: "Live clicks" }).getByText("Germany").filter({ visible: true }).waitFor();
      errors.push(...(await overflowsIn(page, "Live clicks")));
      await check("tables");
      await openExport(page);
      await page.getByRole("radio", { name: /^CSV/ }).waitFor();
      await check("export");
      await page.goto(world.url("/analytics?city=Nowhere"));
      await page.getByText("No clicks with these filters").waitFor();
      await check("empty");

      expect({ errors, pageErrors: world.pageErrors }).toEqual({ errors: [], pageErrors: [] });
    },
    walkMsMax,
  );
});
