/** The palette's links and saved views, and its selection while links load, in a real browser. */
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { z } from "zod";
import { accessibilityErrorsOf } from "../support/dashboard.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();
const Link = z.object({ id: z.string(), shortLink: z.string() });
const Folder = z.object({ id: z.string() });
const Workspaces = z.object({ workspaces: z.array(z.object({ name: z.string() })) });

/** Opens the palette and searches for `text`; returns the function that lets the found links arrive. */
async function openWithPendingLinks(page: Page, text: string) {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  await page.route("**/v1/links?search=*", async (route) => {
    await arrived;
    await route.continue();
  });
  await page.goto(world.url("/domains"));
  await page.getByRole("heading", { name: "Domains" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(text);
  await page.getByText("Searching").waitFor();
  return arrive;
}

async function workspaceName(): Promise<string> {
  return Workspaces.parse((await world.server.call("GET", "/workspaces")).body).workspaces[0]?.name ?? "";
}

const selected = (page: Page) => page.locator("[role=option][aria-selected=true]");

test(
  "Enter opens a link that arrives above the pages",
  async () => {
    await world.server.call("POST", "/links", { body: { url: "https://example.com/a", key: "sec-harbour" } });
    const page = await world.newPage();
    const arrive = await openWithPendingLinks(page, "sec");
    await selected(page).getByText("Security").waitFor();

    arrive();
    await page.getByRole("option", { name: /sec-harbour/ }).waitFor();
    await selected(page)
      .getByText(/sec-harbour/)
      .waitFor();
    await page.keyboard.press("Enter");

    await page.getByRole("dialog", { name: "Edit link" }).waitFor();
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the palette has no accessibility errors while links are searched, and when nothing is found",
  async () => {
    const page = await world.newPage();
    const arrive = await openWithPendingLinks(page, "zebra");
    const errors = await accessibilityErrorsOf(page);

    arrive();
    await page.getByText("No results for “zebra”").waitFor();
    errors.push(...(await accessibilityErrorsOf(page)));
    await page.context().close();

    expect(errors).toEqual([]);
  },
  walkMsMax,
);

test(
  "while another text is searched, Enter opens none of the links of the former one",
  async () => {
    await world.server.call("POST", "/links", { body: { url: "https://example.com/j", key: "jubilee" } });
    const page = await world.newPage();
    const arrive = await openWithPendingLinks(page, "jubil");
    arrive();
    await page.getByRole("option", { name: /jubilee/ }).waitFor();
    const { promise: arrived, resolve: end } = Promise.withResolvers<void>();
    const searched = Promise.withResolvers<void>();
    await page.route("**/v1/links?search=memb*", async (route) => {
      searched.resolve();
      await arrived;
      await route.continue();
    });

    await page.getByRole("combobox").fill("memb");
    await searched.promise;
    await selected(page).getByText("Members").waitFor();
    const links = await page.getByRole("option", { name: /jubilee/ }).count();
    await page.keyboard.press("Enter");
    await page.waitForURL(/settings\/members/);
    end();

    expect(links).toBe(0);
    await page.close();
  },
  walkMsMax,
);

test(
  "a moved selection stays when links arrive above it",
  async () => {
    await world.server.call("POST", "/links", { body: { url: "https://example.com/b", key: "set-harbour" } });
    const page = await world.newPage();
    const arrive = await openWithPendingLinks(page, "set");
    await page.keyboard.press("ArrowDown");
    const moved = await selected(page).innerText();

    arrive();
    await page.getByRole("option", { name: /set-harbour/ }).waitFor();

    expect(await page.getByRole("option").first().innerText()).toContain("set-harbour");
    expect(await selected(page).allInnerTexts()).toEqual([moved]);
  },
  walkMsMax,
);

test(
  "the palette offers the links that were opened last, then the newest, and copies a short link",
  async () => {
    const { server } = world;
    const titled = { url: "https://example.com/c", key: "opened-before", title: "Opened before" };
    const { body } = await server.call("POST", "/links", { body: titled });
    for (const key of ["newer-1", "newer-2", "newer-3", "newer-4", "newer-5"]) {
      await server.call("POST", "/links", { body: { url: "https://example.com/d", key } });
    }
    const { id, shortLink } = Link.parse(body);
    const page = await world.newPage({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(world.url("/links?search=opened-before"));
    await page.getByRole("button", { name: /^Opened before/ }).click();
    await page.waitForURL(new RegExp(`edit=${id}`));
    await page.goto(world.url("/domains"));
    await page.getByRole("heading", { name: "Domains" }).waitFor();

    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: /Opened before/ }).waitFor();
    const first = await page.getByRole("option").first().innerText();
    const offered = await page.getByRole("option", { name: /newer-/ }).count();
    await page.keyboard.press("Control+Enter");
    await page.getByText("Copied").first().waitFor();

    expect(first).toContain("Opened before");
    expect(offered).toBe(4);
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(shortLink);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a pasted URL offers to create a link to it, and a pasted short link finds that link first",
  async () => {
    const { server } = world;
    const { body } = await server.call("POST", "/links", { body: { url: "https://example.com/e", key: "pasted" } });
    const { shortLink } = Link.parse(body);
    const page = await world.newPage();
    await page.goto(world.url("/domains"));
    await page.getByRole("heading", { name: "Domains" }).waitFor();
    const search = async (text: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search and commands" }).fill(text);
    };

    await search(shortLink);
    await selected(page).getByText("/pasted").first().waitFor();
    await page.keyboard.press("Escape");
    await search("https://example.com/a-new-page");
    await selected(page).getByText("Create link to example.com/a-new-page").waitFor();
    await page.keyboard.press("Enter");
    const destination = page.getByRole("dialog").getByLabel("Destination");
    await destination.waitFor();

    expect(await destination.inputValue()).toBe("https://example.com/a-new-page");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a link found by its tag, folder or comment says so, below a folder that matches",
  async () => {
    const { server } = world;
    const made = Folder.parse((await server.call("POST", "/folders", { body: { name: "Shop windows" } })).body);
    const link = { url: "https://example.com/f", key: "reasoned", tagNames: ["Glassware"], folderId: made.id };
    await server.call("POST", "/tags", { body: { name: "Glassware" } });
    await server.call("POST", "/links", { body: { ...link, comments: "Printed twice in Lisbon" } });
    const page = await world.newPage();
    await page.goto(world.url("/domains"));
    await page.getByRole("heading", { name: "Domains" }).waitFor();
    await page.keyboard.press("Control+k");
    const input = page.getByRole("combobox", { name: "Search and commands" });

    for (const [text, reason] of [
      ["glasswa", "Tag: Glassware"],
      ["lisbon", "Comment: Printed twice in Lisbon"],
      ["windows", "Folder: Shop windows"],
    ] as const) {
      await input.fill(text);
      await page
        .getByRole("option", { name: /reasoned/ })
        .getByText(reason)
        .waitFor();
    }

    const options = await page.getByRole("option").allInnerTexts();
    expect(options[0]).toContain("Shop windows");
    expect(options[1]).toContain("reasoned");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "folders are found by their names, saved views also by their folders; they show where they lead, and open by Enter",
  async () => {
    const { server } = world;
    const folder = Folder.parse((await server.call("POST", "/folders", { body: { name: "Poster walls" } })).body);
    const views = [
      { name: "Quarterly review", query: `folder=${folder.id}&order=oldest` },
      { name: "Busiest of all", query: "order=mostClicked" },
    ];
    for (const view of views) await server.call("POST", "/saved-views", { body: { ...view, shared: true } });
    const page = await world.newPage();
    await page.goto(world.url("/domains"));
    await page.getByRole("link", { name: "Quarterly review" }).waitFor();
    const search = async (text: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search and commands" }).fill(text);
    };

    await search("busiest");
    const wide = await page.getByRole("option", { name: /^Busiest of all/ }).innerText();
    await page.keyboard.press("Escape");
    await search("poster wal");
    const narrow = await page.getByRole("option", { name: /^Quarterly review/ }).innerText();
    await selected(page).getByText("Poster walls").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/links\\?folder=${folder.id}$`));
    await search("quarterly");
    await selected(page).getByText("Quarterly review").waitFor();
    await page.keyboard.press("Enter");

    await page.waitForURL(new RegExp(`/links\\?folder=${folder.id}&order=oldest$`));
    expect(wide.split("\n")).toEqual(["Busiest of all", await workspaceName()]);
    expect(narrow.split("\n")).toEqual(["Quarterly review", "Poster walls"]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a page is found by the title of a card on it",
  async () => {
    const page = await world.newPage();
    await page.goto(world.url("/domains"));
    await page.getByRole("heading", { name: "Domains" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("passkey");
    await selected(page).getByText("Security").waitFor();
    await page.keyboard.press("Enter");

    await page.waitForURL(/\/account\/security$/);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a failed search says so and can be tried again, and all results open in the list",
  async () => {
    await world.server.call("POST", "/links", { body: { url: "https://example.com/e", key: "after-failure" } });
    const page = await world.newPage();
    let failures = 0;
    await page.route("**/v1/links?search=*", async (route) => {
      if (failures++ === 0) await route.fulfill({ status: 503, json: {} });
      else await route.continue();
    });
    await page.goto(world.url("/domains"));
    await page.getByRole("heading", { name: "Domains" }).waitFor();
    await page.keyboard.press("Control+k");

    await page.getByRole("combobox").fill("after-fail");
    await page.getByRole("option", { name: /Couldn’t search links/ }).click();
    await page.getByRole("option", { name: /after-failure/ }).waitFor();
    await page.getByRole("option", { name: /Show all links/ }).click();

    await page.waitForURL(/links\?search=after-fail$/);
    expect(failures).toBeGreaterThan(1);
  },
  walkMsMax,
);

test(
  "text typed while the palette loads is searched, and triggers no shortcut of the page",
  async () => {
    await world.server.call("POST", "/links", { body: { url: "https://example.com/f", key: "beside-palette" } });
    const page = await world.newPage();
    await page.goto(world.url("/links"));
    await page.locator("[data-row]").first().waitFor();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/*.js", async (route) => {
      await released;
      await route.continue();
    });

    await page.keyboard.press("Control+k");
    await page.keyboard.type("cx");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("reate l");
    release();
    await selected(page).getByText("Create link").waitFor();
    await page.keyboard.type("i");
    const typed = await page.getByRole("combobox").inputValue();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    const again = await page.getByRole("combobox").inputValue();

    expect({ typed, again }).toEqual({ typed: "create li", again: "" });
  },
  walkMsMax,
);
