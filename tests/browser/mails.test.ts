/** Mails, rendered by a real browser on the width of a phone. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { accountMail } from "../../src/mail/account-mail.ts";
import { accountMailTexts } from "../../src/mail/account-mail-texts.ts";
import { failingDomainMail } from "../../src/mail/alert-mail.ts";
import { inviteMail } from "../../src/mail/invite-mail.ts";
import { notificationTexts } from "../../src/mail/notification-texts.ts";
import { openBrowser } from "../support/browser.ts";
import { worldStartMsMax } from "../support/dashboard.ts";

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
  page = await browser.newPage({ viewport: { width: 360, height: 640 } });
}, worldStartMsMax);
afterAll(() => browser.close());

const url = `https://links.example.com/app/invites/${"a1b2c3d4e5".repeat(4)}`;
const to = "ada@example.com";
const longName = "w".repeat(80);
const longDomain = `${"d".repeat(63)}.${"e".repeat(63)}.example`;
const address = { to, id: "1", workspace: longName, openUrl: url, manageUrl: url, unsubscribeUrl: url };
const german = accountMailTexts("de");

/** TABLE of mails with the longest words. */
const mails = [
  {
    title: "an invitation",
    mail: inviteMail(german, { to, url, workspace: longName, inviter: longName, expiresAt: 0 }),
  },
  { title: "a new passkey", mail: accountMail(german, { to, url, change: { kind: "passkeyAdded", name: longName } }) },
  {
    title: "a failing domain",
    mail: failingDomainMail(notificationTexts.de, [{ slug: longDomain, stage: "began", linksStopAt: 0 }], {
      ...{ timeZone: "UTC", address },
    }),
  },
];

test.each(mails)("the mail about $title fits on a phone, with long links and names", async ({ mail }) => {
  await page.setContent(mail.html ?? "");

  expect(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")).toBe(0);
  expect(await page.getByText("Waypost", { exact: true }).isVisible()).toBe(true);
});
