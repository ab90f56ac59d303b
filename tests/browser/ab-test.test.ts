/** The results of an A/B test on the analytics page, in a real browser. */
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { z } from "zod";
import { accessibilityErrorsOf } from "../support/dashboard.ts";
import { openWalks } from "../support/open-walks.ts";
import { eventually, browser as firefox } from "../support/server.ts";

const walkMsMax = 120_000;
const world = openWalks({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1/32" });
const Created = z.object({ id: z.string(), url: z.string(), testVariants: z.array(z.unknown()).nullable() });
const Counted = z.object({ clicks: z.number() });

const people = 40;
const testVariants = [
  { url: "https://shop.example.com/spring?page=a", percentage: 50 },
  { url: "https://shop.example.com/spring?page=b", percentage: 50 },
];
let page: Page;
let id = "";
let plainId = "";

const readLink = async () => Created.parse((await world.server.call("GET", `/links/${id}`)).body);

beforeAll(async () => {
  const body = { url: "https://shop.example.com/?utm_source=mail", key: "tested", testVariants };
  id = Created.parse((await world.server.call("POST", "/links", { body })).body).id;
  for (let person = 0; person < people; person++) {
    await world.server.visit("/tested", { headers: { ...firefox, "X-Forwarded-For": `84.128.2.${person}` } });
  }
  const plain = await world.server.call("POST", "/links", { body: { url: "https://shop.example.com/", key: "plain" } });
  plainId = z.object({ id: z.string() }).parse(plain.body).id;
  await world.server.visit("/plain", { headers: firefox });
  const counted = async () => Counted.parse((await world.server.call("GET", "/analytics/clicks")).body).clicks;
  await eventually(counted, (clicks) => clicks === people + 1);
  page = await world.newPage();
}, walkMsMax);

test(
  "the menu of a link opens its test, whose card shows the shares of all variants",
  async () => {
    await page.goto(world.url("/links"));
    await page.getByRole("button", { name: /^Actions for .*\/tested/ }).click();
    await page.getByRole("menuitem", { name: "Analytics and A/B test" }).click();
    const card = page.getByRole("table", { name: "A/B test" });
    const rows = card.getByRole("row", { name: /shop\.example\.com\/spring\?page=[ab] \d+ \d+ .*95% interval/ });
    await rows.nth(1).waitFor();

    const visitors =
      (await card.getByRole("cell").nth(1).innerText()) + (await card.getByRole("cell").nth(4).innerText());
    expect(visitors).toMatch(/^\d+$/);
    await page.getByText(/not which destination works better/).waitFor();
    for (const view of [
      { colorScheme: "light", width: 1440, height: 900 },
      { colorScheme: "dark", width: 390, height: 844 },
    ] as const) {
      await page.emulateMedia({ colorScheme: view.colorScheme });
      await page.setViewportSize(view);
      expect(await accessibilityErrorsOf(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  },
  walkMsMax,
);

test(
  "a winner becomes the only destination after a confirmation, and the change can be undone",
  async () => {
    await page.getByRole("button", { name: "Apply winner" }).click();
    await page.getByRole("radio", { name: /page=b/ }).check();
    await page.getByRole("dialog").getByRole("button", { name: "Apply winner" }).click();
    await page.getByText("The winner is now the only destination", { exact: true }).first().waitFor();
    await page.getByRole("table", { name: "A/B test" }).waitFor({ state: "detached" });
    const applied = await readLink();

    await page.getByRole("button", { name: "Undo" }).first().click();
    await page.getByRole("table", { name: "A/B test" }).waitFor();
    const undone = await readLink();

    expect(applied).toMatchObject({
      url: "https://shop.example.com/spring?page=b&utm_source=mail",
      testVariants: null,
    });
    expect(undone).toMatchObject({ url: "https://shop.example.com/?utm_source=mail", testVariants });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "analytics of one link leave out rows that would only repeat it, and show its destinations when there are several",
  async () => {
    const targets = page.getByRole("region", { name: "Links & destinations" });
    await page.goto(world.url("/analytics"));
    await targets.getByRole("tab", { name: "Links" }).waitFor();

    await targets.getByRole("button", { name: /\/tested .*40/ }).click();
    await targets
      .getByRole("button", { name: /page=b/ })
      .first()
      .waitFor();
    const tabs = await targets.getByRole("tab").allInnerTexts();
    await targets
      .getByRole("button", { name: /page=b/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Remove filter: Destination" }).click();
    await page.goto(world.url(`/analytics?linkId=${plainId}`));
    await page.getByRole("button", { name: /^Firefox 1/ }).waitFor();

    expect({ tabs, cards: await targets.count() }).toEqual({ tabs: ["Destinations", "Pages"], cards: 0 });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
