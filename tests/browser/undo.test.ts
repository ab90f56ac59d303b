/** Undo of changes of links, in the message that reports them, in a real browser. */
import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { z } from "zod";
import { linkAt, newLink, openList, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();

const Placed = z.object({ folderId: z.string().nullable(), title: z.string().nullable(), archived: z.boolean() });

/** The folder, the title and the archive of a link. */
async function placed(key: string): Promise<z.infer<typeof Placed>> {
  return Placed.parse((await world.server.call("GET", `/links/info?domain=localhost&key=${key}`)).body);
}

async function newLinks(prefix: string, count: number): Promise<string[]> {
  const body = Array.from({ length: count }, (_, index) => ({
    url: `https://example.com/${prefix}/${index}`,
    key: `${prefix}-${index}`,
  }));
  await world.server.call("POST", "/links/bulk", { body });
  return body.map(({ key }) => key);
}

const interactionsMax = 5;

test(
  "twenty links are moved into a folder in five interactions, and one more puts them back",
  async () => {
    const { page, server } = world;
    const keys = await newLinks("spring", 20);
    await server.call("POST", "/folders", { body: { name: "Spring" } });
    await openList(page, world.url("/links?search=spring-"), "20 links");
    let interactions = 0;
    const interact = async (step: Promise<unknown>) => {
      interactions += 1;
      await step;
    };
    const dialog = page.getByRole("dialog");

    await interact(page.getByRole("checkbox", { name: "Select all loaded links" }).click());
    await interact(page.getByRole("button", { name: "Move", exact: true }).click());
    // A person opens the list and chooses from it.
    await interact(dialog.getByLabel("Folder").focus());
    await interact(dialog.getByLabel("Folder").selectOption("Spring"));
    await interact(dialog.getByRole("button", { name: "Move", exact: true }).click());
    await page.getByText("20 links moved").first().waitFor();
    const moved = new Set((await Promise.all(keys.map(placed))).map(({ folderId }) => folderId));
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Changes to 20 links undone").first().waitFor();
    const undone = new Set((await Promise.all(keys.map(placed))).map(({ folderId }) => folderId));

    expect(interactions).toBeLessThanOrEqual(interactionsMax);
    expect(moved.size).toBe(1);
    expect([...moved]).not.toContain(null);
    expect([...undone]).toEqual([null]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "an undo skips links that have changed since, and says how many",
  async () => {
    const { page, server } = world;
    const keys = await newLinks("changed", 3);
    await openList(page, world.url("/links?search=changed-&archived=1"), "3 links");
    const theirs = await linkAt(server, "changed-1");

    await page.getByRole("checkbox", { name: "Select all loaded links" }).click();
    await page.getByRole("button", { name: "Archive", exact: true }).click();
    await page.getByText("3 links archived").first().waitFor();
    await server.call("PATCH", `/links/${theirs?.id}`, { body: { title: "Theirs" } });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Changes to 2 links undone").first().waitFor();
    await page.getByText("1 link has changed since and stays as it is.").first().waitFor();

    expect((await Promise.all(keys.map(placed))).map(({ archived }) => archived)).toEqual([false, true, false]);
    expect((await placed("changed-1")).title).toBe("Theirs");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "an edit and new tags of a link are undone, but not after someone else has changed the link",
  async () => {
    const { page, server } = world;
    const { id } = await newLink(server, { url: "https://example.com/before", key: "edited" });
    await server.call("POST", "/tags", { body: { name: "Undone" } });
    const editor = page.getByRole("dialog", { name: "Edit link" });
    const edit = async (url: string) => {
      await page.goto(world.url(`/links?search=edited&edit=${id}`));
      await editor.getByRole("textbox", { name: "Destination" }).fill(url);
      await editor.getByRole("button", { name: "Save changes" }).click();
      await page.getByText("Changes saved").first().waitFor();
    };
    const undo = async (message: string) => {
      await page.getByRole("button", { name: "Undo" }).click();
      await messageWith(message).waitFor();
    };
    const messageWith = (text: string): Locator => page.getByText(text).first();

    await edit("https://example.com/after");
    await undo("Change undone");
    const undoneEdit = (await linkAt(server, "edited"))?.url;
    await page.goto(world.url("/links?search=edited"));
    await row(page, "edited").getByRole("checkbox").click();
    await page.getByRole("button", { name: "Tag", exact: true }).click();
    await page.getByRole("dialog").getByRole("checkbox", { name: "Undone" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Save changes" }).click();
    await messageWith("Tags updated").waitFor();
    const tagged = (await linkAt(server, "edited"))?.tags.length;
    await undo("Change undone");
    const untagged = (await linkAt(server, "edited"))?.tags.length;
    await edit("https://example.com/mine");
    await server.call("PATCH", `/links/${id}`, { body: { url: "https://example.com/theirs" } });
    await undo("Not undone: the link has changed since.");

    expect(undoneEdit).toBe("https://example.com/before");
    expect([tagged, untagged]).toEqual([1, 0]);
    expect((await linkAt(server, "edited"))?.url).toBe("https://example.com/theirs");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "while a change is pending, the undo of the change before it waits",
  async () => {
    const { server } = world;
    const page = await world.newPage();
    await newLinks("waiting", 2);
    await openList(page, world.url("/links?search=waiting-&archived=1"), "2 links");
    const archive = async (key: string) => {
      await row(page, key).getByRole("checkbox").click();
      await page.getByRole("button", { name: "Archive", exact: true }).click();
    };
    await archive("waiting-0");
    const undo = page.getByRole("button", { name: "Undo" });
    await undo.waitFor();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await page.route("**/v1/links/bulk*", async (route) => {
      await answered;
      await route.continue();
    });

    await archive("waiting-1");
    await page.locator("button:disabled", { hasText: "Undo" }).waitFor();
    answer();
    await page.locator("button:enabled", { hasText: "Undo" }).waitFor();
    await undo.click();
    await page.getByText("Change undone").first().waitFor();

    expect((await linkAt(server, "waiting-0"))?.archived).toBe(true);
    expect((await linkAt(server, "waiting-1"))?.archived).toBe(false);
    expect(world.pageErrors).toEqual([]);
    await page.close();
  },
  walkMsMax,
);

test(
  "when a later batch of a change fails, the message counts the changed links, and undoes those",
  async () => {
    const page = await world.newPage();
    const keys = [...(await newLinks("batches-a", 20)), ...(await newLinks("batches-b", 100))];
    await openList(page, world.url("/links?search=batches-&archived=1"), "120 links");
    // The list loads its second page when that comes into view, and would give up the first before it arrives.
    await page
      .getByRole("button", { name: /batches-b/ })
      .first()
      .waitFor();
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await row(page, "batches-a-0").waitFor();
    await page.getByRole("checkbox", { name: "Select all loaded links" }).click();
    await page.getByText("120 selected").waitFor();
    let calls = 0;
    const refusal = { error: { code: "forbidden", message: "You are no longer a member.", doc_url: "" } };
    await page.route("**/v1/links/bulk*", async (route) => {
      calls += 1;
      if (calls === 2) await route.fulfill({ status: 403, json: refusal });
      else await route.continue();
    });
    const archived = async () => (await Promise.all(keys.map(placed))).filter((link) => link.archived).length;

    await page.getByRole("button", { name: "Archive", exact: true }).click();
    await page.getByText("100 of 120 links changed.").first().waitFor();
    const changed = await archived();
    const left = await page.getByText("20 selected").count();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Changes to 100 links undone").first().waitFor();

    expect({ changed, left, afterUndo: await archived() }).toEqual({ changed: 100, left: 1, afterUndo: 0 });
    expect(world.pageErrors).toEqual([]);
    await page.close();
  },
  walkMsMax,
);
