import type { Page } from "playwright-core";
import type { Picture } from "./world.ts";

/** TABLE of the pages for people who are not signed in, by the names of their pictures. */
export const signInPages: Record<string, Picture> = {
  "sign-in-set-up": { path: ({ setUpUrl }) => setUpUrl, by: "nobody" },
  "sign-in-set-up-wrong": {
    path: ({ setUpUrl }) => setUpUrl,
    by: "nobody",
    prepare: (page) => sendForm(page, { email: "ann@kestrel.coffee", password: "short" }),
  },
  "sign-in-set-up-closed": { path: "/setup/used", by: "nobody" },
  "sign-in-reset-password": { path: ({ reset }) => reset, by: "nobody" },
  "sign-in-invite": { path: ({ invite }) => invite, by: "nobody" },
  "sign-in-invite-wrong": {
    path: ({ invite }) => invite,
    by: "nobody",
    prepare: (page) => sendForm(page, { email: "ann" }),
  },
  "sign-in-invite-for-address": { path: ({ addressedInvite }) => addressedInvite, by: "nobody" },
  "sign-in-invite-signed-in": { path: ({ invite }) => invite },
  "sign-in-invite-closed": { path: "/invites/used", by: "nobody" },
  "sign-in-open": { path: ({ signUpUrl }) => signUpUrl.replace("sign-up", "sign-in"), by: "nobody" },
  "sign-up-invite": { path: "/sign-up", by: "nobody" },
  "sign-up-open": { path: ({ signUpUrl }) => signUpUrl, by: "nobody" },
  "sign-up-open-wrong": {
    path: ({ signUpUrl }) => signUpUrl,
    by: "nobody",
    prepare: (page) => sendForm(page, { email: "ann" }),
  },
  "sign-up-sent": {
    path: ({ signUpUrl }) => signUpUrl,
    by: "nobody",
    async prepare(page) {
      // An address gets three mails an hour, and pictures have more views.
      await page.locator("[name=email]").fill(`ann-${page.viewportSize()?.width}@kestrel.coffee`);
      await page.locator("button[type=submit]").click();
      await page.locator("form").waitFor({ state: "detached" });
    },
  },
  "sign-up-finish": { path: ({ mailedSignUpUrl }) => mailedSignUpUrl, by: "nobody" },
  "sign-up-finish-wrong": {
    path: ({ mailedSignUpUrl }) => mailedSignUpUrl,
    by: "nobody",
    prepare: (page) => sendForm(page, { name: "Nora", password: "short" }),
  },
  "sign-up-link-closed": { path: ({ signUpUrl }) => `${signUpUrl}/used`, by: "nobody" },
  "sign-in-nothing": { path: ({ server }) => `${server.url}/docs/nowhere`, by: "nobody" },
};

/** Submits a form without the browser's validation, and waits for its errors. */
async function sendForm(page: Page, fields: Record<string, string>): Promise<void> {
  await page.locator("form").evaluate((form) => form.setAttribute("novalidate", ""));
  for (const [name, value] of Object.entries(fields)) await page.locator(`[name=${name}]`).fill(value);
  await page.locator("button[type=submit]").click();
  await page.getByRole("alert").waitFor();
}
