/** The history of a link in a real browser: what each change says, and how it is reverted. */
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { z } from "zod";
import { linkAt, newLink } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();

/** Creates a link, gives it these titles one after another, and opens its history. */
async function openHistory(page: Page, key: string, titles: readonly string[]): Promise<void> {
  const { id } = await newLink(world.server, { url: "https://example.com/", key });
  for (const title of titles) await world.server.call("PATCH", `/links/${id}`, { body: { title } });
  await page.goto(world.url(`/links?history=${id}`));
  await page
    .getByRole("dialog")
    .getByText(titles.at(-1) ?? "")
    .first()
    .waitFor();
}

test(
  "Escape closes the history while the message about a revert is shown",
  async () => {
    const page = await world.newPage();
    await openHistory(page, "escaped", ["First"]);

    await page.getByRole("button", { name: "Revert" }).press("Enter");
    await page.getByText("Change reverted").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.context().close();

    expect((await linkAt(world.server, "escaped"))?.url).toBe("https://example.com/");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a revert says which change it reverted, can be reverted itself, and offers no revert that would change nothing",
  async () => {
    const page = await world.newPage();
    await openHistory(page, "reverted", ["First", "Second"]);
    const entries = page.getByRole("dialog").getByRole("listitem");
    const reverts = entries.getByRole("button", { name: "Revert" });

    await reverts.first().press("Enter");
    await entries.first().getByText("Reverted the change of").waitFor();
    const isFocusInside = await page.evaluate("document.activeElement?.closest('[role=dialog]') !== null");
    const afterRevert = (await titleOf("reverted")) ?? "";
    const badges = await entries.getByText("Reverted", { exact: true }).count();
    // The revert itself and the first change; the change that was reverted, and the creation, have none.
    const offered = await Promise.all((await entries.all()).map((entry) => entry.getByRole("button").count()));
    await reverts.first().press("Enter");
    await entries.nth(4).waitFor();
    const afterBoth = (await titleOf("reverted")) ?? "";
    await page.context().close();

    expect({ isFocusInside, afterRevert, badges, offered, afterBoth }).toEqual({
      ...{ isFocusInside: true, afterRevert: "First", badges: 1, offered: [1, 0, 1, 0], afterBoth: "Second" },
    });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

async function titleOf(key: string): Promise<string | null> {
  const { body } = await world.server.call("GET", `/links/info?domain=localhost&key=${key}`);
  return z.object({ title: z.string().nullable() }).parse(body).title;
}
