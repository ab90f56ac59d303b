/** The page of the first run, after a reload. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { accessibilityErrorsOf } from "../support/dashboard.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { eventually, browser as person } from "../support/server.ts";

const world = openWalks();

test(
  "the first click is still shown after a reload",
  async () => {
    const { page, server } = world;
    const { body } = await server.call("POST", "/links", { body: { url: "https://example.com/", key: "first" } });
    const { id } = z.object({ id: z.string() }).parse(body);
    await page.goto(world.url(`/welcome?link=${id}`));
    await page.getByText("Waiting for the first click").waitFor();
    await server.visit("/first", { headers: person });
    await page.getByText(/Firefox on/).waitFor();

    await page.reload();

    await page.getByText(/Firefox on/).waitFor();
    expect(await page.getByText(/Firefox on/).count()).toBe(1);
    expect(await page.getByText("Waiting for the first click").count()).toBe(0);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the step of a visit is ticked when the link is opened, and both steps when its click arrives",
  async () => {
    const page = await world.newPage();
    const { body } = await world.server.call("POST", "/links", {
      body: { url: "https://example.com/", key: "ticked" },
    });
    const { id } = z.object({ id: z.string() }).parse(body);
    await page.goto(world.url(`/welcome?link=${id}`));
    const done = page.getByRole("listitem").getByLabel("Done");
    await page.getByText("Waiting for the first click").waitFor();
    const before = await done.count();

    await world.server.visit("/ticked", { headers: person });
    await page.getByText("Your first click is here").waitFor();

    expect([before, await done.count()]).toEqual([1, 3]);
    expect(await page.getByRole("button", { name: "Skip setup" }).count()).toBe(0);
  },
  walkMsMax,
);

test(
  "an example with a year of clicks can be explored, and removed with one click",
  async () => {
    const page = await world.newPage();
    await page.goto(world.url("/welcome"));
    await page.getByRole("button", { name: "Explore an example" }).click();
    await page.getByText("Example data: invented links and a year of clicks.").waitFor({ timeout: walkMsMax / 2 });
    const errors = await accessibilityErrorsOf(page);
    await page.getByRole("link", { name: "Analytics" }).first().click();
    const total = page.getByRole("button", { name: /^Clicks \d/ });
    await page.getByRole("button", { name: /^Period/ }).click();
    await page.getByRole("button", { name: "Last 12 months" }).click();
    const clicks = await eventually(
      async () => Number((await total.innerText()).split("\n")[1]?.replaceAll(",", "")),
      (count) => count > 30_000,
    );

    await page.getByRole("button", { name: "Remove example" }).click();

    await page.getByText("Example data").waitFor({ state: "detached" });
    const { body } = await world.server.call("GET", "/workspaces");
    expect(clicks).toBeLessThanOrEqual(50_000);
    expect(errors).toEqual([]);
    expect(body).toMatchObject({ workspaces: [{ id: 1 }] });
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
