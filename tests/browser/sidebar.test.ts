/** Folders and saved views in the sidebar. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { newLink, openList } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();
const Created = z.object({ id: z.string() });

async function newFolder(name: string): Promise<string> {
  return Created.parse((await world.server.call("POST", "/folders", { body: { name } })).body).id;
}

test(
  "the sidebar lists folders with the number of their links, follows changes, and opens a folder",
  async () => {
    const page = await world.newPage();
    const folderId = await newFolder("Spring");
    await newLink(world.server, { url: "https://example.com/", key: "in-spring", folderId });
    await openList(page, world.url("/links"), "1 link");
    const folders = page.getByRole("navigation", { name: "Folders" });
    await folders.getByRole("link", { name: "Spring 1" }).waitFor();

    await newLink(world.server, { url: "https://example.com/", key: "also-in-spring", folderId });
    await folders.getByRole("link", { name: "Spring 2" }).click();

    await page.waitForURL(/folder=fold_/);
    await page.getByText("2 links", { exact: true }).waitFor();
    expect(await folders.getByRole("link", { name: "Spring 2" }).getAttribute("aria-current")).toBe("page");
    await folders.getByRole("button", { name: "Folders" }).click();
    expect(await folders.getByRole("listitem").count()).toBe(0);
    await page.reload();
    await folders.getByRole("button", { name: "Folders", expanded: false }).waitFor();
    await page.close();
  },
  walkMsMax,
);

test(
  "beyond ten folders the sidebar leads to all of them",
  async () => {
    const page = await world.newPage();
    for (let made = 0; made < 12; made++) await newFolder(`Folder ${10 + made}`);
    await page.goto(world.url("/analytics"));
    const folders = page.getByRole("navigation", { name: "Folders" });
    await folders.getByRole("link", { name: "All 13 folders" }).click();

    await page.getByRole("dialog", { name: "Folders" }).getByText("Folder 21").waitFor();
    await page.close();
  },
  walkMsMax,
);

test(
  "filters are saved as a view, opened, renamed, replaced and deleted",
  async () => {
    const page = await world.newPage();
    await page.goto(world.url("/links?archived=true&order=oldest"));
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByLabel("Name").fill("Everything");
    await page.getByRole("switch", { name: "Share with the workspace" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save view" }).click();
    const views = page.getByRole("navigation", { name: "Saved views" });
    const view = (name: string) => views.getByRole("link", { name });
    const choose = async (name: string, item: string) => {
      await views.getByRole("button", { name: `Actions for ${name}` }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };

    await view("Everything").waitFor();
    expect(await page.getByRole("button", { name: "Save view" }).count()).toBe(0);
    await page.goto(world.url("/domains"));
    await view("Everything").click();
    await page.waitForURL(/\/links\?archived=true&order=oldest$/);
    await choose("Everything", "Edit");
    await page.getByLabel("Name").fill("Old first");
    await page.getByRole("button", { name: "Save" }).click();
    await view("Old first").waitFor();
    await page.goto(world.url("/links?archived=true"));
    await choose("Old first", "Replace with current filters");
    await views.locator("[aria-current=page]").waitFor();
    await choose("Old first", "Delete");
    await page.getByRole("button", { name: "Delete" }).click();

    await view("Old first").waitFor({ state: "detached" });
    await page.close();
  },
  walkMsMax,
);
