/**
 * Walks through the charts of analytics in windows of three widths with visible scrollbars: zoom, units and comparison,
 * the map, the heat map, numbers and live clicks. Each walk ends with the faults of the page in both themes. Other files
 * check each part in depth, mostly in one view.
 */
import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { dayMs } from "../../src/base/time.ts";
import { eventually, browser as firefox } from "../support/server.ts";
import { faultsInBothThemes, walkWidths } from "../support/walk-views.ts";
import { figureOf, openWalkedReports, typePeriod, waitForCards } from "../support/walked-reports.ts";

const walkMsMax = 120_000;
const october = "start=2025-10-01&end=2025-10-31";
/** TABLE of the units of the chart with their numbers in October 2025. */
const buckets = { Hour: 31 * 24, Day: 31, Week: 5, Month: 1 };

const { world, links, clicksIn, open } = openWalkedReports();

/** The clicks of the history on days in UTC, both included. */
function clicksOn(first: string, last: string): number {
  return clicksIn(Date.parse(first), Date.parse(last) + dayMs);
}

/** Drags the pointer over a part of the chart. */
async function dragOverChart(page: Page): Promise<void> {
  const box = await page.getByRole("slider", { name: /over time/ }).boundingBox();
  if (box === null) throw new Error("The chart is not visible.");
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
}

/** The number of rows of the chart's table, and their sum. */
async function bucketsOf(page: Page): Promise<{ rows: number; sum: number }> {
  const numbers = await page
    .getByRole("region", { name: /over time$/ })
    .locator("tbody tr td:nth-of-type(1)")
    .allInnerTexts();
  return { rows: numbers.length, sum: numbers.reduce((sum, text) => sum + Number(text.replaceAll(",", "")), 0) };
}

test.each(walkWidths)(
  "at %i pixels, dragging zooms into the chart, which counts hours, days, weeks and months, and any period is compared",
  async (width) => {
    const page = await open(width, `linkId=${links.history}&${october}`);
    const all = clicksOn("2025-10-01", "2025-10-31");

    await page.getByText("By day and hour").waitFor();
    await dragOverChart(page);
    await page.getByRole("button", { name: "Reset zoom" }).waitFor();
    const [start = "", end = ""] = (new URL(page.url()).searchParams.get("zoom") ?? "").split("..");
    await figureOf(page, clicksOn(start, end)).waitFor();
    await waitForCards(page);
    const faults = await faultsInBothThemes(page);
    await page.getByRole("button", { name: "Reset zoom" }).click();
    await figureOf(page, all).waitFor();
    await page.getByRole("button", { name: /^Previous period/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Custom period" }).click();
    await typePeriod(page, "2025-03-01", "2025-03-31");
    const before = new RegExp(`from ${clicksOn("2025-03-01", "2025-03-31")} \\(Mar 1.*31, 2025`);
    await page.getByRole("button", { name: before }).waitFor();
    await page.getByRole("button", { name: /^Show as table: Clicks over time/ }).click();
    for (const [unit, rows] of Object.entries(buckets)) {
      await page.getByRole("group", { name: "Chart interval" }).getByRole("button", { name: unit }).click();
      await eventually(
        () => bucketsOf(page),
        (shown) => Bun.deepEquals(shown, { rows, sum: all }),
      );
    }
    await page.context().close();

    expect({ isPart: start > "2025-10-01" && start <= end && end < "2025-10-31", faults }).toEqual({
      isPart: true,
      faults: [],
    });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

/** The shades of a legend as computed colors, from the fewest clicks. */
async function legendOf(card: Locator): Promise<string[]> {
  return await card
    .locator("ul > li > span")
    .evaluateAll((signs) => signs.map((sign) => sign.ownerDocument.defaultView.getComputedStyle(sign).backgroundColor));
}

/** The shades of the countries with these names on the map. */
async function shadesOf(page: Page, names: readonly string[]): Promise<string[]> {
  const shapes = names.map((name) => page.getByRole("button", { name: new RegExp(`^${name}: `) }));
  return await Promise.all(
    shapes.map((shape) => shape.evaluate((path) => path.ownerDocument.defaultView.getComputedStyle(path).fill)),
  );
}

/** Numbers from 1000 without a separator; years are not numbers of clicks. */
async function unseparatedIn(page: Page): Promise<string[]> {
  const text = await page.getByRole("main").innerText();
  return (text.match(/(?<![\w.,:/-])\d{4,}(?![\w.,:/-])/g) ?? []).filter((digits) => !/^20\d\d$/.test(digits));
}

test.each(walkWidths)(
  "at %i pixels, map and heat map divide numbers into quantiles, and every number has separators",
  async (width) => {
    const page = await open(width, `linkId=${links.history}&interval=all`);
    const [map, week] = ["World map", "By day and hour"].map((name) =>
      page.locator("section").filter({ has: page.getByRole("heading", { name }) }),
    );
    if (map === undefined || week === undefined) throw new Error("A card is missing.");

    await map.scrollIntoViewIfNeeded();
    const shades = await shadesOf(page, ["Kenya", "Japan", "Brazil", "France", "Germany", "United States"]);
    const legends = [await legendOf(map), await legendOf(week)];
    await map.getByText("300–2,653", { exact: true }).waitFor();
    const busiest = week.getByRole("cell", { name: /^1,2\d\d$/ });
    const busy = await busiest.evaluate(
      (cell) => cell.ownerDocument.defaultView.getComputedStyle(cell).backgroundColor,
    );
    const unseparated = await unseparatedIn(page);
    await waitForCards(page);
    const faults = await faultsInBothThemes(page);
    await page.context().close();

    expect(legends.map((colors) => new Set(colors).size)).toEqual([5, 5]);
    // Six countries in five shades: the two with the most clicks share the last.
    expect(new Set(shades).size).toBe(5);
    expect({ most: shades.at(-1), busy }).toEqual({ most: legends[0]?.at(-1), busy: legends[1]?.at(-1) });
    expect({ unseparated, faults, pageErrors: world.pageErrors }).toEqual({
      ...{ unseparated: [], faults: [], pageErrors: [] },
    });
  },
  walkMsMax,
);

/** Shows live clicks. A phone has the switch in a menu. */
async function openLive(page: Page): Promise<Locator> {
  const more = page.getByRole("button", { name: "More", exact: true });
  if (await more.isVisible()) {
    await more.click();
    await page.getByRole("menuitemcheckbox", { name: "Live" }).click();
  } else await page.getByRole("button", { name: "Live", exact: true }).click();
  const panel = page.getByRole("region", { name: "Live clicks" });
  await panel.getByText("Listening").waitFor();
  return panel;
}

test.each(walkWidths)(
  "at %i pixels, a live click arrives with its place, its service and its agent, and nothing is cut off",
  async (width) => {
    const page = await open(width, "interval=24h");
    const panel = await openLive(page);
    const parts = ["Germany", "Facebook", "Firefox · Linux"];
    const row = panel.getByRole("row").filter({ hasText: "/live" }).first();
    const before = await panel.getByRole("row").filter({ hasText: "/live" }).count();

    const headers = { ...firefox, "X-Forwarded-For": "84.128.1.1", Referer: "https://l.facebook.com/" };
    await world.server.visit("/live", { headers });
    await panel.getByRole("row").filter({ hasText: "/live" }).nth(before).waitFor();
    for (const part of parts) await row.getByText(part).filter({ visible: true }).first().waitFor();
    const cut = await panel.getByRole("region").evaluate((box) => box.scrollWidth - box.clientWidth);
    const box = await row.boundingBox();
    await waitForCards(page);
    const faults = await faultsInBothThemes(page);
    await page.context().close();

    expect({ cut, isInside: box !== null && box.x >= 0 && box.x + box.width <= width }).toEqual({
      ...{ cut: 0, isInside: true },
    });
    expect({ faults, pageErrors: world.pageErrors }).toEqual({ faults: [], pageErrors: [] });
  },
  walkMsMax,
);
