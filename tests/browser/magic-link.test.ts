/** Signing in with a link by mail. */
import { expect, test } from "bun:test";
import { accessibilityErrorsOf, newPerson } from "../support/dashboard.ts";
import { startMailServer } from "../support/mail-server.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { eventually } from "../support/server.ts";

const mail = await startMailServer();
const world = openWalks({ WAYPOST_SMTP_URL: mail.url });

test(
  "a person requests a link on the sign-in page, opens it from the mail, and is signed in by its button",
  async () => {
    const ann = await newPerson(world.server);
    const page = await world.newPage({}, null);
    await page.goto(`${world.server.url}/app/w/1/domains`);
    await page.getByLabel("E-mail").fill(ann.email);

    await page.getByRole("button", { name: "E-mail me a link" }).click();
    expect(await accessibilityErrorsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Send link" }).click();
    await page.getByText(`If ${ann.email} has an account here`).waitFor();
    const mails = await eventually(
      async () => mail.received.filter(({ to }) => to.includes(ann.email)),
      (received) => received.length > 0,
    );
    const path = /\/app\/link\/\S+/.exec(mails[0]?.text ?? "")?.[0] ?? "";
    await page.goto(`${world.server.url}${path}`);
    expect(await accessibilityErrorsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Sign in" }).click();

    await page.getByRole("heading", { name: "Domains" }).waitFor();
    expect(world.pageErrors).toEqual([]);
    await mail.close();
  },
  walkMsMax,
);
