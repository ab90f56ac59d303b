/** Menus in a real browser. */
import { expect, test } from "bun:test";
import { mistakesOf } from "../support/dashboard.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();

test(
  "open menus lie within a part of the page, and nothing else is wrong with them",
  async () => {
    await world.server.call("POST", "/links", { body: { url: "https://example.com/", key: "menu" } });
    const page = await world.newPage();
    const mistakes: string[] = [];
    for (const [path, name] of [
      ["/links", "Your account"],
      ["/links", /^More for .*menu/],
      ["/links", "My workspace"],
      ["/analytics", /Last 30 days/],
      ["/analytics", "Filter"],
    ] as const) {
      await page.goto(world.url(path));
      await page.getByRole("button", { name }).first().click();
      await page.locator("[role=menu], [role=dialog]").first().waitFor();
      mistakes.push(...(await mistakesOf(page)));
    }

    expect(mistakes).toEqual([]);
    expect(world.complaints).toEqual([]);
  },
  walkMsMax,
);
