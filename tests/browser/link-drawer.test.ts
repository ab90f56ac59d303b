/** The drawer of a link in a real browser: what a viewer reads in it, and where it says what is wrong. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import {
  type DashboardWorld,
  mistakesOf,
  newPerson,
  openDashboardWorld,
  worldStartMsMax,
} from "../support/dashboard.ts";

const walkMsMax = 60_000;

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
}, worldStartMsMax);
afterAll(() => world.close());

const Made = z.object({ id: z.string() });

async function newLink(body: object) {
  const answer = await world.server.call("POST", "/links", { body });
  expect(answer).toMatchObject({ status: 200 });
  return Made.parse(answer.body);
}

test(
  "a viewer opens every part of a link, reads what is in it, and finds nothing that would change it",
  async () => {
    const tag = Made.parse((await world.server.call("POST", "/tags", { body: { name: "Autumn" } })).body);
    const { id } = await newLink({
      url: "https://example.com/read?utm_source=mail",
      key: "read",
      tagIds: [tag.id],
      password: "open sesame",
      maxClicks: 90,
      ios: "https://example.com/ios",
      geo: { DE: "https://example.com/de" },
      rules: [{ when: { country: "AT", browser: "Firefox" }, url: "https://example.com/at" }],
      testVariants: [
        { url: "https://example.com/a", percentage: 60 },
        { url: "https://example.com/b", percentage: 40 },
      ],
      trackConversion: true,
      title: "A title",
      redirectStatus: 308,
      externalId: "ours",
    });
    const page = await world.newPage({}, await newPerson(world.server, "viewer"));
    await page.goto(world.url(`/links?edit=${id}`));
    const drawer = page.getByRole("dialog", { name: "Link", exact: true });
    await drawer.getByText("You can look at this link").waitFor();

    const closed = drawer.locator("h3 > button[aria-expanded=false]");
    for (let left = await closed.count(); left > 0; left--) await closed.first().click();
    const texts = drawer.locator("input:not([type=checkbox]), textarea");
    const values = await Promise.all((await texts.all()).map((each) => each.inputValue()));
    const open = await drawer.locator("h3 > button[aria-expanded=true]").count();
    const changing = await drawer
      .getByRole("button", { name: /^(Remove|Add|And|Move|Divide|Change|Choose|Make)/ })
      .count();
    const writable = await drawer.locator(":is(input, textarea, select):not([readonly], [disabled])").count();

    for (const value of ["https://example.com/read?utm_source=mail", "mail", "90", "https://example.com/ios", "DE"]) {
      expect(values).toContain(value);
    }
    for (const value of ["https://example.com/de", "AT", "Firefox", "https://example.com/b", "A title", "ours"]) {
      expect(values).toContain(value);
    }
    expect(await drawer.getByRole("list", { name: "Tags" }).innerText()).toBe("Autumn");
    expect({ open, changing, writable }).toEqual({ open: 9, changing: 0, writable: 0 });
    expect(await mistakesOf(page)).toEqual([]);
    expect(world.complaints).toEqual([]);
  },
  walkMsMax,
);
