/** The page of links in a real browser: by keyboard, in the drawer, in bulk, with 100,000 links, and for who only looks. */
import { Database as SqliteFile } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { z } from "zod";
import {
  type DashboardWorld,
  mistakesOf,
  newPerson,
  openDashboardWorld,
  worldStartMsMax,
} from "../support/dashboard.ts";

const walkMsMax = 60_000;
const manyLinks = 100_000;

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
}, worldStartMsMax);
afterAll(() => world.close());

const Link = z.object({
  id: z.string(),
  key: z.string(),
  url: z.string(),
  comments: z.string().nullable(),
  tags: z.array(z.object({ name: z.string() })),
  rules: z.unknown().optional(),
  archived: z.boolean(),
});

const Folder = z.object({ id: z.string() });

async function newLink(body: object) {
  return Link.parse((await world.server.call("POST", "/links", { body })).body);
}

async function linkAt(key: string) {
  const { body } = await world.server.call("GET", `/links/info?domain=localhost&key=${encodeURIComponent(key)}`);
  return Link.safeParse(body).data;
}

/** The list, when it says how many links it has. */
async function openList(page: Page, query: string, counted: string): Promise<void> {
  await page.goto(world.url(`/links${query}`));
  await page.getByText(counted, { exact: true }).waitFor();
}

/** Selects three links of which these are the ends. */
async function selectRange(page: Page, from: string, to: string): Promise<void> {
  await row(page, from).getByRole("checkbox").click();
  await row(page, to)
    .getByRole("checkbox")
    .click({ modifiers: ["Shift"] });
  await page.getByText("3 selected").waitFor();
}

function row(page: Page, key: string) {
  return page.getByRole("listitem").filter({ has: page.getByRole("button", { name: new RegExp(`/${key}$`) }) });
}

test(
  "a link is made, found, opened and selected by the keyboard alone",
  async () => {
    const { page } = world;
    const { keyboard } = page;
    await openList(page, "", "1 link");

    await keyboard.press("c");
    await page.getByRole("textbox", { name: "Destination" }).waitFor();
    await keyboard.type("example.com/keys");
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await keyboard.type("by-keyboard");
    await keyboard.press("Enter");
    await row(page, "by-keyboard").waitFor();
    await keyboard.press("/");
    await keyboard.type("by-key");
    await page.getByText("1 link", { exact: true }).waitFor();
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

    const made = await linkAt("by-keyboard");
    expect(made?.url).toBe("https://example.com/keys");
    expect(address).toContain(`edit=${made?.id}`);
    expect(page.url()).toContain("search=by-key");
    expect(world.complaints).toEqual([]);
  },
  walkMsMax,
);

test(
  "the drawer says at its field what is wrong, makes tags by the way, and keeps what is typed until that is given up",
  async () => {
    const { page } = world;
    await page.goto(world.url("/links"));
    await page.getByRole("button", { name: "Create link" }).click();
    const drawer = page.getByRole("dialog", { name: "New link" });

    await drawer.getByRole("textbox", { name: "Destination" }).fill("javascript:alert(1)");
    await drawer.getByRole("textbox", { name: "Short name" }).fill("launch");
    await drawer.getByRole("button", { name: "Create link" }).click();
    const mistake = await drawer.getByRole("alert").first().textContent();
    await drawer.getByRole("textbox", { name: "Destination" }).fill("example.com/launch");
    await drawer.getByRole("combobox", { name: "Tags" }).fill("Autumn");
    await drawer.getByRole("button", { name: "Create “Autumn”" }).click();
    await drawer.getByRole("button", { name: "Remove Autumn" }).waitFor();
    await drawer.getByRole("button", { name: "UTM parameters" }).click();
    await drawer.getByLabel("Source").fill("spring mail");
    await drawer.getByRole("button", { name: "Rules" }).click();
    await drawer.getByRole("button", { name: "Add rule" }).click();
    await drawer.getByLabel("Value").fill("DE, AT");
    await drawer.getByLabel("Lead to").fill("example.com/de");
    await page.goBack();
    await page
      .getByRole("dialog", { name: "Discard what you changed?" })
      .getByRole("button", { name: "Cancel" })
      .click();
    await drawer.getByRole("button", { name: "Create link" }).click();
    await row(page, "launch").waitFor();

    expect(mistake).toContain("must be a url");
    expect(await linkAt("launch")).toMatchObject({
      url: "https://example.com/launch?utm_source=spring+mail",
      tags: [{ name: "Autumn" }],
      rules: [{ when: { country: ["DE", "AT"] }, url: "https://example.com/de" }],
    });
    expect(world.complaints).toEqual([]);
  },
  walkMsMax,
);

test(
  "a change that somebody else made meanwhile is not overwritten unseen, and can be taken back",
  async () => {
    const { page } = world;
    const { id } = await newLink({ url: "https://example.com/contested", key: "contested" });
    await page.goto(world.url(`/links?edit=${id}`));
    const drawer = page.getByRole("dialog", { name: "Edit link" });
    const comment = drawer.getByRole("textbox", { name: "Comment" });

    await comment.fill("mine");
    await world.server.call("PATCH", `/links/${id}`, { body: { comments: "theirs" } });
    await drawer.getByRole("button", { name: "Save changes" }).click();
    await drawer.getByText("Somebody else changed this link meanwhile").waitFor();
    const kept = await linkAt("contested");
    await drawer.getByRole("button", { name: "Load theirs" }).click();
    await drawer.getByText("Somebody else changed").waitFor({ state: "detached" });
    const loaded = await comment.inputValue();
    await comment.fill("both");
    await drawer.getByRole("button", { name: "Save changes" }).click();
    await drawer.waitFor({ state: "detached" });
    const saved = await linkAt("contested");
    await page.goto(world.url(`/links?history=${id}`));
    await page.getByRole("button", { name: "Take back" }).first().click();
    await page.getByText("Change taken back").first().waitFor();

    expect([kept?.comments, loaded, saved?.comments]).toEqual(["theirs", "theirs", "both"]);
    expect((await linkAt("contested"))?.comments).toBe("theirs");
  },
  walkMsMax,
);

test(
  "a key that is held makes one link, and a code is drawn when the name is typed, not at each letter",
  async () => {
    const { page } = world;
    const drawn: string[] = [];
    page.on("request", (request) => request.url().includes("/v1/qr?") && drawn.push(request.url()));
    await page.goto(world.url("/links?create=1"));
    const drawer = page.getByRole("dialog", { name: "New link" });

    await drawer.getByRole("textbox", { name: "Short name" }).fill("h");
    await drawer.getByRole("textbox", { name: "Short name" }).pressSequentially("eld-key");
    await drawer.getByRole("img", { name: /held-key$/ }).waitFor();
    await drawer.getByRole("textbox", { name: "Short name" }).fill("");
    await drawer.getByRole("textbox", { name: "Destination" }).fill("https://example.com/held-down");
    await page.keyboard.down("Control");
    for (let held = 0; held < 5; held++) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await page.keyboard.up("Control");
    await drawer.waitFor({ state: "detached" });

    expect((await world.server.call("GET", "/links/count?search=held-down")).body).toBe(1);
    expect(drawn.length).toBeLessThan("held-key".length);
    expect(world.complaints).toEqual([]);
  },
  walkMsMax,
);

test(
  "who saves over somebody else's change is not stopped by it again, and a rule that would lose a part is refused",
  async () => {
    const { page } = world;
    const { id } = await newLink({ url: "https://example.com/over", key: "saved-over" });
    await page.goto(world.url(`/links?edit=${id}`));
    const drawer = page.getByRole("dialog", { name: "Edit link" });
    const save = drawer.getByRole("button", { name: "Save changes" });

    await drawer.getByRole("textbox", { name: "Destination" }).fill("javascript:alert(1)");
    await world.server.call("PATCH", `/links/${id}`, { body: { comments: "theirs" } });
    await save.click();
    await drawer.getByRole("button", { name: "Save mine" }).click();
    await drawer.getByText("must be a url").waitFor();
    await drawer.getByRole("textbox", { name: "Destination" }).fill("example.com/mine");
    await drawer.getByRole("button", { name: "Rules" }).click();
    await drawer.getByRole("button", { name: "Add rule" }).click();
    await drawer.getByLabel("Condition", { exact: true }).selectOption("Parameter");
    await drawer.getByLabel("Parameter", { exact: true }).fill("src");
    await drawer.getByLabel("Value").fill("mail");
    await drawer.getByLabel("Lead to").fill("example.com/mail");
    await drawer.getByRole("button", { name: "And…" }).click();
    await drawer.getByLabel("Condition", { exact: true }).nth(1).selectOption("Parameter");
    await drawer.getByLabel("Parameter", { exact: true }).nth(1).fill("src");
    await save.click();
    await drawer.getByText("is named twice").waitFor();
    await drawer.getByRole("button", { name: "Remove condition" }).nth(1).click();
    await save.click();
    await drawer.waitFor({ state: "detached" });

    expect(await linkAt("saved-over")).toMatchObject({
      url: "https://example.com/mine",
      comments: "theirs",
      rules: [{ when: { query: { src: "mail" } }, url: "https://example.com/mail" }],
    });
  },
  walkMsMax,
);

test(
  "a range of links is tagged, archived and taken back, and deleted when their number is typed",
  async () => {
    const { page } = world;
    for (const name of ["one", "two", "three", "four"]) {
      await newLink({ url: `https://example.com/bulk/${name}`, key: `bulk-${name}` });
    }
    await world.server.call("POST", "/tags", { body: { name: "Bulk", color: "green" } });
    await openList(page, "?search=bulk-", "4 links");

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
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 3 links?" });
    const remove = dialog.getByRole("button", { name: "Delete", exact: true });
    const isOpenAtFirst = await remove.isEnabled();
    await dialog.getByRole("textbox").fill("3");
    await remove.click();
    await page.getByText("1 link", { exact: true }).waitFor();

    expect(isOpenAtFirst).toBe(false);
    expect(await linkAt("bulk-three")).toBeUndefined();
    expect((await linkAt("bulk-one"))?.tags).toEqual([]);
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
      ids.push((await newLink({ url: "https://example.com/shared", key })).id);
    }
    const [one = "", two = ""] = ids;
    for (const name of ["Mine", "Theirs"]) await world.server.call("POST", "/tags", { body: { name } });
    await world.server.call("PATCH", `/links/${one}`, { body: { archived: true } });
    const { body } = await world.server.call("POST", "/folders", { body: { name: "Shared" } });
    await world.server.call("PATCH", `/links/${two}`, { body: { folderId: Folder.parse(body).id } });
    await openList(page, "?search=shared-&archived=1", "3 links");

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

    expect((await linkAt("shared-two"))?.tags.map(({ name }) => name).sort()).toEqual(["Mine", "Theirs"]);
    expect(isDecidedAtFirst).toBe(false);
    expect([(await linkAt("shared-one"))?.archived, (await linkAt("shared-two"))?.archived]).toEqual([true, false]);
    expect(world.complaints).toEqual([]);
  },
  walkMsMax,
);

test(
  "the first link of somebody new is shown in the list, too, with its QR code",
  async () => {
    const { page } = world;
    const { id } = await newLink({ url: "https://example.com/first", key: "first-link" });

    await page.goto(world.url(`/welcome?link=${id}`));
    await page.getByRole("button", { name: "To your links" }).click();
    await row(page, "first-link")
      .getByRole("button", { name: /^More for/ })
      .click();
    await page.getByRole("menuitem", { name: "QR code" }).click();
    await page
      .getByRole("dialog", { name: "QR code" })
      .getByRole("img", { name: /first-link/ })
      .waitFor();

    expect(world.complaints).toEqual([]);
  },
  walkMsMax,
);

test(
  "letters can be switched off as keys, and stay so",
  async () => {
    const page = await world.newPage();
    await openList(page, "?search=by-keyboard", "1 link");
    await page.keyboard.press("?");
    await page.getByRole("switch", { name: "Single letters and signs" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.reload();
    await row(page, "by-keyboard").waitFor();

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
  "who only looks can open a link, and finds nothing that changes one",
  async () => {
    const { id } = await newLink({ url: "https://example.com/looked-at", key: "looked-at" });
    const viewer = await newPerson(world.server, "viewer");
    const page = await world.newPage({}, viewer);
    await page.goto(world.url("/links?search=looked-at"));

    await row(page, "looked-at").waitFor();
    const creators = await page.getByRole("button", { name: "Create link" }).count();
    await row(page, "looked-at")
      .getByRole("button", { name: /^More for/ })
      .click();
    const items = await page.getByRole("menuitem").allTextContents();
    await page.goto(world.url(`/links?edit=${id}`));
    const drawer = page.getByRole("dialog", { name: "Link" });
    const isWritable = await drawer.getByRole("textbox", { name: "Destination" }).isEditable();
    const savers = await drawer.getByRole("button", { name: "Save changes" }).count();
    await page.context().close();

    expect({ creators, isWritable, savers }).toEqual({ creators: 0, isWritable: false, savers: 0 });
    expect(items).toEqual(["View", "QR code", "Analytics", "Why did it go there?", "History"]);
  },
  walkMsMax,
);

/** TABLE of the ways the page is looked at. */
/** Each theme, each kind of window, and the languages with the longest and the shortest words. */
const views: Record<string, BrowserContextOptions> = {
  "in light, in German": { locale: "de-DE" },
  "360 pixels wide, dark, in Chinese": { viewport: { width: 360, height: 640 }, colorScheme: "dark", locale: "zh-CN" },
};

/** What is shown, by the query; {id} is a link's. */
const shown = ["", "?create=1", "?edit={id}", "?qr={id}", "?history={id}", "?why={id}", "?manage=tags"];

describe("the page of links and its windows have no barrier, and complain of nothing", () => {
  test.each(Object.keys(views))(
    "%s",
    async (view) => {
      const { id } = await newLink({ url: "https://example.com/looks", tagNames: ["Looks"] }).catch(async () => {
        await world.server.call("POST", "/tags", { body: { name: "Looks" } });
        return await newLink({ url: "https://example.com/looks", tagNames: ["Looks"] });
      });
      const page = await world.newPage(views[view]);

      const mistakes: string[] = [];
      for (const query of shown) {
        await page.goto(world.url(`/links${query.replace("{id}", id)}`));
        await (query === "" ? page.getByRole("listitem") : page.getByRole("dialog")).first().waitFor();
        await page.waitForLoadState("networkidle");
        mistakes.push(...(await mistakesOf(page)).map((mistake) => `${query}: ${mistake}`));
      }
      await page.context().close();

      expect({ mistakes, complaints: world.complaints }).toEqual({ mistakes: [], complaints: [] });
    },
    walkMsMax,
  );
});

test(
  "of 100,000 links those in sight are there; the end is a jump away, and one of them is found by its name",
  async () => {
    const { page } = world;
    const { id } = await newLink({ url: "https://example.com/first-of-many", key: "first-of-many" });
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
