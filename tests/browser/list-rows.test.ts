/** The rows of the list of links in a real browser: what they show, wide and on a phone. */
import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { z } from "zod";
import { newPerson } from "../support/dashboard.ts";
import { storeDestinationIcon } from "../support/destination-icon.ts";
import { newLink, openList, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { newTenant, operate } from "../support/tenants.ts";

const world = openWalks();
const Tag = z.object({ id: z.string() });

test(
  "a row shows the title first, the icon of its destination, tags, and the creator once there are several members",
  async () => {
    const { page, server } = world;
    const tagId = await newTag("Row tag");
    const link = { url: "https://icon.example/page", key: "titled", title: "Summer party", tagIds: [tagId] };
    await newLink(server, link);
    await newPerson(server, "member");
    storeDestinationIcon(server, "https://icon.example");

    await openList(page, world.url("/links?search=summer"), "1 link");
    const titled = row(page, "titled");
    await titled.locator("img").waitFor();
    await titled.getByText("Created by owner").waitFor();

    const lines = (await titled.innerText()).split("\n").filter((line) => line.trim() !== "");
    expect(lines[0]).toBe("Summer party");
    expect(lines.join("")).toContain("/titled");
    expect(lines).toContain("Row tag");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a right-to-left title is truncated at its end",
  async () => {
    const { page, server } = world;
    const title = "מדריך מלא לשירות הקישורים הקצרים החדש שלנו, עם כל האפשרויות והדוגמאות לכל צוות בחברה";
    await newLink(server, { url: "https://example.com/rtl", key: "rtl", title });

    await openList(page, world.url("/links?search=rtl"), "1 link");
    await row(page, "rtl").getByText(title).waitFor();

    expect(await page.evaluate("getComputedStyle(document.querySelector('[data-row] [dir=auto]')).direction")).toBe(
      "rtl",
    );
  },
  walkMsMax,
);

test(
  "at 768, 1024 and 1280 pixels, tags and folder leave room for title and slug",
  async () => {
    const { server } = world;
    const { body: folder } = await server.call("POST", "/folders", { body: { name: "Autumn campaigns 2026" } });
    const tagIds = [await newTag("Autumn campaign"), await newTag("Instagram stories")];
    const link = { url: "https://example.com/crowded", key: "autumn-menu", title: "Autumn roasts are here", tagIds };
    await newLink(server, { ...link, folderId: Tag.parse(folder).id });
    await newPerson(server, "member");
    const truncated: string[] = [];

    for (const width of [768, 1024, 1280]) {
      const page = await world.newPage({ viewport: { width, height: 768 } });
      await openList(page, world.url("/links?search=autumn-menu"), "1 link");
      const crowded = row(page, "autumn-menu");
      for (const text of ["Autumn roasts are here", "/autumn-menu"]) {
        const isWhole = await crowded
          .getByText(text, { exact: true })
          .evaluate((box) => box.scrollWidth <= box.clientWidth);
        if (!isWhole) truncated.push(`${text} at ${width} pixels`);
      }
      await page.context().close();
    }

    expect(truncated).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "long names of tags and of the folder do not cover a long title",
  async () => {
    const { server } = world;
    const { body: folder } = await server.call("POST", "/folders", { body: { name: "Folder ".repeat(8).trim() } });
    const tagIds = [await newTag("標籤".repeat(20)), await newTag("W".repeat(40)), await newTag("Third of the tags")];
    const title = "W".repeat(120);
    await newLink(server, {
      url: "https://example.com/",
      key: "covered",
      title,
      tagIds,
      folderId: Tag.parse(folder).id,
    });
    const covered: string[] = [];

    for (const width of [768, 1024, 1440]) {
      const page = await world.newPage({ viewport: { width, height: 768 } });
      await openList(page, world.url("/links?search=covered"), "1 link");
      const copy = await row(page, "covered").getByRole("button", { name: "Copy short link" }).boundingBox();
      const tag = await row(page, "covered").locator("span.rounded-full").first().boundingBox();
      if (copy === null || tag === null) throw new Error("The row has no copy button or no tag.");
      const isBelow = tag.y >= copy.y + copy.height;
      if (!isBelow && tag.x < copy.x + copy.width) covered.push(`${JSON.stringify({ copy, tag })} at ${width} pixels`);
      await page.context().close();
    }

    expect(covered).toEqual([]);
  },
  walkMsMax,
);

test(
  "beside a long slug, the host is long enough to recognize",
  async () => {
    const { server } = world;
    await newLink(server, {
      url: "https://example.com/",
      key: `recognized-titled${"-slug".repeat(30)}`,
      title: "Long",
    });
    await newLink(server, { url: "https://example.com/", key: `recognized-${"slug".repeat(40)}` });
    const widths: Record<string, number> = {};

    for (const width of [390, 768, 1440]) {
      const page = await world.newPage({ viewport: { width, height: 844 } });
      await openList(page, world.url("/links?search=recognized"), "2 links");
      const hosts = await page
        .locator("[data-row]")
        .getByText(/^localhost/)
        .all();
      const shown = await Promise.all(hosts.map((host) => host.evaluate((box) => box.clientWidth || box.scrollWidth)));
      widths[`${shown.length} hosts at ${width} pixels`] = Math.min(...shown);
      await page.context().close();
    }

    expect(Object.keys(widths)).toEqual([390, 768, 1440].map((width) => `2 hosts at ${width} pixels`));
    expect(Math.min(...Object.values(widths))).toBeGreaterThan(70);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "on a phone, a folder with a long name can be renamed and deleted",
  async () => {
    const { server } = world;
    const name = "W".repeat(190);
    expect(await server.call("POST", "/folders", { body: { name } })).toMatchObject({ status: 201 });
    const page = await world.newPage({ viewport: { width: 390, height: 844 } });

    await page.goto(world.url("/links"));
    await page.getByRole("button", { name: "Tags & folders" }).click();
    await page.getByRole("menuitem", { name: "Folders" }).click();
    const rename = page.getByRole("dialog").getByRole("button", { name: `Edit ${name}` });
    await rename.waitFor();
    const box = await rename.boundingBox();
    await page.context().close();

    expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThan(390);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a title that begins with an override of the direction is shown from left to right",
  async () => {
    const { page, server } = world;
    await newLink(server, { url: "https://example.com/", key: "overridden", title: "\u202eForwards" });

    await openList(page, world.url("/links?search=overridden"), "1 link");

    expect(await row(page, "overridden").locator("[dir=auto]").first().textContent()).toBe("Forwards");
  },
  walkMsMax,
);

test(
  "on a phone, a row with several tags names the first and counts the others",
  async () => {
    const { server } = world;
    const tagIds = [await newTag("Print campaign"), await newTag("Radio spots"), await newTag("Summer")];
    await newLink(server, { url: "https://example.com/tagged", key: "three-tags", tagIds });
    const page = await world.newPage({ viewport: { width: 390, height: 844 } });

    await openList(page, world.url("/links?search=three-tags"), "1 link");
    const tagged = row(page, "three-tags");
    await tagged.getByText("+2", { exact: true }).waitFor();

    const name = tagged.locator("[dir=auto]").first();
    expect(await name.evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "on a phone, a link without a title shows a slug of 21 characters and its host",
  async () => {
    const key = "autumn-menu-2026-home";
    await newLink(world.server, { url: "https://example.com/untitled", key });
    const page = await world.newPage({ viewport: { width: 390, height: 844 } });

    await openList(page, world.url(`/links?search=${key}`), "1 link");
    const untitled = row(page, key);

    for (const text of [new RegExp(`^/${key}$`), /^localhost/]) {
      const shown = untitled.getByText(text);
      expect(await shown.evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
    }
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "on a phone, a long slug is truncated in its middle, with and without a title",
  async () => {
    const key = "a-long-slug-that-does-not-fit-beside-anything-on-a-phone-v2";
    await newLink(world.server, { url: "https://example.com/", key });
    await newLink(world.server, { url: "https://example.com/", key: `titled-${key}`, title: "Titled" });
    const page = await world.newPage({ viewport: { width: 390, height: 844 } });

    await openList(page, world.url(`/links?search=${key}`), "2 links");
    const shown = await page
      .locator("[data-row]")
      .getByText(/^\/.*phone-v2$/)
      .evaluateAll((paths) =>
        paths.flatMap((path) => {
          const [start, end] = path.children;
          if (start === undefined || end === undefined) return [];
          const row = path.closest("[data-row]")?.getBoundingClientRect();
          const isInRow = end.getBoundingClientRect().right < (row?.right ?? 0) - 40;
          return [{ isTruncated: start.scrollWidth > start.clientWidth, end: end.textContent, isInRow }];
        }),
      );
    await page.context().close();

    const whole = { isTruncated: true, end: "phone-v2", isInRow: true };
    expect(shown).toEqual([whole, whole]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "in a window of 720 by 450 pixels, as at 200 % zoom, the button that creates a link covers no row",
  async () => {
    const page = await world.newPage({ viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 });
    await newLink(world.server, { url: "https://example.com/", key: "zoomed" });
    await openList(page, world.url("/links?search=zoomed"), "1 link");
    const create = page.getByRole("button", { name: "Create link" }).filter({ visible: true });

    const buttons = await create.count();
    const bottom = await create.first().evaluate((button) => button.getBoundingClientRect().bottom);
    const top = await row(page, "zoomed").evaluate((listed) => listed.getBoundingClientRect().top);
    await page.context().close();

    expect(buttons).toBe(1);
    expect(bottom).toBeLessThan(top);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "on a phone, a badge beside a long title is shown in full",
  async () => {
    const page = await world.newPage({ viewport: { width: 390, height: 844 } });
    const title = "A long title that a phone truncates";
    await newLink(world.server, { url: "https://example.com/", key: "put-away", title, archived: true });
    await openList(page, world.url("/links?search=put-away&archived=true"), "1 link");
    const badge = row(page, "put-away").getByText("Archived", { exact: true });

    const ends = await Promise.all(
      [badge, badge.locator("..")].map((box) => box.evaluate((element) => element.getBoundingClientRect().right)),
    );

    await page.context().close();
    expect(ends[0]).toBeLessThanOrEqual(ends[1] ?? 0);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "on a touch screen, the controls of a row are 44 pixels large, and a tap beside them opens the link",
  async () => {
    await newLink(world.server, { url: "https://example.com/touched", key: "touched", title: "Touched" });
    const page = await world.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await openList(page, world.url("/links?search=touched"), "1 link");
    const touched = row(page, "touched");

    await page.touchscreen.tap(...(await pointOf(touched.getByRole("checkbox"), 20)));
    await page.getByText("1 selected").first().waitFor({ state: "attached" });
    await page.touchscreen.tap(...(await pointOf(touched.getByRole("button", { name: /^Actions/ }), 20)));
    await page.getByRole("menu").waitFor();
    await page.keyboard.press("Escape");
    await page.touchscreen.tap(...(await pointOf(touched.getByText("localhost"), 0)));
    await page.getByRole("dialog", { name: "Edit link" }).waitFor();
    await page.context().close();

    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

/** A point below the middle of an element. */
async function pointOf(element: Locator, below: number): Promise<[x: number, y: number]> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("The element is not visible.");
  return [box.x + box.width / 2, box.y + box.height / 2 + below];
}

test(
  "on a phone, the number of selected links is not truncated beside their actions",
  async () => {
    await newLink(world.server, { url: "https://example.com/chosen", key: "chosen-on-phone" });
    const page = await world.newPage({ viewport: { width: 360, height: 740 } });
    await openList(page, world.url("/links?search=chosen-on-phone"), "1 link");

    await row(page, "chosen-on-phone").getByRole("checkbox").click();
    await page.getByRole("button", { name: "Clear selection" }).waitFor();

    const selected = page.getByRole("status").filter({ hasText: "1 selected" });
    expect(await selected.evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
    expect(await selected.evaluate((box) => box.innerText.trim().split("\n").at(-1))).toBe("1");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

async function newTag(name: string): Promise<string> {
  return Tag.parse((await world.server.call("POST", "/tags", { body: { name, color: "blue" } })).body).id;
}

test(
  "a list without links says that all are archived, and shows them",
  async () => {
    const tenant = await newTenant(world.server);
    const as = { email: tenant.email, password: "a password of mine" };
    await operate(world.server, "user password", as);
    const body = { url: "https://example.com/last", key: "last-one" };
    await world.server.call("POST", "/links", { key: tenant.apiKey, body });
    const page = await world.newPage({}, as);
    await openList(page, `${world.server.url}/app/w/${tenant.workspaceId}/links`, "1 link");

    await row(page, "last-one")
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await page.getByRole("menuitem", { name: "Archive", exact: true }).click();
    await page.getByText("All links are archived").waitFor();
    const invitations = await page.getByText("Create your first link").count();
    await page.getByRole("button", { name: "Include archived links" }).click();
    await row(page, "last-one").getByText("Archived", { exact: true }).waitFor();
    await page.context().close();

    expect(invitations).toBe(0);
  },
  walkMsMax,
);
