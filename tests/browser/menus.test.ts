/** Menus and the palette in a real browser. */
import { expect, test } from "bun:test";
import { accessibilityErrorsOf } from "../support/dashboard.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();

test(
  "open menus are inside a landmark and accessible",
  async () => {
    await world.server.call("POST", "/links", { body: { url: "https://example.com/", key: "menu" } });
    const page = await world.newPage();
    const errors: string[] = [];
    for (const [path, name] of [
      ["/links", "Your account"],
      ["/links", /^Actions for .*menu/],
      ["/links", "My workspace"],
      ["/analytics", /Last 30 days/],
      ["/analytics", "Filter"],
    ] as const) {
      await page.goto(world.url(path));
      await page.getByRole("button", { name }).first().click();
      await page.locator("[role=menu], [role=dialog]").first().waitFor();
      errors.push(...(await accessibilityErrorsOf(page)));
    }

    expect(errors).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the palette opens by keyboard, finds links while typing, and opens pages",
  async () => {
    const { page, server } = world;
    await server.call("POST", "/links", { body: { url: "https://example.com/jubilee", key: "jubilee" } });
    await page.goto(world.url("/domains"));
    await page.getByRole("heading", { name: "Domains" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("jubil");
    await page.getByRole("option", { name: `localhost:${new URL(server.url).port}/jubilee` }).waitFor();
    const errors = await accessibilityErrorsOf(page);
    await page.getByRole("combobox").fill("memb");
    await page.getByRole("option", { name: "Members" }).waitFor();
    await page.keyboard.press("Enter");

    await page.waitForURL(/settings\/members/);
    expect(errors).toEqual([]);
  },
  walkMsMax,
);

/** TABLE of operating systems: the keys that open the palette, and keys that do not. */
const systems = {
  "a Mac": { agent: "Macintosh; Intel Mac OS X 10_15_7", hint: "⌘K", keys: "Meta+k", otherKeys: "Control+k" },
  "any other system": { agent: "Windows NT 10.0; Win64; x64", hint: "Ctrl K", keys: "Control+k", otherKeys: "Meta+k" },
};

test.each(Object.entries(systems))(
  "on %s the palette opens with the usual shortcut, and shows it",
  async (_, { agent, hint, keys, otherKeys }) => {
    const userAgent = `Mozilla/5.0 (${agent}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36`;
    const page = await world.newPage({ userAgent });
    await page.goto(world.url("/links"));
    await page.getByRole("button", { name: "Search or jump" }).getByText(hint, { exact: true }).waitFor();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    const shown = await help.getByRole("definition").first().innerText();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });

    const palette = page.getByRole("dialog", { name: "Search and commands" });
    await page.keyboard.press(otherKeys);
    await page.keyboard.press(keys);
    await palette.waitFor();
    await page.keyboard.press(keys);
    await palette.waitFor({ state: "detached" });

    expect(shown.replaceAll("\n", "")).toBe(hint.replace(" ", ""));
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
