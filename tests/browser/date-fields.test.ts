/** Date fields in a real browser: dates chosen in the calendar, typed, cleared and refused. */
import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { z } from "zod";
import { newLink } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { eventually } from "../support/server.ts";

/** With a link, since an empty list has no filters. */
const world = openWalks({}, async (server) => {
  await server.call("POST", "/links", { body: { url: "https://example.com/" } });
  return server;
});

const Times = z.object({ startsAt: z.string().optional(), expiresAt: z.string().nullable() });

/** The start and the end of a link, as the API returns them. */
async function timesOf(id: string) {
  return Times.parse((await world.server.call("GET", `/links/${id}`)).body);
}

function focused(page: Page): Locator {
  return page.locator(":focus");
}

async function openFilters(page: Page): Promise<void> {
  await page.goto(world.url("/links"));
  await page.getByRole("button", { name: "Filter", exact: true }).click();
}

/** The days that successive keys lead to from the 20th of November. */
const keys = [
  ["ArrowRight", "Saturday, November 21, 2026"],
  ["ArrowDown", "Saturday, November 28, 2026"],
  ["ArrowDown", "Saturday, December 5, 2026"],
  ["ArrowUp", "Saturday, November 28, 2026"],
  ["ArrowLeft", "Friday, November 27, 2026"],
  ["Home", "Sunday, November 22, 2026"],
  ["End", "Saturday, November 28, 2026"],
  ["PageUp", "Wednesday, October 28, 2026"],
  ["PageDown", "Saturday, November 28, 2026"],
  ["Shift+PageDown", "Sunday, November 28, 2027"],
  ["Shift+PageUp", "Saturday, November 28, 2026"],
] as const;

test(
  "arrow keys move between days, Enter chooses a day, Escape chooses none, and both return the focus",
  async () => {
    const { page } = world;
    await openFilters(page);
    const field = page.getByRole("textbox", { name: "Created from" });
    await field.fill("2026-11-20");
    await field.press("ArrowDown");
    await page.getByRole("grid", { name: "November 2026" }).waitFor();
    const first = await focused(page).getAttribute("aria-label");

    const reached: string[][] = [];
    for (const [key] of keys) {
      await page.keyboard.press(key);
      reached.push([key, (await focused(page).getAttribute("aria-label")) ?? ""]);
    }
    const chosen = await page.getByRole("gridcell", { selected: true }).getByRole("button").getAttribute("aria-label");
    await page.keyboard.press("Escape");
    await page.getByRole("grid").waitFor({ state: "detached" });
    const afterEscape = await field.inputValue();
    await field.and(focused(page)).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("button", { name: "Friday, November 20, 2026" }).press("ArrowRight");
    await page.keyboard.press("Enter");
    await field.and(focused(page)).waitFor();
    const afterEnter = await field.inputValue();
    await page.getByRole("button", { name: "Open calendar" }).first().press("Enter");
    await page.getByRole("button", { name: "Saturday, November 21, 2026" }).press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("grid").waitFor({ state: "detached" });

    expect(first).toBe("Friday, November 20, 2026");
    expect(reached).toEqual(keys.map((each) => [...each]));
    expect({ chosen, afterEscape, afterEnter }).toEqual({
      chosen: "Friday, November 20, 2026",
      afterEscape: "Nov 20, 2026",
      afterEnter: "Nov 21, 2026",
    });
    expect(await field.inputValue()).toBe("Nov 28, 2026");
    expect(await focused(page).getAttribute("aria-label")).toBe("Open calendar");
    expect(new URL(page.url()).searchParams.get("from")).toBe("2026-11-28");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

/** TABLE of dialogs: the page of each, its date field, and the function that shows the field. */
const dialogs = {
  "a link": { path: "/links?create=1", field: "Expires", show: showTimes },
  "an API key": { path: "/settings/keys?add=true", field: "Date", show: showLastDay },
} as const;

async function showTimes(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Expiry/ }).click();
}

async function showLastDay(page: Page): Promise<void> {
  await page.getByLabel("Expires").selectOption("Custom date");
}

test.each(Object.entries(dialogs))(
  "in the dialog of %s, the chosen day has the focus each time the calendar opens",
  async (_, { path, field: label, show }) => {
    const { page } = world;
    await page.goto(world.url(path));
    await show(page);
    const field = page.getByLabel(label, { exact: true });
    await field.fill("2099-12-01");

    for (const _ of ["first", "second", "third"]) {
      await field.press("ArrowDown");
      await page.getByRole("button", { name: "Tuesday, December 1, 2099" }).and(focused(page)).waitFor();
      await page.keyboard.press("ArrowRight");
      await page.getByRole("button", { name: "Wednesday, December 2, 2099" }).and(focused(page)).waitFor();
      await page.keyboard.press("Escape");
      await field.and(focused(page)).waitFor();
    }

    expect(await field.inputValue()).toMatch(/^Dec 1, 2099/);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

/** How far an element of the calendar, with its focus ring, extends beyond the dialog; 0 inside. */
async function pixelsOutside(page: Page, name: string): Promise<number> {
  const button = page.getByRole("dialog", { name: "Calendar" }).getByRole("button", { name, exact: true });
  return await button.evaluate((element) => {
    const dialog = element.closest("[role=dialog]");
    if (dialog === null) throw new Error("The button is in no dialog.");
    const [inner, outer] = [element.getBoundingClientRect(), dialog.getBoundingClientRect()];
    const ring = 4;
    const over = [outer.left - inner.left, outer.top - inner.top, inner.right - outer.right];
    return Math.max(0, ...[...over, inner.bottom - outer.bottom].map((each) => each + ring));
  });
}

test(
  "on a phone the calendar shows the whole month, and keeps its buttons visible in less space",
  async () => {
    const page = await world.newPage({ viewport: { width: 360, height: 740 } });
    const calendar = page.getByRole("dialog", { name: "Calendar" });
    const hidden = () => calendar.evaluate((element) => element.scrollHeight - element.clientHeight);
    await page.goto(world.url("/analytics"));
    await page.getByRole("button", { name: /^Period/ }).click();
    await page.getByLabel("From", { exact: true }).press("ArrowDown");
    await page.getByRole("grid").waitFor();
    const upright = await hidden();
    await page.setViewportSize({ width: 740, height: 400 });
    await page.goto(world.url("/links?create=1"));
    await showTimes(page);
    await page.getByLabel("Expires", { exact: true }).press("ArrowDown");
    await page.getByRole("grid").waitFor();

    expect(upright).toBe(0);
    expect(await hidden()).toBeGreaterThan(0);
    expect([await pixelsOutside(page, "Today"), await pixelsOutside(page, "Done")]).toEqual([0, 0]);
    await page.context().close();
  },
  walkMsMax,
);

test(
  "the calendar of December 9999 shows no day after the 31st",
  async () => {
    const { page } = world;
    await openFilters(page);
    const field = page.getByRole("textbox", { name: "Created from" });
    await field.fill("9999-12-20");
    await field.press("ArrowDown");
    const grid = page.getByRole("grid", { name: "December 9999" });
    await grid.waitFor();

    expect(await grid.getByRole("gridcell").last().textContent()).toBe("");
    expect(await grid.getByRole("button").last().textContent()).toBe("31");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a date filter reads dates in the order of the region, shows them in the local format, and is removed when cleared",
  async () => {
    const { page } = world;
    await openFilters(page);
    const field = page.getByRole("textbox", { name: "Created until" });

    await field.fill("11/20/2026");
    await field.blur();
    await page.waitForURL((url) => url.searchParams.get("to") === "2026-11-20");
    await eventually(
      () => field.inputValue(),
      (shown) => shown === "Nov 20, 2026",
    );
    await field.fill("20/11/2026");
    await field.blur();
    await page
      .getByText(`Enter a date such as Dec 31, ${new Date().getFullYear()}, or choose one in the calendar.`)
      .waitFor();
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    await page.waitForURL((url) => !url.searchParams.has("to"));
    await page.getByRole("button", { name: "Open calendar" }).nth(1).click();
    await page.getByRole("button", { name: "Clear", exact: true }).click();

    await page.getByText("Enter a date such as").waitFor({ state: "detached" });
    expect(await field.inputValue()).toBe("");
  },
  walkMsMax,
);

test(
  "a link's end is chosen with its time, stays when the typed text is invalid, and is removed when cleared",
  async () => {
    const page = await world.newPage({ timezoneId: "Asia/Tokyo" });
    const { id } = await newLink(world.server, { url: "https://example.com/timed", key: "timed" });
    const open = async () => {
      await page.goto(world.url(`/links?edit=${id}`));
      const part = page.getByRole("button", { name: /^Expiry/ });
      await part.waitFor();
      if ((await part.getAttribute("aria-expanded")) === "false") await part.click();
    };
    const save = async () => {
      await page.getByRole("button", { name: "Save changes" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    };
    const field = page.getByLabel("Expires");
    const calendar = page.getByRole("button", { name: "Open calendar" }).first();

    await open();
    await field.fill("2099-12-01 18:00");
    await calendar.click();
    await page.getByRole("button", { name: "Thursday, December 31, 2099" }).click();
    const time = page.getByLabel("Time", { exact: true });
    const isTimeFocused = await time.evaluate((element) => element === element.ownerDocument.activeElement);
    await time.fill("9:30 pm");
    await time.press("Enter");
    const shown = await field.inputValue();
    await save();
    const chosen = await timesOf(id);
    await open();
    await field.fill("the end of days");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("dialog").locator("input[aria-invalid=true]").waitFor();
    const afterInvalidText = await timesOf(id);
    await calendar.click();
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await save();

    expect({ isTimeFocused, shown }).toEqual({ isTimeFocused: true, shown: "Dec 31, 2099, 9:30 PM" });
    expect(chosen.expiresAt).toBe("2099-12-31T12:30:00.000Z");
    expect(afterInvalidText).toEqual(chosen);
    expect((await timesOf(id)).expiresAt).toBeNull();
    expect(world.pageErrors).toEqual([]);
    await page.context().close();
  },
  walkMsMax,
);

test(
  "a link whose end is typed without a time works until the end of that day, and the field shows that day again",
  async () => {
    const page = await world.newPage({ timezoneId: "America/New_York" });
    const { id } = await newLink(world.server, { url: "https://example.com/last-day", key: "last-day" });
    const field = page.getByLabel("Expires");
    const open = async () => {
      await page.goto(world.url(`/links?edit=${id}`));
      await page.getByRole("button", { name: /^Expiry/ }).click();
    };

    await open();
    await field.fill("12/31/2099");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await open();

    expect((await timesOf(id)).expiresAt).toBe("2100-01-01T05:00:00.000Z");
    expect(await field.inputValue()).toBe("Dec 31, 2099");
    expect(world.pageErrors).toEqual([]);
    await page.context().close();
  },
  walkMsMax,
);

test(
  "in a field with a date and a time, the date can be deleted and typed again",
  async () => {
    const { page } = world;
    const { id } = await newLink(world.server, { url: "https://example.com/again", key: "again" });
    await page.goto(world.url(`/links?edit=${id}`));
    await page.getByRole("button", { name: /^Expiry/ }).click();
    const field = page.getByLabel("Expires");

    await field.fill("2099-12-01 18:00");
    await field.press("Home");
    for (const _ of "2099-12-01") await field.press("Delete");
    await field.pressSequentially("2098-01-31");

    expect(await field.inputValue()).toBe("2098-01-31 18:00");
  },
  walkMsMax,
);

test(
  "an API key is not created without its last day, or with a past day",
  async () => {
    const { page } = world;
    await page.goto(world.url("/settings/keys?add=true"));
    await page.getByLabel("Name").fill("Ends one day");
    await page.getByLabel("Expires").selectOption("Custom date");
    const field = page.getByLabel("Date", { exact: true });
    const create = page.getByRole("dialog").getByRole("button", { name: "Create" });

    await create.click();
    await page.getByText("Enter a date.").waitFor();
    const isFocused = await field.evaluate((element) => element === element.ownerDocument.activeElement);
    await field.fill("2020-02-30");
    await create.click();
    await page.getByText("Enter a date such as").waitFor();
    await field.fill("2020-02-28");
    await create.click();
    await page.getByText(/^Must not be before \w{3} \d{1,2}, 2\d{3}\.$/).waitFor();
    const { body } = await world.server.call("GET", "/api-keys");
    await field.fill("2099-12-31");
    await create.click();
    await page.getByText("API key created").first().waitFor();

    expect(isFocused).toBe(true);
    expect(JSON.stringify(body)).not.toContain("Ends one day");
    expect(JSON.stringify((await world.server.call("GET", "/api-keys")).body)).toContain("Ends one day");
  },
  walkMsMax,
);

/** TABLE of locales: the month, the first weekday, a day, and the same day in its field. */
const locales = {
  "en-US": { grid: "November 2026", first: "Sunday", day: "Friday, November 20, 2026", typed: "Nov 20, 2026" },
  "en-GB": { grid: "November 2026", first: "Monday", day: /^Friday,? 20 November 2026$/, typed: "20 Nov 2026" },
  "de-DE": { grid: "November 2026", first: "Montag", day: "Freitag, 20. November 2026", typed: "20.11.2026" },
  "zh-CN": { grid: "2026年11月", first: "星期一", day: "2026年11月20日星期五", typed: "2026年11月20日" },
} as const;

test.each(Object.entries(locales))(
  "in %s, months, weekdays, the start of the week and dates follow the locale",
  async (locale, { grid, first, day, typed }) => {
    const page = await world.newPage({ locale });
    await page.goto(world.url("/links?from=2026-11-20"));
    await page
      .getByRole("button", { name: /^(Filter|筛选)/ })
      .first()
      .click();
    const field = page.getByRole("dialog").getByRole("textbox").first();
    const shown = await field.inputValue();
    await field.press("ArrowDown");

    await page.getByRole("grid", { name: grid }).getByRole("button", { name: day }).waitFor();
    const header = page.getByRole("columnheader").first();

    expect(shown).toBe(typed);
    expect(await header.locator(".sr-only").textContent()).toBe(first);
    await page.context().close();
  },
  walkMsMax,
);
