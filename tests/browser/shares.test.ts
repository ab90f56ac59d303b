/** Shares and folders in a real browser: created, read, changed and revoked. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { accessibilityErrorsOf, newPerson } from "../support/dashboard.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { clickEach } from "../support/visitor-pages.ts";

const world = openWalks();

const Created = z.object({ id: z.string() });

async function create(path: string, body: object): Promise<string> {
  return Created.parse((await world.server.call("POST", path, { body })).body).id;
}

test(
  "a share keeps its URL when its title, its end and its password change",
  async () => {
    const { server } = world;
    const page = await world.newPage({ timezoneId: "UTC" });
    const linkId = await create("/links", { url: "https://example.com/shared", key: "shared" });
    const id = await create("/shares", { linkId, name: "For the agency", password: "open sesame" });
    const before = await server.call("GET", `/shares/${id}`);
    await page.goto(world.url(`/analytics?linkId=${linkId}`));
    await page.getByRole("button", { name: "Share analytics" }).click();
    const item = page.getByRole("listitem").filter({ hasText: "For the agency" });
    await item.getByRole("button", { name: "Edit" }).click();

    await item.getByLabel("Page title").fill("For the press");
    await item.getByLabel("Expires").fill("2099-12-31T18:00");
    await item.getByRole("switch", { name: "Ask for a password" }).click();
    const violations = await accessibilityErrorsOf(page);
    await item.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Share link updated").first().waitFor();
    await page.getByRole("listitem").filter({ hasText: "For the press" }).getByText("without a password").waitFor();

    const { body } = await server.call("GET", `/shares/${id}`);
    expect(body).toMatchObject({ name: "For the press", hasPassword: false, expiresAt: "2099-12-31T18:00:00.000Z" });
    expect(z.object({ url: z.string() }).parse(body)).toEqual(z.object({ url: z.string() }).parse(before.body));
    expect(violations).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "once a share is created, one button names the copying of its link, and each row copies with an icon",
  async () => {
    const page = await world.newPage();
    const linkId = await create("/links", { url: "https://example.com/once", key: "once" });
    await page.goto(world.url(`/links?share=${linkId}`));
    const dialog = page.getByRole("dialog", { name: "Share analytics" });

    await dialog.getByRole("button", { name: "Create share link" }).click();
    await dialog.getByRole("region", { name: "Share link created" }).waitFor();
    const named = await dialog.getByText("Copy link", { exact: true }).count();
    const inRow = await dialog.getByRole("listitem").getByRole("button", { name: "Copy link" }).count();
    await page.context().close();

    expect({ named, inRow }).toEqual({ named: 1, inRow: 1 });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "an owner makes a folder read-only for members, who see that and cannot change it",
  async () => {
    const { server } = world;
    const id = await create("/folders", { name: "Board" });
    await create("/folders", { name: "Everybody" });
    const owner = await world.newPage();
    await owner.goto(world.url("/links?manage=folders"));
    await owner.getByRole("button", { name: "Edit Board" }).click();
    await owner.getByRole("switch", { name: "Owners only" }).click();
    await owner.getByRole("button", { name: "Save changes" }).click();
    await owner.getByRole("img", { name: "Owners only" }).waitFor();

    const member = await world.newPage({}, await newPerson(server, "member"));
    await member.goto(world.url("/links?manage=folders"));
    await member.getByRole("img", { name: "Owners only" }).waitFor();
    const changeable = await member
      .getByRole("button", { name: /^Edit / })
      .evaluateAll((all) => all.map((each) => each.getAttribute("aria-label")));
    await member.getByRole("button", { name: "Edit Everybody" }).click();

    expect((await server.call("GET", `/folders/${id}`)).body).toMatchObject({ name: "Board", accessLevel: "read" });
    expect(changeable).toEqual(["Edit Everybody"]);
    expect(await member.getByRole("switch").count()).toBe(0);
    expect(await accessibilityErrorsOf(owner)).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "anyone with the URL and the password can read a folder's clicks until the share is revoked",
  async () => {
    const { server } = world;
    const folderId = await create("/folders", { name: "Spring" });
    await create("/links", { url: "https://example.com/inside", key: "inside", folderId });
    await create("/links", { url: "https://example.com/outside", key: "outside" });
    await clickEach(server, ["inside", "outside"]);
    const page = await world.newPage();
    await page.goto(world.url("/analytics"));
    await page.getByRole("button", { name: /^Clicks 2\b/ }).waitFor();

    await page.getByRole("button", { name: "Share analytics" }).click();
    await page.getByRole("button", { name: "Choose a folder" }).click();
    await page.getByRole("option", { name: "Spring" }).click();
    const dialog = page.getByRole("dialog", { name: "Share analytics" });
    await dialog.getByLabel("Password").fill("tulips");
    await dialog.getByRole("button", { name: "Create share link" }).click();
    const address = (await dialog.getByRole("link", { name: "Open page" }).getAttribute("href")) ?? "";
    const reader = await world.newPage({}, null);
    await reader.goto(address);
    await reader.getByLabel("Password").fill("tulips");
    await reader.getByRole("button", { name: "Open" }).click();
    await reader.getByRole("heading", { name: "Spring", level: 1 }).waitFor();
    await reader.getByRole("button", { name: /^Clicks 1\b/ }).waitFor();
    await reader.getByRole("button", { name: /\/inside\b/ }).waitFor();
    const text = await reader.getByRole("main").innerText();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByRole("button", { name: "Revoke permanently?" }).click();
    await dialog.getByText("Not shared yet.").waitFor();
    await reader.reload();

    await reader.getByRole("heading", { name: "This page doesn’t exist" }).waitFor();
    expect(text).toContain("Clicks of a folder");
    expect(text).not.toContain("outside");
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
