/** Referrers in analytics: services, channels, and the icons of values, which come from the service itself. */
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { z } from "zod";
import { openWalks } from "../support/open-walks.ts";
import { eventually, browser as firefox } from "../support/server.ts";

const walkMsMax = 120_000;
const world = openWalks({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1/32" });
const Counted = z.object({ clicks: z.number() });

/** TABLE of the referrers of the clicks, each from Germany. */
const referrers = ["https://l.instagram.com/", "https://instagram.com/", "https://www.google.de/", ""];
let page: Page;
const hosts = new Set<string>();

beforeAll(async () => {
  await world.server.call("POST", "/links", { body: { url: `${world.server.url}/healthz`, key: "referred" } });
  for (const referrer of referrers) {
    const headers = { ...firefox, "X-Forwarded-For": "84.128.1.1", ...(referrer !== "" && { Referer: referrer }) };
    await world.server.visit("/referred", { headers });
  }
  const counted = async () => Counted.parse((await world.server.call("GET", "/analytics/clicks")).body).clicks;
  await eventually(counted, (clicks) => clicks === referrers.length);
  page = await world.newPage();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  await page.goto(world.url("/analytics"));
  await page.getByRole("button", { name: /^Instagram 2/ }).waitFor();
}, walkMsMax);

test(
  "the hosts of a service are one row with its icon, and a channel filters",
  async () => {
    const card = page.getByRole("region", { name: "Sources" });
    await card
      .getByRole("button", { name: /^Instagram 2/ })
      .locator('use[href*="/brand-instagram-"]')
      .waitFor();

    await card.getByRole("tab", { name: "Channels" }).click();
    await card.getByRole("button", { name: /^Social 2/ }).click();
    await page.getByRole("button", { name: /^Clicks 2\b/ }).waitFor();
    await card.getByRole("tab", { name: "Sites" }).click();

    await card.getByRole("button", { name: /^l\.instagram\.com 1/ }).waitFor();
    expect(await card.getByRole("listitem").count()).toBe(2);
    expect(new URL(page.url()).searchParams.get("channel")).toBe("social");
    await page.getByRole("button", { name: "Remove filter: Channel" }).click();
  },
  walkMsMax,
);

test(
  "flags and icons of brands are loaded from the service, and nothing from another host",
  async () => {
    const drawnWidth = `document.querySelector('use[href*="/brand-instagram-"]').getBBox().width`;
    await eventually(
      async () => z.number().parse(await page.evaluate(drawnWidth)),
      (width) => width > 0,
    );
    await page
      .getByRole("button", { name: /^Germany 4/ })
      .locator("img")
      .scrollIntoViewIfNeeded();
    const loadedImages = async () =>
      z
        .array(z.string())
        .parse(
          await page.evaluate(`[...document.images].filter((image) => image.naturalWidth > 0).map(({ src }) => src)`),
        );
    await eventually(loadedImages, (urls) => urls.some((url) => url.includes("/flag-de-")));

    expect([...hosts]).toEqual([new URL(world.server.url).host]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "live clicks name the service of a referrer, as reports do",
  async () => {
    await page.goto(world.url("/analytics?live=true"));
    const live = page.getByRole("region", { name: "Live clicks" });

    await live
      .getByRole("row", { name: /Instagram/ })
      .nth(1)
      .waitFor();
    await live
      .getByRole("row", { name: /Google/ })
      .locator('use[href*="/brand-google-"]')
      .waitFor();

    expect(await live.getByText("l.instagram.com").count()).toBe(0);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
