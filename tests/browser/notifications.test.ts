/** The page of notifications in a real browser, with and without a mail server. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { accessibilityErrorsOf } from "../support/dashboard.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

// No mail is due during the test, so the server need not exist.
const world = openWalks({ WAYPOST_SMTP_URL: "smtp://127.0.0.1:9" });
const List = z.object({
  notifications: z.array(z.object({ kind: z.string(), timeZone: z.string(), language: z.string() })),
});

test(
  "a person adds a report of a folder, in their time zone, changes it, and unsubscribes from it",
  async () => {
    const { page, server } = world;
    await server.call("POST", "/folders", { body: { name: "Spring" } });
    await page.goto(world.url("/account/notifications"));
    await page.getByRole("button", { name: "Add notification" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Notification").selectOption("monthlyReport");
    await dialog.getByLabel("About").selectOption("Spring");
    await dialog.getByLabel("Time zone").click();
    await dialog.getByLabel("Find a time zone").fill("tokyo");
    await dialog.getByRole("option", { name: "Asia/Tokyo UTC+09:00" }).click();
    const errors = await accessibilityErrorsOf(page);

    await dialog.getByRole("button", { name: "Add" }).click();
    const unsubscribe = page.getByRole("button", { name: "Unsubscribe from Monthly report, Spring" });
    await unsubscribe.waitFor();

    const { notifications } = List.parse((await server.call("GET", "/notifications")).body);
    expect(notifications).toEqual([{ kind: "monthlyReport", timeZone: "Asia/Tokyo", language: "en" }]);
    expect([...errors, ...(await accessibilityErrorsOf(page))]).toEqual([]);
    await page.getByRole("button", { name: "Edit Monthly report, Spring" }).click();
    await dialog.getByLabel("About").selectOption("Entire workspace");
    await dialog.getByLabel("Language").selectOption("Deutsch");
    errors.push(...(await accessibilityErrorsOf(page)));
    await dialog.getByRole("button", { name: "Save changes" }).click();
    const changed = page.getByRole("button", { name: "Unsubscribe from Monthly report, Entire workspace" });
    await changed.waitFor();
    const [saved] = List.parse((await server.call("GET", "/notifications")).body).notifications;
    expect(saved).toEqual({ kind: "monthlyReport", timeZone: "Asia/Tokyo", language: "de" });
    await changed.click();
    await page.getByText("No notifications").waitFor();
    expect(List.parse((await server.call("GET", "/notifications")).body).notifications).toEqual([]);
  },
  walkMsMax,
);
