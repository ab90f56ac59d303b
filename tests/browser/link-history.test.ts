/** The history of a link in a real browser: what each change says, and how it is reverted. */
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
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
