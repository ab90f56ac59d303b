/**
 * Periods, comparison, units and zoom of analytics in a real browser. The numbers are compared with those of the API,
 * whose own tests compare them with the clicks.
 */
import { expect, test } from "bun:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { z } from "zod";
import { dayMs } from "../../src/base/time.ts";
import type { Click } from "../../src/clicks/click.ts";
import { randomClick, seededRandom } from "../support/clicks.ts";
import { newLink } from "../support/link-list.ts";
import { openWalks } from "../support/open-walks.ts";
import { eventually, type TestServer } from "../support/server.ts";
import { storeClicks } from "../support/store-clicks.ts";

const walkMsMax = 180_000;
const random = seededRandom(29);
const now = Date.now();
let linkId = "";

const world = openWalks({}, fillClicks);

const Count = z.object({ clicks: z.number(), start: z.string(), end: z.string() });
const Compared = Count.extend({ previous: Count.optional() });

/** TABLE of the named periods and their intervals. */
const named = {
  Today: "today",
  Yesterday: "yesterday",
  "This week": "wtd",
  "Last week": "last_week",
  "This month": "mtd",
  "Last month": "last_month",
  "This quarter": "qtd",
  "Last quarter": "last_quarter",
  "This year": "ytd",
  "Last 7 days": "7d",
  "Last 12 months": "1y",
  "All time": "all",
};

test(
  "every named period shows the clicks and the change that the API reports",
  async () => {
    const page = await openReport("");

    for (const [name, interval] of Object.entries(named)) {
      await page.getByRole("button", { name: /^Period/ }).click();
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("button", { name: `Period: ${name}` }).waitFor();

      await expectShown(page, `interval=${interval}&compare=previous`);
    }
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a custom period begins with the current one, and includes the whole last day",
  async () => {
    const page = await openReport("&start=2025-11-03&end=2025-11-05");
    await page.getByRole("button", { name: "Period: Nov 3 – 5, 2025" }).click();
    const [from, until] = [page.getByLabel("From", { exact: true }), page.getByLabel("Until", { exact: true })];
    const initial = [await from.inputValue(), await until.inputValue()];

    await from.fill("2025-10-01");
    await until.fill("2025-10-31");
    await page.getByRole("button", { name: "Apply" }).click();

    await page.getByRole("button", { name: "Period: Oct 1 – 31, 2025" }).waitFor();
    await expectShown(page, "start=2025-10-01&end=2025-11-01T00:00&compare=previous");
    expect(initial).toEqual(["Nov 3, 2025", "Nov 5, 2025"]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a custom period can have times, which keep its whole days",
  async () => {
    const page = await openReport("&start=2025-10-01&end=2025-10-31");
    await page.getByRole("button", { name: /^Period/ }).click();
    await page.getByRole("switch", { name: "Set times" }).click();
    const until = page.getByLabel("Until", { exact: true });
    const withTimes = await until.inputValue();

    await until.fill("2025-10-31 12:00");
    await page.getByRole("button", { name: "Apply" }).click();

    await expectShown(page, "start=2025-10-01&end=2025-10-31T12:00&compare=previous");
    expect(withTimes).toBe("Nov 1, 2025, 12:00 AM");
    expect(new URL(page.url()).searchParams.get("end")).toBe("2025-10-31T12:00");
  },
  walkMsMax,
);

test(
  "dragging over the chart zooms in, and the zoom is reset",
  async () => {
    const page = await openReport("&start=2025-09-01&end=2025-10-31");
    const whole = "start=2025-09-01&end=2025-10-31&compare=previous";
    await expectShown(page, whole);
    const box = await chart(page).boundingBox();
    if (box === null) throw new Error("The chart is not visible.");

    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await page.getByRole("button", { name: "Reset zoom" }).waitFor();
    const [start = "", end = ""] = zoomOf(page);
    await expectShown(page, `start=${start}&end=${end}&compare=previous`);
    await page.getByRole("button", { name: "Reset zoom" }).click();

    await expectShown(page, whole);
    expect({ isPart: start > "2025-09-01" && end < "2025-10-31" && start < end, zoom: zoomOf(page) }).toEqual({
      isPart: true,
      zoom: [""],
    });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a finger that moves sideways over the chart zooms in, one that moves up scrolls, and a tap shows a day",
  async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const page = await openReport("&start=2025-09-01&end=2025-10-31", phone);
    const box = await chart(page).boundingBox();
    if (box === null) throw new Error("The chart is not visible.");
    const [left, middle] = [box.x + box.width * 0.3, box.y + box.height / 2];
    const finger = await page.context().newCDPSession(page);
    const drag = async (to: { x: number; y: number }) => {
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: { x: number; y: number }[]) =>
        finger.send("Input.dispatchTouchEvent", { type, touchPoints });
      await touch("touchStart", [{ x: left, y: middle }]);
      for (const part of [0.1, 0.25, 0.5, 0.75, 1]) {
        await touch("touchMove", [{ x: left + (to.x - left) * part, y: middle + (to.y - middle) * part }]);
      }
      await touch("touchEnd", []);
    };

    await page.touchscreen.tap(left, middle);
    const tapped = await chart(page).getAttribute("aria-valuetext");
    await drag({ x: left + box.width * 0.4, y: middle + 4 });
    await page.getByRole("button", { name: "Reset zoom" }).waitFor();
    const [start = "", end = ""] = zoomOf(page);
    await page.goBack();
    await page.getByRole("button", { name: "Reset zoom" }).waitFor({ state: "detached" });
    // The last step, since the page scrolls on after a quick finger, and the next finger would only stop it.
    await drag({ x: left + 3, y: middle - 200 });
    const scrolled = await eventually(
      () => page.evaluate("scrollY"),
      (top) => Number(top) > 50,
    );
    const afterScroll = zoomOf(page);

    expect(tapped).toMatch(/^\w+, (Sep|Oct) \d+, 2025: /);
    expect(tapped).not.toContain("Oct 31");
    expect(Number(scrolled)).toBeGreaterThan(50);
    expect(afterScroll).toEqual([""]);
    expect(start > "2025-09-01" && end < "2025-10-31" && start < end).toBe(true);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

// A synchronous request blocks the page's thread until the drag is over, as a busy phone does.
test(
  "a drag over the chart that ends before the page has drawn it zooms in",
  async () => {
    const page = await openReport("&start=2025-09-01&end=2025-10-31");
    const box = await chart(page).boundingBox();
    if (box === null) throw new Error("The chart is not visible.");
    const [left, y] = [box.x + box.width * 0.3, box.y + box.height / 2];
    const mouse = await page.context().newCDPSession(page);
    const send = (type: "mouseMoved" | "mouseReleased", part: number) =>
      mouse.send("Input.dispatchMouseEvent", { type, x: left + box.width * part, y, button: "left", buttons: 1 });
    const isBlocked = Promise.withResolvers<void>();
    const isDragged = Promise.withResolvers<void>();
    await page.route("**/blocking", async (route) => {
      isBlocked.resolve();
      await isDragged.promise;
      await route.fulfill({ status: 204 });
    });

    await page.mouse.move(left, y);
    await page.mouse.down();
    const block = page.evaluate(
      "(() => { const request = new XMLHttpRequest(); request.open('GET', '/blocking', false); request.send(); })()",
    );
    await isBlocked.promise;
    const drag = [send("mouseMoved", 0.1), send("mouseMoved", 0.3), send("mouseReleased", 0.3)];
    await mouse.send("Browser.getVersion");
    isDragged.resolve();
    await Promise.all([block, ...drag]);

    await page.getByRole("button", { name: "Reset zoom" }).waitFor();
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the keyboard zooms into days and hours, and out again",
  async () => {
    const page = await openReport("&start=2025-10-01&end=2025-10-31");
    await chart(page).press("Home");
    for (const key of ["ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Enter"]) await chart(page).press(key);
    await page.getByRole("button", { name: "Reset zoom" }).waitFor();
    const days = zoomOf(page);
    await page.getByRole("button", { name: "Period: Oct 2 – 4, 2025" }).waitFor();
    await expectShown(page, "start=2025-10-02&end=2025-10-04&compare=previous");
    await chart(page).press("End");
    await chart(page).press("Enter");
    await page.getByRole("button", { name: "Period: Oct 4, 2025" }).waitFor();
    await expectShown(page, "start=2025-10-04&end=2025-10-04&compare=previous");
    await page.goBack();
    await page.getByRole("button", { name: "Period: Oct 2 – 4, 2025" }).waitFor();
    await chart(page).press("Escape");

    await page.getByRole("button", { name: "Period: Oct 1 – 31, 2025" }).waitFor();
    expect(days).toEqual(["2025-10-02", "2025-10-04"]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the chart counts by hour, day, week and month, with the same total",
  async () => {
    const page = await openReport("&start=2025-10-01&end=2025-10-31&tables=series");
    const rows = page.getByRole("region", { name: /over time$/ }).locator("tbody tr");
    const shown: Record<string, number> = {};

    for (const [name, count] of Object.entries({ Week: 5, Hour: 31 * 24, Month: 1, Day: 31 })) {
      await page.getByRole("group", { name: "Chart interval" }).getByRole("button", { name }).click();
      shown[name] = await eventually(
        () => rows.count(),
        (found) => found === count,
      );
      await expectShown(page, "start=2025-10-01&end=2025-10-31&compare=previous");
    }

    expect(shown).toEqual({ Week: 5, Hour: 744, Month: 1, Day: 31 });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a report is compared with the year before, any period, or none",
  async () => {
    const page = await openReport("&start=2025-10-01&end=2025-10-31");
    await chooseComparison(page, "Same period last year");
    await expectShown(page, "start=2025-10-01&end=2025-10-31&compare=year");

    await chooseComparison(page, "Custom period");
    await page.getByLabel("From", { exact: true }).fill("2025-03-01");
    await page.getByLabel("Until", { exact: true }).fill("2025-03-31");
    await page.getByRole("button", { name: "Apply" }).click();
    const compared = "compare=custom&compareStart=2025-03-01&compareEnd=2025-03-31";
    await expectShown(page, `start=2025-10-01&end=2025-10-31&${compared}`);

    await chooseComparison(page, "No comparison");
    await expectShown(page, "start=2025-10-01&end=2025-10-31");
    await page.reload();
    await expectShown(page, "start=2025-10-01&end=2025-10-31");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "last month's best country of a campaign is found in four interactions",
  async () => {
    const page = await world.newPage({ timezoneId: "UTC" });
    await page.goto(world.url("/analytics"));
    await page.getByRole("button", { name: /^Clicks \d/ }).waitFor();
    let interactions = 0;
    const click = async (target: ReturnType<Page["getByRole"]>) => {
      interactions++;
      await target.click();
    };

    await click(page.getByRole("button", { name: /^Period/ }));
    await click(page.getByRole("button", { name: "Last month", exact: true }));
    await click(page.getByRole("tab", { name: /^Campaigns?$/ }));
    await click(page.getByRole("button", { name: /^spring-sale 9\b/ }));

    const best = page.getByRole("region", { name: "Locations" }).locator("li > div > button:first-child").first();
    const read = async () => (await best.locator("> span").allTextContents()).slice(0, 2).join(" ");
    const text = await eventually(read, (shown) => shown.endsWith(" 6"));
    expect({ interactions, text }).toEqual({ interactions: 4, text: expect.stringMatching(/Brazil 6$/) });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

async function openReport(search: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await world.newPage({ timezoneId: "UTC", ...options });
  await page.goto(world.url(`/analytics?linkId=${linkId}${search}`));
  await page.getByRole("button", { name: /^Clicks \d/ }).waitFor();
  return page;
}

function chart(page: Page) {
  return page.getByRole("slider", { name: /over time/ });
}

/** The boundaries of the zoom in the page's URL. */
function zoomOf(page: Page): string[] {
  return (new URL(page.url()).searchParams.get("zoom") ?? "").split("..");
}

async function chooseComparison(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: /^(Previous period|Same period last year|Custom period|Compare)/ }).click();
  await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
}

/** Checks that the page shows the number and the change of the API's report. */
async function expectShown(page: Page, query: string): Promise<void> {
  const { body } = await world.server.call("GET", `/analytics?linkId=${linkId}&timezone=UTC&${query}`);
  const { clicks, previous } = Compared.parse(body);
  const expected = headline(clicks, previous?.clicks);
  const figure = page.getByRole("button", { name: /^Clicks \d/ });
  const texts = figure.locator("span:not(:has(span), [aria-hidden=true])");
  const read = async () => (await texts.allTextContents()).join(" ").replace(/ \(.*\)$/, "");
  expect({ query, shown: await eventually(read, (shown) => shown === expected) }).toEqual({ query, shown: expected });
}

function headline(clicks: number, before: number | undefined): string {
  const number = new Intl.NumberFormat("en-US");
  if (before === undefined || clicks + before === 0) return `Clicks ${number.format(clicks)}`;
  const part = clicks / before - 1;
  const percent = new Intl.NumberFormat("en-US", {
    style: "percent",
    maximumFractionDigits: 1,
    signDisplay: "exceptZero",
  }).format(part);
  const change = before === 0 ? "new" : percent;
  return `Clicks ${number.format(clicks)} ${change}, from ${number.format(before)}`;
}

/** Clicks of two years, some at the ends of October 2025, and those of two campaigns in the last month. */
async function fillClicks(server: TestServer): Promise<TestServer> {
  linkId = (await newLink(server, { url: "https://example.com/all", key: "all" })).id;
  const at = (time: number, fields: Partial<Click> = {}): Click => ({
    ...randomClick(random, { from: 0, to: 1 }, { workspaceId: 1, linkId, bot: "" as const, ...fields }),
    time: Math.floor(time),
  });
  const bounds = ["2025-10-01T00:00:00Z", "2025-10-31T00:00:00Z", "2025-10-31T23:59:59Z", "2025-11-01T00:00:00Z"];
  const clicks = [
    ...Array.from({ length: 3_000 }, () => at(now - random() * 800 * dayMs, { utm_campaign: "" })),
    ...bounds.flatMap((text) => Array.from({ length: 7 }, () => at(Date.parse(text), { utm_campaign: "" }))),
    ...campaignClicks().map(({ time, ...fields }) => at(time, { ...fields, linkId: "link_of_campaigns" })),
  ];
  return await storeClicks(server, clicks);
}

/** This month, Germany is ahead; last month, Brazil was. */
function campaignClicks(): Pick<Click, "time" | "country" | "utm_campaign">[] {
  const date = new Date(now);
  const lastMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 12);
  const clicks = (count: number, time: number, country: string, campaign: string) =>
    Array.from({ length: count }, () => ({ time, country, utm_campaign: campaign }));
  return [
    ...clicks(6, lastMonth, "BR", "spring-sale"),
    ...clicks(3, lastMonth, "DE", "spring-sale"),
    ...clicks(20, lastMonth, "FR", "newsletter"),
    ...clicks(9, now, "DE", "spring-sale"),
  ];
}

test(
  "while its report loads, the custom period of a page has whole days",
  async () => {
    const page = await world.newPage();
    const loading = Promise.withResolvers<void>();
    await page.route("**/v1/analytics**", async (route) => {
      await loading.promise;
      await route.continue();
    });
    await page.goto(world.url("/analytics"));
    await page.getByRole("button", { name: /^Period/ }).click();

    expect(await page.getByRole("switch", { name: "Set times" }).isChecked()).toBe(false);
    loading.resolve();
    await page.unrouteAll({ behavior: "wait" });
  },
  walkMsMax,
);
