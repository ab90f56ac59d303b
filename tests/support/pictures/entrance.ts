import type { Page } from "playwright-core";
import type { Pictured } from "./world.ts";

/** TABLE of the pages that lead into the dashboard, by what their pictures are called. */
export const entrancePages: Record<string, Pictured> = {
  "entrance-set-up": { path: ({ setUpUrl }) => setUpUrl, by: "nobody" },
  "entrance-set-up-wrong": {
    path: ({ setUpUrl }) => setUpUrl,
    by: "nobody",
    prepare: (page) => sendForm(page, { email: "ann@kestrel.coffee", password: "short" }),
  },
  "entrance-set-up-closed": { path: "/setup/used", by: "nobody" },
  "entrance-reset-password": { path: ({ reset }) => reset, by: "nobody" },
  "entrance-invite": { path: ({ invite }) => invite, by: "nobody" },
  "entrance-invite-wrong": {
    path: ({ invite }) => invite,
    by: "nobody",
    prepare: (page) => sendForm(page, { email: "ann" }),
  },
  "entrance-invite-for-address": { path: ({ addressedInvite }) => addressedInvite, by: "nobody" },
  "entrance-invite-signed-in": { path: ({ invite }) => invite },
  "entrance-invite-closed": { path: "/invites/used", by: "nobody" },
  "entrance-nothing": { path: ({ server }) => `${server.url}/docs/nowhere`, by: "nobody" },
};

/** Sends a form, as a browser that checks nothing itself would, and waits until it came back with what is wrong. */
async function sendForm(page: Page, fields: Record<string, string>): Promise<void> {
  await page.locator("form").evaluate((form) => form.setAttribute("novalidate", ""));
  for (const [name, value] of Object.entries(fields)) await page.locator(`[name=${name}]`).fill(value);
  await page.locator("button[type=submit]").click();
  await page.getByRole("alert").waitFor();
}
