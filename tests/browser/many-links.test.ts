/** Many links on their page in a real browser: chosen and changed together, and 100,000 in one list. */
import { Database as SqliteFile } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { z } from "zod";
import { linkAt, newLink, openList, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const manyLinks = 100_000;

const world = openWalks();

const Folder = z.object({ id: z.string() });

/** Selects three links of which these are the ends. */
async function selectRange(page: Page, from: string, to: string): Promise<void> {
  await row(page, from).getByRole("checkbox").click();
  await row(page, to)
    .getByRole("checkbox")
    .click({ modifiers: ["Shift"] });
  await page.getByText("3 selected").waitFor();
}

test(
  "a range of links is tagged, archived and taken back, and deleted when their number is typed",
  async () => {
    const { page } = world;
    for (const name of ["one", "two", "three", "four"]) {
      await newLink(world.server, { url: `https://example.com/bulk/${name}`, key: `bulk-${name}` });
    }
    await world.server.call("POST", "/tags", { body: { name: "Bulk", color: "green" } });
    await openList(page, world.url("/links?search=bulk-"), "4 links");

    await selectRange(page, "bulk-four", "bulk-two");
    await page.getByRole("button", { name: "Tag", exact: true }).click();
    await page.getByRole("dialog").getByRole("checkbox", { name: "Bulk" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save changes" }).click();
    await row(page, "bulk-three").getByText("Bulk", { exact: true }).waitFor();
    await selectRange(page, "bulk-four", "bulk-two");
    await page.getByRole("button", { name: "Archive", exact: true }).click();
    await row(page, "bulk-three").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, "bulk-three").waitFor();
    await page.getByText("4 links", { exact: true }).waitFor();
    await selectRange(page, "bulk-four", "bulk-two");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 3 links?" });
    const remove = dialog.getByRole("button", { name: "Delete", exact: true });
    const isOpenAtFirst = await remove.isEnabled();
    await dialog.getByRole("textbox").fill("3");
    await remove.click();
    await page.getByText("1 link", { exact: true }).waitFor();

    expect(isOpenAtFirst).toBe(false);
    expect(await linkAt(world.server, "bulk-three")).toBeUndefined();
    expect((await linkAt(world.server, "bulk-one"))?.tags).toEqual([]);
    expect(world.complaints).toEqual([]);
  },
  walkMsMax,
);

test(
  "what others did to the chosen links meanwhile stays, and undoing takes back no more than was done",
  async () => {
    const { page } = world;
    const ids: string[] = [];
    for (const key of ["shared-one", "shared-two", "shared-three"]) {
      ids.push((await newLink(world.server, { url: "https://example.com/shared", key })).id);
    }
    const [one = "", two = ""] = ids;
    for (const name of ["Mine", "Theirs"]) await world.server.call("POST", "/tags", { body: { name } });
    await world.server.call("PATCH", `/links/${one}`, { body: { archived: true } });
    const { body } = await world.server.call("POST", "/folders", { body: { name: "Shared" } });
    await world.server.call("PATCH", `/links/${two}`, { body: { folderId: Folder.parse(body).id } });
    await openList(page, world.url("/links?search=shared-&archived=1"), "3 links");

    await selectRange(page, "shared-three", "shared-one");
    await page.getByRole("button", { name: "Tag", exact: true }).click();
    await page.getByRole("dialog").getByRole("checkbox", { name: "Mine" }).click();
    await world.server.call("PATCH", `/links/${two}`, { body: { tagNames: ["Theirs"] } });
    await page.getByRole("dialog").getByRole("button", { name: "Save changes" }).click();
    await row(page, "shared-two").getByText("Mine", { exact: true }).waitFor();
    await selectRange(page, "shared-three", "shared-one");
    await page.getByRole("button", { name: "Move", exact: true }).click();
    const move = page.getByRole("dialog").getByRole("button", { name: "Move", exact: true });
    const isDecidedAtFirst = await move.isEnabled();
    await page.getByRole("dialog").getByLabel("Folder").selectOption("Shared");
    await move.click();
    await page.getByText("3 links moved").first().waitFor();
    await selectRange(page, "shared-three", "shared-one");
    await page.getByRole("button", { name: "Archive", exact: true }).click();
    await row(page, "shared-three").getByText("Archived", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, "shared-three").getByText("Archived", { exact: true }).waitFor({ state: "detached" });
    await page.getByText("2 links unarchived").first().waitFor();

    expect((await linkAt(world.server, "shared-two"))?.tags.map(({ name }) => name).sort()).toEqual(["Mine", "Theirs"]);
    expect(isDecidedAtFirst).toBe(false);
    expect([
      (await linkAt(world.server, "shared-one"))?.archived,
      (await linkAt(world.server, "shared-two"))?.archived,
    ]).toEqual([true, false]);
    expect(world.complaints).toEqual([]);
  },
  walkMsMax,
);

test(
  "of 100,000 links those in sight are there; the end is a jump away, and one of them is found by its name",
  async () => {
    const { page } = world;
    const { id } = await newLink(world.server, { url: "https://example.com/first-of-many", key: "first-of-many" });
    fillLinks(join(world.server.data, "waypost.sqlite"), id, manyLinks);
    await page.goto(world.url("/links?order=oldest"));

    await row(page, "many000000").waitFor();
    const rowsAtTop = await page.getByRole("listitem").count();
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)");
    await page.getByText("/many05", { exact: false }).first().waitFor();
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await page.getByText("/many09", { exact: false }).first().waitFor();
    const rowsAtEnd = await page.getByRole("listitem").count();
    await page.getByRole("searchbox").fill("many077123");
    await page.getByText("1 link", { exact: true }).waitFor();
    await row(page, "many077123").waitFor();

    expect(Math.max(rowsAtTop, rowsAtEnd)).toBeLessThan(60);
    expect(world.complaints).toEqual([]);
  },
  walkMsMax,
);

/** Copies a link many times in one statement; the copies are older than any link, and their keys are in their order. */
function fillLinks(path: string, id: string, count: number): void {
  const file = new SqliteFile(path);
  try {
    file.run("PRAGMA busy_timeout = 10000");
    const columns = file
      .query<{ name: string }, []>("SELECT name FROM pragma_table_info('links') WHERE name <> 'seq'")
      .all()
      .map(({ name }) => name);
    const values = columns.map((name) => copied[name] ?? `links."${name}"`);
    file
      .query(
        `INSERT INTO links (${columns.map((name) => `"${name}"`).join(", ")})
         WITH RECURSIVE numbers(number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number + 1 < ?)
         SELECT ${values.join(", ")} FROM numbers, links WHERE links.id = ?`,
      )
      .run(count, id);
  } finally {
    file.close();
  }
}

/** What is a copy's own. */
const copied: Record<string, string> = {
  id: "printf('link_%026d', number)",
  key: "printf('many%06d', number)",
  foldedKey: "printf('many%06d', number)",
  url: "'https://example.com/many/' || number",
};
