/**
 * Walks through analytics in windows of three widths with visible scrollbars: icons and groups, and periods. Each walk ends
 * with the faults of the page in both themes. Other files check each part in depth, mostly in one view.
 */
import { beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { PNG } from "pngjs";
import { dayMs } from "../../src/base/time.ts";
import { newPerson } from "../support/dashboard.ts";
import { row } from "../support/link-list.ts";
import { eventually } from "../support/server.ts";
import { faultsInBothThemes, walkWidths } from "../support/walk-views.ts";
import { agents } from "../support/walked-clicks.ts";
import { figureOf, openWalkedReports, typePeriod, waitForCards } from "../support/walked-reports.ts";

const walkMsMax = 120_000;
const { world, links, clicksIn, open } = openWalkedReports();

beforeAll(async () => {
  // Rows name their creator once the workspace has several members.
  await newPerson(world.server);
  const photo = PNG.sync.write(new PNG({ width: 300, height: 300 }));
  const picture = { name: "me.png", mimeType: "image/png", buffer: photo };
  await world.page.goto(world.url("/account"));
  await world.page.getByLabel("Picture", { exact: true }).last().setInputFiles(picture);
  await world.page.locator("main img[src*='/app/user-avatars/']").waitFor();
}, walkMsMax);

/** The names and numbers of a card's rows, after the icons of all of them were drawn. */
async function rowsOf(card: Locator, count: number): Promise<string[]> {
  const rows = card.locator("li > div > button:first-child");
  await eventually(
    () => rows.count(),
    (found) => found === count,
  );
  const texts = (await rows.all()).map(async (each) => (await each.locator("> span").allInnerTexts()).slice(0, 2));
  return (await Promise.all(texts))
    .map(([name = "", number = ""]) => `${name.split("\n").at(-1)} ${number}`)
    .toSorted();
}

/** The rows of the table of clicks, added up by a column. */
function expectedRows(column: "service" | "channel" | "browser" | "os" | "referer"): string[] {
  const sums = new Map<string, number>();
  for (const each of agents) {
    const name = each[column] === "" ? "Direct" : each[column];
    sums.set(name, (sums.get(name) ?? 0) + each.clicks);
  }
  return Array.from(sums, ([name, clicks]) => `${name} ${clicks}`).toSorted();
}

/** Waits until each row of a card has an icon that is drawn: one of a brand, a symbol, or a loaded flag. */
async function expectIcons(card: Locator): Promise<void> {
  await card.scrollIntoViewIfNeeded();
  const rows = card.locator("li > div > button:first-child");
  const drawn = async () =>
    await rows.evaluateAll((all) =>
      all.map((each) => {
        const icon = each.querySelector("img, svg");
        if (icon === null) return `no icon: ${each.textContent}`;
        const isDrawn = icon.tagName === "IMG" ? icon.naturalWidth > 0 : icon.getBBox().width > 0;
        return isDrawn ? "drawn" : `empty icon: ${each.textContent}`;
      }),
    );
  await eventually(drawn, (icons) => icons.length > 0 && icons.every((icon) => icon === "drawn"), 10_000);
}

test.each(walkWidths)(
  "at %i pixels, agents and referrers have icons, referrers are grouped into services and channels, and links show who made them",
  async (width) => {
    const page = await open(width, `linkId=${links.grouped}`);
    const sources = page.getByRole("region", { name: "Sources" });
    const devices = page.getByRole("region", { name: "Devices" });
    const shown = async (card: Locator, expected: string[]) => await rowsOf(card, expected.length);

    const services = await shown(sources, expectedRows("service"));
    await expectIcons(sources);
    const browsers = await shown(devices, expectedRows("browser"));
    await expectIcons(devices);
    await expectIcons(page.getByRole("region", { name: "Locations" }));
    await waitForCards(page);
    const faults = await faultsInBothThemes(page);
    await devices.getByRole("tab", { name: "OS" }).click();
    const systems = await shown(devices, expectedRows("os"));
    await expectIcons(devices);
    await sources.getByRole("button", { name: /^Instagram 7/ }).click();
    await figureOf(page, 7).waitFor();
    await sources.getByRole("tab", { name: "Sites" }).click();
    const hosts = await rowsOf(sources, 2);
    await page.getByRole("button", { name: "Remove filter: Referrer" }).click();
    await sources.getByRole("tab", { name: "Channels" }).click();
    const channels = await shown(sources, expectedRows("channel"));
    await expectIcons(sources);
    await page.goto(world.url("/links?order=oldest"));
    await row(page, "grouped").waitFor();
    const pictures = await picturesIn(row(page, "grouped"), width < 768 ? 1 : 2);
    faults.push(...(await faultsInBothThemes(page)));
    await page.context().close();

    expect({ services, browsers, systems, hosts, channels }).toEqual({
      services: expectedRows("service"),
      browsers: expectedRows("browser"),
      systems: expectedRows("os"),
      hosts: ["instagram.com 3", "l.instagram.com 4"],
      channels: expectedRows("channel"),
    });
    expect({ pictures, faults, pageErrors: world.pageErrors }).toEqual({
      // A phone has no room for the creator.
      pictures: width < 768 ? ["icon"] : ["icon", "person"],
      faults: [],
      pageErrors: [],
    });
  },
  walkMsMax,
);

/** The loaded pictures of a row: the icon of its destination, and the person who made it. */
async function picturesIn(link: Locator, count: number): Promise<string[]> {
  const sources = async () =>
    await link
      .locator("img")
      .evaluateAll((all) =>
        all
          .filter((image) => image.naturalWidth > 0)
          .map((image) => (image.src.includes("/user-avatars/") ? "person" : "icon")),
      );
  return await eventually(sources, (found) => found.length === count);
}

/** The first instants of a named period and of the one that follows it, which is open now. In UTC, weeks from Monday. */
function periodOf(name: string): [from: number, to?: number] {
  const day = Math.floor(Date.now() / dayMs) * dayMs;
  const monday = day - ((day / dayMs + 3) % 7) * dayMs;
  const [year, month] = [new Date(day).getUTCFullYear(), new Date(day).getUTCMonth()];
  const firstOf = (monthsLater: number) => Date.UTC(year, month + monthsLater, 1);
  const quarter = -(month % 3);
  const periods: Record<string, [from: number, to?: number]> = {
    Today: [day],
    Yesterday: [day - dayMs, day],
    "This week": [monday],
    "Last week": [monday - 7 * dayMs, monday],
    "This month": [firstOf(0)],
    "Last month": [firstOf(-1), firstOf(0)],
    "This quarter": [firstOf(quarter)],
    "Last quarter": [firstOf(quarter - 3), firstOf(quarter)],
  };
  return periods[name] ?? [Number.NaN];
}

const namedPeriods = ["Today", "Yesterday", "This week", "Last week", "This month", "Last month", "This quarter"];

async function choosePeriod(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: /^Period/ }).click();
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("button", { name: `Period: ${name}` }).waitFor();
}

test.each(walkWidths)(
  "at %i pixels, named periods count their days, and a custom one begins with the period on the page",
  async (width) => {
    const page = await open(width, `linkId=${links.history}`);
    for (const name of [...namedPeriods, "Last quarter"]) {
      await choosePeriod(page, name);
      await figureOf(page, clicksIn(...periodOf(name))).waitFor();
    }

    await page.getByRole("button", { name: "Period: Last quarter" }).click();
    const fields = [page.getByLabel("From", { exact: true }), page.getByLabel("Until", { exact: true })];
    const first = await Promise.all(fields.map((field) => field.inputValue()));
    await typePeriod(page, "2025-10-01", "2025-10-31");
    await figureOf(page, clicksIn(Date.UTC(2025, 9, 1), Date.UTC(2025, 10, 1))).waitFor();
    await page.getByRole("button", { name: "Period: Oct 1 – 31, 2025" }).click();
    await waitForCards(page);
    const faults = await faultsInBothThemes(page);
    await page.context().close();

    const [from, to = Number.NaN] = periodOf("Last quarter");
    const date = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" });
    expect(first).toEqual([date.format(from), date.format(to - dayMs)]);
    expect({ faults, pageErrors: world.pageErrors }).toEqual({ faults: [], pageErrors: [] });
  },
  walkMsMax,
);
