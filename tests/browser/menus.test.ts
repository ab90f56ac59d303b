/** Menus in a real browser. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type DashboardWorld, mistakesOf, openDashboardWorld, worldStartMsMax } from "../support/dashboard.ts";

const walkMsMax = 60_000;

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
}, worldStartMsMax);
afterAll(() => world.close());

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
