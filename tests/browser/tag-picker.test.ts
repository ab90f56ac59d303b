/** The tags in the form of a link: finding, creating and removing them by keyboard. */
import { beforeAll, expect, test } from "bun:test";
import { accessibilityErrorsOf } from "../support/dashboard.ts";
import { linkAt, newLink, openList } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();

beforeAll(async () => {
  for (const name of ["campaign", "autumn campaign", "print"]) {
    await world.server.call("POST", "/tags", { body: { name } });
  }
  await newLink(world.server, { url: "https://example.com/", key: "tagged" });
});

test(
  "Enter takes the first tag that matches, arrow keys choose another, and the last choice creates a tag",
  async () => {
    const page = await world.newPage();
    await openList(page, world.url("/links"), "1 link");
    await page.getByRole("button", { name: /^Actions for .*tagged/ }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("button", { name: /^Tags/ }).click();
    const field = drawer.getByRole("combobox", { name: "Tags" });

    await field.pressSequentially("camp");
    await drawer.getByRole("option", { name: "campaign", exact: true, selected: true }).waitFor();
    const errors = await accessibilityErrorsOf(page);
    await page.keyboard.press("Enter");
    await drawer.getByRole("button", { name: "Remove campaign" }).waitFor();
    await field.press("ArrowDown");
    await field.press("ArrowDown");
    await drawer.getByRole("option", { name: "print", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    // The next tag is typed while the last one is still being created.
    await field.pressSequentially("new");
    await page.keyboard.press("Enter");
    await field.pressSequentially("camp");
    await drawer.getByRole("button", { name: "Remove new" }).waitFor();
    const typed = await field.inputValue();
    await field.press("ArrowUp");
    await drawer.getByRole("option", { name: "Create “camp”", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await drawer.getByRole("button", { name: "Remove camp", exact: true }).waitFor();
    await drawer.getByRole("button", { name: "Save" }).click();
    await drawer.waitFor({ state: "detached" });
    const link = await linkAt(world.server, "tagged");
    await page.context().close();

    expect(errors).toEqual([]);
    expect(typed).toBe("camp");
    expect(link?.tags.map(({ name }) => name).sort()).toEqual(["camp", "campaign", "new", "print"]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "Escape closes the list of tags first, and then the form",
  async () => {
    const page = await world.newPage();
    await openList(page, world.url("/links?create=true"), "1 link");
    const drawer = page.getByRole("dialog", { name: "New link" });
    await drawer.getByRole("button", { name: "Tags", exact: true }).click();
    const field = drawer.getByRole("combobox", { name: "Tags" });

    await field.pressSequentially("camp");
    await drawer.getByRole("option", { name: "campaign", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await drawer.getByRole("option", { name: "campaign", exact: true }).waitFor({ state: "detached" });
    const isFocused = await field.evaluate((input) => input === input.ownerDocument.activeElement);
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await page.context().close();

    expect(isFocused).toBe(true);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
