/** The page of the first run, and the example that it offers. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { browser as person } from "../support/server.ts";

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
  "the URL of a workspace without a page leads to its first run, and once it has a link to its links",
  async () => {
    const page = await world.newPage();
    const { body } = await world.server.call("POST", "/workspaces", { body: { name: "Bare" } });
    const { id } = z.object({ id: z.number() }).parse(body);
    const bare = `${world.server.url}/app/w/${id}`;
    await page.goto(bare);
    await page.getByRole("heading", { name: "Welcome to Waypost" }).waitFor();
    await page.getByLabel("Destination").fill("https://example.com/");
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByText("Your link is ready").waitFor();

    await page.goto(bare);

    await page.getByRole("heading", { name: "Links", level: 1 }).waitFor();
    await page.context().close();
    expect(page.url()).toBe(`${bare}/links`);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "the analytics of an example are a placeholder until all its clicks are there",
  async () => {
    const page = await world.newPage();
    const { promise: filled, resolve: fill } = Promise.withResolvers<void>();
    await page.goto(world.url("/welcome"));
    const explore = page.getByRole("button", { name: "Explore an example" });
    await explore.waitFor();
    await page.route("**/v1/user/example-workspace", async (route) => {
      if (route.request().method() === "GET") await filled;
      await route.continue();
    });
    await explore.click();
    await page.getByText("Adding links and a year of clicks").waitFor();
    await page.getByRole("heading", { name: "Analytics", level: 1 }).waitFor();
    await page.locator("main [data-skeleton]").waitFor();
    const reports = await page.getByRole("button", { name: /^Clicks/ }).count();

    fill();

    await page.getByRole("button", { name: /^Clicks [1-9]/ }).waitFor();
    await page.context().close();
    expect(reports).toBe(0);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "a refused first link leaves the focus on its destination",
  async () => {
    const page = await world.newPage();
    const { body } = await world.server.call("POST", "/workspaces", { body: { name: "Refused" } });
    const { id } = z.object({ id: z.number() }).parse(body);
    await page.goto(`${world.server.url}/app/w/${id}/welcome`);
    const destination = page.getByLabel("Destination");

    await destination.fill("not a url");
    await page.getByRole("button", { name: "Create link" }).click();

    await page.getByText("Must be a full URL").waitFor();
    await destination.and(page.locator(":focus")).waitFor();
    await page.context().close();
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
