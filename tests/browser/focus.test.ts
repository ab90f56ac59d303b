/** Where the focus is after a dialog has closed, for people without a mouse. */
import { beforeAll, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { newLink, openList, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();
const keys = ["first", "second", "third"];

beforeAll(async () => {
  for (const key of keys) await newLink(world.server, { url: "https://example.com/", key });
});

/** Presses Enter at an element, and Escape once a dialog has opened and taken the focus. */
async function openAndClose(page: Page, opener: Locator): Promise<void> {
  await opener.focus();
  await page.keyboard.press("Enter");
  await page.locator("[role=dialog] :focus").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** Waits until the element has the focus. */
async function expectFocus(page: Page, element: Locator): Promise<void> {
  await element.and(page.locator(":focus")).waitFor();
}

test(
  "a closed dialog returns the focus to the button, the row or the menu that opened it",
  async () => {
    const page = await world.newPage();
    await openList(page, world.url("/links"), "3 links");
    const actions = page.getByRole("button", { name: /^Actions for .*second/ });

    for (const name of ["Create link", "Keyboard shortcuts", /^Search or jump/]) {
      const button = page.getByRole("button", { name });
      await openAndClose(page, button);
      await expectFocus(page, button);
    }
    for (const name of ["Edit", "QR code", "Share analytics", "Test redirect", "History", "Move to folder", "Delete"]) {
      await actions.press("Enter");
      await openAndClose(page, page.getByRole("menuitem", { name, exact: true }));
      await expectFocus(page, actions);
    }
    const second = page.locator("[data-row]").filter({ hasText: "second" });
    // Again when the script of the drawer is there, so the drawer opens while the key is still pressed.
    for (const _ of [1, 2]) {
      await openAndClose(page, second);
      await expectFocus(page, second);
    }
    await page.context().close();

    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "after a deletion the focus is on the row in its place; after a click beside all controls it stays on the page",
  async () => {
    const page = await world.newPage();
    await openList(page, world.url("/links"), "3 links");
    await page.getByRole("searchbox").click();
    await page.getByRole("heading", { name: "Links", level: 1 }).click();
    await page.keyboard.press("c");
    await page.locator("[role=dialog] :focus").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expectFocus(page, page.getByRole("main"));

    await page.getByRole("button", { name: /^Actions for .*third/ }).press("Enter");
    await page.getByRole("menuitem", { name: "Delete" }).press("Enter");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Delete/ })
      .press("Enter");
    await row(page, "third").waitFor({ state: "detached" });

    await expectFocus(page, page.locator("[data-row='0']"));
    await page.context().close();
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "after a change of several links the focus is on a row, from which the arrow keys go on",
  async () => {
    const page = await world.newPage();
    const { body } = await world.server.call("POST", "/folders", { body: { name: "Later" } });
    expect(body).toMatchObject({ name: "Later" });
    for (const key of ["bulk-a", "bulk-b", "bulk-c"]) await newLink(world.server, { url: "https://example.com/", key });
    await openList(page, world.url("/links?search=bulk-&order=oldest"), "3 links");
    const selectAt = async (index: number) => {
      await page.locator(`[data-row='${index}']`).getByRole("checkbox").focus();
      await page.keyboard.press("Space");
      await page.getByText("1 selected", { exact: true }).waitFor();
    };

    await selectAt(1);
    await page.getByRole("button", { name: "Move", exact: true }).press("Enter");
    await page.getByRole("dialog").getByLabel("Folder").selectOption("Later");
    await page.getByRole("dialog").getByRole("button", { name: "Move", exact: true }).press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expectFocus(page, page.locator("[data-row='1']"));
    await page.keyboard.press("ArrowDown");
    await expectFocus(page, page.locator("[data-row='2']"));
    await selectAt(2);
    await page.getByRole("button", { name: "Archive", exact: true }).press("Enter");
    await row(page, "bulk-c").waitFor({ state: "detached" });
    await expectFocus(page, page.locator("[data-row='1']"));
    await selectAt(0);
    await page.getByRole("button", { name: "Clear selection" }).press("Enter");
    await expectFocus(page, page.locator("[data-row='0']"));
    await page.context().close();

    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a dialog that a shortcut opens on a new page leaves the focus on the page, and a chip moves it to its first field",
  async () => {
    const page = await world.newPage();
    await openList(page, world.url("/links?archived=no&search=first"), "1 link");
    const drawer = page.getByRole("dialog", { name: "New link" });

    await page.keyboard.press("c");
    const fields = { UTM: "Source", Password: "Password", Expiry: "Expires", "A/B test": "Destination B" };
    for (const [chip, field] of Object.entries(fields)) {
      await drawer.getByRole("button", { name: chip, exact: true }).press("Enter");
      await expectFocus(page, drawer.getByLabel(field, { exact: true }));
    }
    await drawer.getByRole("button", { name: "Cancel" }).press("Enter");
    await page.getByRole("button", { name: "Discard" }).press("Enter");
    await drawer.waitFor({ state: "detached" });
    await expectFocus(page, page.getByRole("main"));
    await page.context().close();

    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "links are selected, tagged and moved by keyboard alone, and one key leads from a row to the other actions",
  async () => {
    const page = await world.newPage();
    await world.server.call("POST", "/folders", { body: { name: "Typed" } });
    for (const key of ["typed-a", "typed-b"]) await newLink(world.server, { url: "https://example.com/", key });
    await openList(page, world.url("/links?search=typed-"), "2 links");
    const dialog = page.getByRole("dialog");

    for (const key of ["ArrowDown", "x", "ArrowDown", "Shift+X", "t"]) await page.keyboard.press(key);
    await page.getByRole("dialog", { name: "Edit tags of 2 links" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expectFocus(page, page.locator("[data-row='1']"));
    await page.keyboard.press("m");
    await expectFocus(page, dialog.getByLabel("Folder"));
    await page.keyboard.type("Typed");
    await dialog.getByRole("button", { name: "Move", exact: true }).press("Enter");
    await page.getByText("2 links moved").first().waitFor();
    await expectFocus(page, page.locator("[data-row='1']"));
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Clear selection" }).waitFor();
    await page.getByRole("button", { name: "QR codes" }).waitFor();
    await page.keyboard.press("a");
    await expectFocus(page, page.getByRole("button", { name: "QR codes" }));
    await page.context().close();

    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "on a touch screen, a dialog focuses an empty field and leaves one with text, whose keyboard would cover the form",
  async () => {
    const page = await world.newPage({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    await newLink(world.server, { url: "https://example.com/", key: "touched" });
    await page.goto(world.url("/links"));

    await page.getByRole("button", { name: /^Actions for .*touched/ }).tap();
    await page.getByRole("menuitem", { name: "Edit", exact: true }).tap();
    await page.getByRole("dialog").getByRole("button", { name: "Random slug" }).waitFor();
    await expectFocus(page, page.getByRole("dialog").getByRole("button", { name: "Close" }));
    await page.goto(world.url("/links?create=true"));
    await expectFocus(page, page.getByRole("dialog").getByLabel("Destination"));
    await page.context().close();

    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a dialog opened by its URL focuses its first control once it has loaded",
  async () => {
    const page = await world.newPage();
    const { id } = await newLink(world.server, { url: "https://example.com/", key: "coded" });
    await page.goto(world.url(`/links?qr=${id}`));

    await expectFocus(page, page.getByRole("dialog").getByRole("button", { name: "Square" }).first());

    await page.context().close();
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
