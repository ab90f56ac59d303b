/** The links page in a real browser: by keyboard, in the drawer, and for viewers. */
import { expect, test } from "bun:test";
import { newPerson } from "../support/dashboard.ts";
import { linkAt, newLink, openList, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { browser } from "../support/server.ts";

const world = openWalks();

test(
  "a link is created, found, opened and selected by keyboard alone",
  async () => {
    const { page } = world;
    const { keyboard } = page;
    await openList(page, world.url("/links"), "Create your first link");

    await keyboard.press("c");
    await page.getByRole("textbox", { name: "Destination" }).waitFor();
    await keyboard.type("example.com/keys");
    for (const _ of ["title", "domain", "slug"]) await keyboard.press("Tab");
    await keyboard.type("by-keyboard");
    await keyboard.press("Enter");
    await row(page, "by-keyboard").waitFor();
    await page.getByText("1 link", { exact: true }).waitFor();
    await keyboard.press("/");
    // A search may also run for the text typed so far, and its rows disappear with the next result.
    const found = page.waitForResponse((answer) => {
      const { pathname, searchParams } = new URL(answer.url());
      return pathname === "/v1/links" && searchParams.get("search") === "by-key";
    });
    await keyboard.type("by-key");
    await found;
    await page.getByText("1 link", { exact: true }).waitFor();
    await row(page, "by-keyboard").waitFor();
    await keyboard.press("Escape");
    await keyboard.press("ArrowDown");
    await keyboard.press("x");
    await page.getByText("1 selected").waitFor();
    await keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await keyboard.press("e");
    await page.getByRole("dialog", { name: "Edit link" }).waitFor();
    const address = page.url();
    await keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    const link = await linkAt(world.server, "by-keyboard");
    expect(link?.url).toBe("https://example.com/keys");
    expect(address).toContain(`edit=${link?.id}`);
    expect(page.url()).toContain("search=by-key");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the drawer shows errors at their field, creates tags, and keeps typed text until it is discarded",
  async () => {
    const { page } = world;
    await page.goto(world.url("/links"));
    await page.getByRole("button", { name: "Create link" }).click();
    const drawer = page.getByRole("dialog", { name: "New link" });

    await drawer.getByRole("textbox", { name: "Destination" }).fill("javascript:alert(1)");
    await drawer.getByRole("textbox", { name: "Slug" }).fill("launch");
    await drawer.getByRole("button", { name: "Create link" }).click();
    const error = await drawer.getByRole("alert").first().textContent();
    await drawer.getByRole("textbox", { name: "Destination" }).fill("example.com/launch");
    await drawer.getByRole("button", { name: "Tags" }).click();
    await drawer.getByRole("combobox", { name: "Tags" }).fill("Autumn");
    await drawer.getByRole("option", { name: "Create “Autumn”" }).click();
    await drawer.getByRole("button", { name: "Remove Autumn" }).waitFor();
    await drawer.getByRole("button", { name: "UTM" }).click();
    await drawer.getByLabel("Source").fill("spring mail");
    await drawer.getByRole("button", { name: "More", exact: true }).click();
    await drawer.getByRole("button", { name: "Rules" }).click();
    await drawer.getByRole("button", { name: "Add rule" }).click();
    await drawer.getByLabel("Value").fill("DE, AT");
    await drawer.getByLabel("Redirect to").fill("example.com/de");
    await page.goBack();
    await page.getByRole("dialog", { name: "Discard changes?" }).getByRole("button", { name: "Keep editing" }).click();
    await drawer.getByRole("button", { name: "Create link" }).click();
    await row(page, "launch").waitFor();

    expect(error).toStartWith('Must not begin with "javascript:"');
    expect(await linkAt(world.server, "launch")).toMatchObject({
      url: "https://example.com/launch?utm_source=spring+mail",
      tags: [{ name: "Autumn" }],
      rules: [{ when: { country: ["DE", "AT"] }, url: "https://example.com/de" }],
    });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a change by another user is not overwritten without a warning, and can be reverted",
  async () => {
    const { page } = world;
    const { id } = await newLink(world.server, { url: "https://example.com/contested", key: "contested" });
    await page.goto(world.url(`/links?edit=${id}`));
    const drawer = page.getByRole("dialog", { name: "Edit link" });
    const comment = drawer.getByRole("textbox", { name: "Comment" });

    await drawer.getByRole("button", { name: "Comment" }).click();
    await comment.fill("mine");
    await world.server.call("PATCH", `/links/${id}`, { body: { comments: "theirs" } });
    await drawer.getByRole("button", { name: "Save changes" }).click();
    await drawer.getByText("Someone else edited this link").waitFor();
    const afterConflict = await linkAt(world.server, "contested");
    await drawer.getByRole("button", { name: "Load theirs" }).click();
    await drawer.getByText("Someone else edited").waitFor({ state: "detached" });
    const loaded = await comment.inputValue();
    await comment.fill("both");
    await drawer.getByRole("button", { name: "Save changes" }).click();
    await drawer.waitFor({ state: "detached" });
    const saved = await linkAt(world.server, "contested");
    await page.goto(world.url(`/links?history=${id}`));
    await page.getByRole("button", { name: "Revert" }).first().click();
    await page.getByText("Change reverted").first().waitFor();

    expect([afterConflict?.comments, loaded, saved?.comments]).toEqual(["theirs", "theirs", "both"]);
    expect((await linkAt(world.server, "contested"))?.comments).toBe("theirs");
  },
  walkMsMax,
);

test(
  "holding Ctrl and Enter creates one link, and the QR code is drawn after typing, not for each letter",
  async () => {
    const { page } = world;
    const drawings: string[] = [];
    page.on("request", (request) => request.url().includes("/v1/qr?") && drawings.push(request.url()));
    await page.goto(world.url("/links?create=1"));
    const drawer = page.getByRole("dialog", { name: "New link" });

    await drawer.getByRole("textbox", { name: "Slug" }).fill("h");
    await drawer.getByRole("textbox", { name: "Slug" }).pressSequentially("eld-key");
    await drawer.getByRole("img", { name: /held-key$/ }).waitFor();
    await drawer.getByRole("textbox", { name: "Slug" }).fill("");
    await drawer.getByRole("textbox", { name: "Destination" }).fill("https://example.com/held-down");
    await page.keyboard.down("Control");
    for (let repeat = 0; repeat < 5; repeat++) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await page.keyboard.up("Control");
    await drawer.waitFor({ state: "detached" });

    expect((await world.server.call("GET", "/links/count?search=held-down")).body).toBe(1);
    expect(drawings.length).toBeLessThan("held-key".length);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "saving over another user's change is refused only once, and a rule with a repeated parameter is refused",
  async () => {
    const { page } = world;
    const { id } = await newLink(world.server, { url: "https://example.com/over", key: "saved-over" });
    await page.goto(world.url(`/links?edit=${id}`));
    const drawer = page.getByRole("dialog", { name: "Edit link" });
    const save = drawer.getByRole("button", { name: "Save changes" });

    await drawer.getByRole("textbox", { name: "Destination" }).fill("javascript:alert(1)");
    await world.server.call("PATCH", `/links/${id}`, { body: { comments: "theirs" } });
    await save.click();
    await drawer.getByRole("button", { name: "Save mine" }).click();
    await drawer.getByText('must not begin with "javascript:"').waitFor();
    await drawer.getByRole("textbox", { name: "Destination" }).fill("example.com/mine");
    await drawer.getByRole("button", { name: "More", exact: true }).click();
    await drawer.getByRole("button", { name: "Rules" }).click();
    await drawer.getByRole("button", { name: "Add rule" }).click();
    await drawer.getByLabel("Condition", { exact: true }).selectOption("Parameter");
    await drawer.getByLabel("Parameter", { exact: true }).fill("src");
    await drawer.getByLabel("Value").fill("mail");
    await drawer.getByLabel("Redirect to").fill("example.com/mail");
    await drawer.getByRole("button", { name: "And…" }).click();
    await drawer.getByLabel("Condition", { exact: true }).nth(1).selectOption("Parameter");
    await drawer.getByLabel("Parameter", { exact: true }).nth(1).fill("src");
    await save.click();
    await drawer.getByText("is listed twice").first().waitFor();
    await drawer.getByRole("button", { name: "Remove condition" }).nth(1).click();
    await save.click();
    await drawer.waitFor({ state: "detached" });

    expect(await linkAt(world.server, "saved-over")).toMatchObject({
      url: "https://example.com/mine",
      comments: "theirs",
      rules: [{ when: { query: { src: "mail" } }, url: "https://example.com/mail" }],
    });
  },
  walkMsMax,
);

test(
  "the first link of a new workspace appears in the list, with its QR code",
  async () => {
    const { page } = world;
    const { id } = await newLink(world.server, { url: "https://example.com/first", key: "first-link" });

    await page.goto(world.url(`/welcome?link=${id}`));
    await page.getByRole("button", { name: "Go to links" }).click();
    await row(page, "first-link")
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await page.getByRole("menuitem", { name: "QR code" }).click();
    await page
      .getByRole("dialog", { name: "QR code" })
      .getByRole("img", { name: /first-link/ })
      .waitFor();

    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a short link is copied from its row, and the URL keeps the filter and the order",
  async () => {
    await newLink(world.server, { url: "https://example.com/copied", key: "copied" });
    const page = await world.newPage({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(world.url("/links"));
    await row(page, "copied").getByRole("button", { name: "Copy short link" }).click();
    await row(page, "copied").getByRole("button", { name: "Copied", exact: true }).waitFor();
    const copied = await page.evaluate("navigator.clipboard.readText()");

    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("switch", { name: "Include archived links" }).click();
    await page.waitForURL(/[?&]archived=true/);
    await page.keyboard.press("Escape");
    await page.getByLabel("Sort by").selectOption("Oldest first");
    await page.waitForURL(/[?&]order=oldest/);
    const { searchParams } = new URL(page.url());
    await page.context().close();

    expect(copied).toMatch(/^http.*\/copied$/);
    expect(Object.fromEntries(searchParams)).toEqual({ archived: "true", order: "oldest" });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "letter shortcuts can be switched off, and stay off after a reload",
  async () => {
    await newLink(world.server, { url: "https://example.com/letters", key: "by-letters" });
    const page = await world.newPage();
    await openList(page, world.url("/links?search=by-letters"), "1 link");
    await page.keyboard.press("?");
    await page.getByRole("switch", { name: "Single-key shortcuts" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.reload();
    await row(page, "by-letters").waitFor();

    await page.keyboard.press("c");
    await page.keyboard.press("ArrowDown");
    await page.locator("[data-row='0']:focus").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    const title = await page.getByRole("dialog").getByRole("heading").first().textContent();
    await page.context().close();

    expect(title).toBe("Edit link");
  },
  walkMsMax,
);

test(
  "a viewer can open a link, and change none",
  async () => {
    const { id } = await newLink(world.server, { url: "https://example.com/looked-at", key: "looked-at" });
    const viewer = await newPerson(world.server, "viewer");
    const page = await world.newPage({}, viewer);
    await page.goto(world.url("/links?search=looked-at"));

    await row(page, "looked-at").waitFor();
    const creators = await page.getByRole("button", { name: "Create link" }).count();
    await row(page, "looked-at")
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await page.getByRole("menuitem", { name: "View" }).waitFor();
    const items = await page.getByRole("menuitem").allTextContents();
    await page.goto(world.url(`/links?edit=${id}`));
    const drawer = page.getByRole("dialog", { name: "Link" });
    const isWritable = await drawer.getByRole("textbox", { name: "Destination" }).isEditable();
    const savers = await drawer.getByRole("button", { name: "Save changes" }).count();
    await page.context().close();

    expect({ creators, isWritable, savers }).toEqual({ creators: 0, isWritable: false, savers: 0 });
    expect(items).toEqual(["View", "QR code", "Analytics", "Share analytics", "Test redirect", "History"]);
  },
  walkMsMax,
);

test(
  "a disabled link returns 410 until it is enabled, and its row, drawer and history show it",
  async () => {
    const { page, server } = world;
    const { id } = await newLink(server, { url: "https://example.com/paused", key: "paused" });
    await page.goto(world.url("/links?search=paused"));
    const chooseAction = async (item: string) => {
      await row(page, "paused")
        .getByRole("button", { name: /^Actions for/ })
        .click();
      await page.getByRole("menuitem", { name: item, exact: true }).click();
    };
    const badge = row(page, "paused").getByText("Disabled", { exact: true });
    const status = async () => (await server.visit("/paused", { headers: browser })).status;

    await chooseAction("Disable");
    await page.getByText("Link disabled").first().waitFor();
    await badge.waitFor();
    const disabled = await status();
    await page.goto(world.url(`/links?search=paused&edit=${id}`));
    await page.getByRole("dialog", { name: "Edit link" }).getByText("Disabled", { exact: true }).waitFor();
    await page.goto(world.url("/links?search=paused"));
    await chooseAction("Enable");
    await page.getByText("Link enabled").first().waitFor();
    await badge.waitFor({ state: "detached" });
    const enabled = await status();
    await page.getByRole("button", { name: "Undo" }).click();
    await badge.waitFor();
    await page.getByText("Change undone").first().waitFor();
    const undone = await status();
    await page.goto(world.url(`/links?history=${id}`));
    const history = page.getByRole("dialog", { name: "History" });
    await history.getByText("Reverted", { exact: true }).waitFor();
    const fields = await history.locator("dt").allTextContents();

    expect({ disabled, enabled, undone }).toEqual({ disabled: 410, enabled: 302, undone: 410 });
    expect(fields).toEqual(["Disabled", "Disabled", "Disabled"]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the selected links are disabled and enabled together",
  async () => {
    const { page, server } = world;
    const keys = ["together-1", "together-2"];
    for (const key of keys) await newLink(server, { url: "https://example.com/together", key });
    const statuses = () =>
      Promise.all(keys.map(async (key) => (await server.visit(`/${key}`, { headers: browser })).status));
    const selectAll = () => page.getByRole("checkbox", { name: "Select all loaded links" }).click();
    await openList(page, world.url("/links?search=together"), "2 links");

    await selectAll();
    await page.getByRole("button", { name: "Disable", exact: true }).click();
    await page.getByText("2 links disabled").first().waitFor();
    const disabled = await statuses();
    await selectAll();
    await page.getByRole("button", { name: "Enable", exact: true }).click();
    await page.getByText("2 links enabled").first().waitFor();

    expect({ disabled, enabled: await statuses() }).toEqual({ disabled: [410, 410], enabled: [302, 302] });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the notice about a new link says that its slug belonged to a deleted link",
  async () => {
    const { page, server } = world;
    const { id } = await newLink(server, { url: "https://example.com/printed", key: "printed" });
    await server.call("DELETE", `/links/${id}`);
    await page.goto(world.url("/links?create=1"));
    const drawer = page.getByRole("dialog", { name: "New link" });

    await drawer.getByRole("textbox", { name: "Destination" }).fill("example.com/again");
    await drawer.getByRole("textbox", { name: "Slug" }).fill("printed");
    await drawer.getByRole("button", { name: "Create link" }).click();

    await page.getByText("Printed QR codes may still lead here").first().waitFor();
    await row(page, "printed").waitFor();
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
