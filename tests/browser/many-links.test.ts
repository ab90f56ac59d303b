/** Many links in a real browser: selected and changed together, and 100,000 in one list. */
import { Database as SqliteFile } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { z } from "zod";
import { linkAt, newLink, openList, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { eventually } from "../support/server.ts";

const manyLinks = 100_000;

/** Upper bound of rendered rows in a window of 800 pixels: the visible ones, some around them, and the focused one. */
const rowsMax = 30;
/** Upper bound of the list items on the whole page, which are its rows and any items of other lists. */
const listItemsMax = 60;
const rowPx = 68;

const world = openWalks({}, async (server) => {
  const { id } = await newLink(server, { url: "https://example.com/first-of-many", key: "first-of-many" });
  fillLinks(join(server.data, "waypost.sqlite"), id, manyLinks);
  return server;
});

const Folder = z.object({ id: z.string() });

/** Selects a range of three links by its ends. */
async function selectRange(page: Page, from: string, to: string): Promise<void> {
  await row(page, from).getByRole("checkbox").click();
  await row(page, to)
    .getByRole("checkbox")
    .click({ modifiers: ["Shift"] });
  await page.getByText("3 selected").waitFor();
}

test(
  "a range of links is tagged, archived, unarchived, and deleted after typing their number",
  async () => {
    const { page } = world;
    for (const name of ["one", "two", "three", "four"]) {
      await newLink(world.server, { url: `https://example.com/bulk/${name}`, key: `bulk-${name}` });
    }
    await world.server.call("POST", "/tags", { body: { name: "Bulk", color: "green" } });
    await openList(page, world.url("/links?search=bulk-"), "4 links");

    await selectRange(page, "bulk-four", "bulk-two");
    await page.getByRole("button", { name: "Tag", exact: true }).click();
    await page.getByRole("dialog").getByText("Bulk", { exact: true }).click();
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
    const isEnabledAtFirst = await remove.isEnabled();
    await dialog.getByRole("textbox").fill("3");
    await remove.click();
    await page.getByText("1 link", { exact: true }).waitFor();

    expect(isEnabledAtFirst).toBe(false);
    expect(await linkAt(world.server, "bulk-three")).toBeUndefined();
    expect((await linkAt(world.server, "bulk-one"))?.tags).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "bulk changes keep what other users change on the selected links, and an undo reverts only the bulk change",
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
    const isMoveEnabledAtFirst = await move.isEnabled();
    await page.getByRole("dialog").getByLabel("Folder").selectOption("Shared");
    await move.click();
    await page.getByText("3 links moved").first().waitFor();
    await selectRange(page, "shared-three", "shared-one");
    await page.getByRole("button", { name: "Archive", exact: true }).click();
    await row(page, "shared-three").getByText("Archived", { exact: true }).waitFor();
    // The rows change before the response arrives; until then the message is about the links that were moved.
    await page.getByText("3 links archived").first().waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, "shared-three").getByText("Archived", { exact: true }).waitFor({ state: "detached" });
    await page.getByText("Changes to 2 links undone").first().waitFor();

    expect((await linkAt(world.server, "shared-two"))?.tags.map(({ name }) => name).sort()).toEqual(["Mine", "Theirs"]);
    expect(isMoveEnabledAtFirst).toBe(false);
    expect([
      (await linkAt(world.server, "shared-one"))?.archived,
      (await linkAt(world.server, "shared-two"))?.archived,
    ]).toEqual([true, false]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "with 100,000 links, only visible rows are rendered, scrolling reaches the end at once, and a search finds a link",
  async () => {
    const { page } = world;
    await page.goto(world.url("/links?order=oldest"));

    await row(page, "many000000").waitFor();
    const itemsAtTop = await page.getByRole("listitem").count();
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)");
    await page.getByText("/many05", { exact: false }).first().waitFor();
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await page.getByText("/many09", { exact: false }).first().waitFor();
    const itemsAtEnd = await page.getByRole("listitem").count();
    await page.getByRole("searchbox").fill("many077123");
    await page.getByText("1 link", { exact: true }).waitFor();
    await row(page, "many077123").waitFor();

    expect(Math.max(itemsAtTop, itemsAtEnd)).toBeLessThan(listItemsMax);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "while 100,000 links are scrolled, few rows are rendered, each shows its link, and the focus stays on its row",
  async () => {
    const page = await world.newPage();
    await page.goto(world.url("/links?order=oldest"));
    await row(page, "many000003").waitFor();
    for (const _ of [0, 1, 2, 3]) await page.keyboard.press("ArrowDown");
    await page.evaluate(`(() => {
      const list = document.querySelector("[data-row]").parentElement;
      window.renderedRowsMax = 0;
      const count = () => { window.renderedRowsMax = Math.max(window.renderedRowsMax, list.children.length); };
      new MutationObserver(count).observe(list, { childList: true });
    })()`);
    const wrong: string[] = [];
    const focused: unknown[] = [];
    const check = async () => {
      const shown = await eventually(
        () => shownRows(page),
        (rows) => rows.length > 0 && rows.every(({ key }) => key !== undefined),
      );
      wrong.push(...shown.flatMap(({ position, key }) => (key === keyAt(position) ? [] : [`${key} at ${position}`])));
      focused.push(await page.evaluate("document.activeElement.dataset.row"));
    };

    await check();
    for (let turn = 0; turn < 20; turn++) await page.mouse.wheel(0, 2_000);
    await check();
    for (const position of [9_000, 50_017, 77_123, manyLinks - 20, 60_001, 400, 0]) {
      await page.evaluate(`scrollTo(0, ${position * rowPx})`);
      await check();
    }
    await page.keyboard.press("ArrowDown");

    expect(wrong).toEqual([]);
    expect(focused).toEqual(focused.map(() => "3"));
    expect(await page.evaluate("document.activeElement.dataset.row")).toBe("4");
    expect(z.number().parse(await page.evaluate("window.renderedRowsMax"))).toBeLessThan(rowsMax);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

const ShownRows = z.array(z.object({ position: z.number(), key: z.string().optional() }));

/** The visible rows by position; without a key while their link loads. */
async function shownRows(page: Page) {
  return ShownRows.parse(
    await page.evaluate(`[...document.querySelectorAll("[data-row]")]
      .filter((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return bottom > 0 && top < innerHeight;
      })
      .map((row) => ({
        position: Number(row.dataset.row),
        key: [...row.querySelectorAll("button")].map((each) => /\\/.*/.exec(each.textContent)?.[0]).find(Boolean),
      }))`),
  );
}

/** The key of the link at a position of the list, the oldest first. */
function keyAt(position: number): string {
  return `/many${String(position).padStart(6, "0")}`;
}

/** Inserts many copies of a link in one statement; the copies are older than any link, with ascending keys. */
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

/** The columns that differ in a copy. */
const copied: Record<string, string> = {
  id: "printf('link_%026d', number)",
  key: "printf('many%06d', number)",
  foldedKey: "printf('many%06d', number)",
  url: "'https://example.com/many/' || number",
};
