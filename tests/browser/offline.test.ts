/** The dashboard while the browser is offline, or the server cannot be reached. */
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { z } from "zod";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();
const Named = z.array(z.object({ name: z.string() }));

const foldersNamed = async (name: string) => {
  const folders = Named.parse((await world.server.call("GET", "/folders")).body);
  return folders.filter((folder) => folder.name === name).length;
};

/** Creates a folder in the dialog of folders. */
async function create(page: Page, name: string): Promise<void> {
  await page.getByLabel("New folder").fill(name);
  await page.getByRole("button", { name: "Add" }).click();
}

async function openFolders(): Promise<Page> {
  const page = await world.newPage();
  await page.goto(world.url("/links?manage=folders"));
  await page.getByLabel("New folder").waitFor();
  return page;
}

test(
  "a creation whose response is lost with the connection is sent again and takes effect once",
  async () => {
    const page = await openFolders();
    await page.route(
      "**/v1/folders?*",
      async (route) => {
        await route.fetch();
        await page.context().setOffline(true);
        await route.abort();
      },
      { times: 1 },
    );

    await create(page, "Answered nobody");
    await page.getByText(/1 change will be sent/).waitFor();
    const before = await foldersNamed("Answered nobody");
    await page.context().setOffline(false);

    await page.getByRole("dialog").getByText("Answered nobody", { exact: true }).waitFor();
    expect([before, await foldersNamed("Answered nobody")]).toEqual([1, 1]);
    await page.context().close();
  },
  walkMsMax,
);

test(
  "a creation that failed without a response takes effect once when a person repeats it",
  async () => {
    const page = await openFolders();
    await page.route(
      "**/v1/folders?*",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await create(page, "Repeated");
    await page.getByRole("dialog").getByText("Waypost can’t be reached").waitFor();

    await page.getByRole("button", { name: "Add" }).click();

    await page.getByRole("dialog").getByRole("listitem").getByText("Repeated", { exact: true }).waitFor();
    expect(await foldersNamed("Repeated")).toBe(1);
    await page.context().close();
  },
  walkMsMax,
);

test(
  "leaving the page while a change is waiting asks for confirmation",
  async () => {
    const page = await openFolders();
    await page.context().setOffline(true);
    await create(page, "Nearly lost");
    await page.getByText(/1 change will be sent/).waitFor();

    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const question = await asked;

    expect(question.type()).toBe("beforeunload");
    await question.accept();
  },
  walkMsMax,
);

test(
  "a page says that the server cannot be reached, until it can",
  async () => {
    const page = await world.newPage();
    await page.goto(world.url("/links"));
    await page.getByRole("heading", { name: "Links" }).waitFor();
    await page.route("**/*", (route) => route.abort());

    await page.getByRole("link", { name: "Domains" }).click();
    await page.getByText("Waypost can’t be reached. Trying again…").waitFor();
    await page.unroute("**/*");

    await page.getByText("Waypost can’t be reached. Trying again…").waitFor({ state: "detached" });
    await page.context().close();
  },
  walkMsMax,
);
