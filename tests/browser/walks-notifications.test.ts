/**
 * Walks through reports and alerts by e-mail in windows of three widths with visible scrollbars, with a real mail server.
 * Each walk ends with the faults of the page in both themes. Other files check schedules, rules and mails in depth.
 */
import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { z } from "zod";
import { dayMs, hourMs } from "../../src/base/time.ts";
import { randomClicks, seededRandom } from "../support/clicks.ts";
import { accessibilityErrorsOf } from "../support/dashboard.ts";
import { startMailServer } from "../support/mail-server.ts";
import { openWalks } from "../support/open-walks.ts";
import { browser, eventually, type TestServer } from "../support/server.ts";
import { withDatabase } from "../support/server-database.ts";
import { storeClicks } from "../support/store-clicks.ts";
import { faultsInBothThemes, walkWidths } from "../support/walk-views.ts";

const walkMsMax = 120_000;
const mailServer = await startMailServer();
const world = openWalks({ WAYPOST_SMTP_URL: mailServer.url }, fill);
const Created = z.object({ id: z.string() });

/** TABLE of the notifications: what is chosen, and what the row and the subject of the mail say. */
const notifications = [
  { kind: "weeklyReport", about: "Entire workspace", name: "Weekly report, Entire workspace", mail: /Weekly report/ },
  { kind: "monthlyReport", about: "Spring", name: "Monthly report, Spring", mail: /Monthly report: Spring/ },
  { kind: "weeklyReport", about: "For the agency", name: "Weekly report, For the agency", mail: /For the agency/ },
  { kind: "spike", about: "Entire workspace", name: "Traffic spike, Entire workspace", mail: /spike/i },
  { kind: "drop", about: "Entire workspace", name: "Traffic drop, Entire workspace", mail: /drop/i },
  { kind: "failingDomain", about: undefined, name: "Domain problems", mail: /failing\.example\.com/ },
] as const;

/** A busy workspace of some weeks, whose clicks fell yesterday and rose today, and a domain whose record is missing. */
async function fill(server: TestServer): Promise<TestServer> {
  const { id: folderId } = Created.parse((await server.call("POST", "/folders", { body: { name: "Spring" } })).body);
  await server.call("POST", "/shares", { body: { folderId, name: "For the agency" } });
  await server.call("POST", "/domains", { body: { slug: "failing.example.com" } });
  await withDatabase(server, async ({ db }) => {
    await db
      .updateTable("workspaces")
      .set({ createdAt: Date.now() - 60 * dayMs })
      .execute();
    const failing = { status: "failing", failingSince: Date.now() - hourMs } as const;
    await db.updateTable("domains").set(failing).where("slug", "=", "failing.example.com").execute();
  });
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const random = seededRandom(18);
  const onDay = (daysAgo: number, count: number) => {
    const from = today - daysAgo * dayMs;
    return randomClicks(random, count, { from, to: Math.min(from + hourMs, Date.now()) }, { workspaceId: 1, bot: "" });
  };
  const usual = Array.from({ length: 29 }, (_, index) => onDay(index + 2, 120)).flat();
  return await storeClicks(server, [...usual, ...onDay(1, 10), ...onDay(0, 500)]);
}

afterAll(() => mailServer.close());

async function add(page: Page, { kind, about, name }: (typeof notifications)[number]): Promise<void> {
  await page.getByRole("button", { name: "Add notification" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Notification").selectOption(kind);
  if (about !== undefined) await dialog.getByLabel("About").selectOption({ label: about });
  await dialog.getByLabel("Time zone").click();
  await dialog.getByLabel("Find a time zone").fill("utc");
  await dialog.getByRole("option", { name: "UTC", exact: true }).click();
  await dialog.getByRole("button", { name: "Add" }).click();
  await page.getByRole("button", { name: `Unsubscribe from ${name}` }).waitFor();
}

/** Ends all notifications of the owner, such as the alert about failing domains that every owner has at first. */
async function removeAll(): Promise<void> {
  const List = z.object({ notifications: z.array(Created) });
  const { notifications: all } = List.parse((await world.server.call("GET", "/notifications")).body);
  for (const { id } of all) await world.server.call("DELETE", `/notifications/${id}`);
}

/** Makes everything due now, and resolves with the pages that end each notification, by the order of the table. */
async function mailedUnsubscribeUrls(): Promise<string[]> {
  mailServer.received.splice(0);
  // An alert is never about a day before its creation, such as yesterday's drop.
  const due = { nextAt: 1, sentPeriod: null };
  await withDatabase(world.server, ({ db }) => db.updateTable("notifications").set(due).execute());
  const mailOf = (subject: RegExp) => mailServer.received.find(({ text }) => subject.test(subjectOf(text)));
  await eventually(
    async () => notifications.filter(({ mail }) => mailOf(mail) === undefined).map(({ name }) => name),
    (missing) => missing.length === 0,
  );
  const mails = notifications.map(({ mail }) => mailOf(mail));
  expect(mails[0]?.text).toContain("  Instagram: ");
  return mails.map((mail) => {
    const [, url = ""] = /List-Unsubscribe:\s+<([^>]+)>/.exec(mail?.text ?? "") ?? [];
    return world.server.url + new URL(url).pathname;
  });
}

function subjectOf(text: string): string {
  return /^Subject: (.*(?:\r?\n[ \t].*)*)/m.exec(text)?.[1] ?? "";
}

/** The faults of a page without scripts, whose colors follow the system by themselves. */
async function faultsOfServedPage(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    faults.push(...(await accessibilityErrorsOf(page)));
  }
  return faults;
}

test.each(walkWidths)(
  "at %i pixels, reports and alerts are added, arrive by e-mail, and end with one click without a sign-in",
  async (width) => {
    await removeAll();
    const page = await world.newPage({ viewport: { width, height: 800 }, timezoneId: "Asia/Tokyo" });
    await page.goto(world.url("/account/notifications"));
    await page.getByRole("button", { name: "Add notification" }).first().waitFor();
    for (const each of notifications) await add(page, each);
    const rows = await page.getByRole("listitem").filter({ hasText: "Weekly report" }).allInnerTexts();
    const faults = await faultsInBothThemes(page);

    const urls = await mailedUnsubscribeUrls();
    const [first = "", ...others] = urls;
    const reader = await world.newPage({ viewport: { width, height: 800 } }, null);
    await reader.goto(first);
    faults.push(...(await faultsOfServedPage(reader)));
    await reader.getByRole("button", { name: "Unsubscribe" }).click();
    await reader.getByText("You’re unsubscribed").waitFor();
    faults.push(...(await faultsOfServedPage(reader)));
    await reader.context().close();
    for (const url of others) {
      const init = { method: "POST", headers: browser, body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) };
      expect((await fetch(url, init)).status).toBe(200);
    }
    await page.reload();
    await page.getByText("No notifications").waitFor();
    await page.context().close();

    // In the time zone of the notification, not in that of the browser.
    expect(rows.map((text) => /Next on .*8:00 AM · UTC/.test(text.replaceAll(/\s/g, " ")))).toEqual([true, true]);
    expect({ faults, pageErrors: world.pageErrors }).toEqual({ faults: [], pageErrors: [] });
  },
  walkMsMax,
);
