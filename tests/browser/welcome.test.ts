/** The first run, when its page is left and opened again. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { type DashboardWorld, openDashboardWorld, worldStartMsMax } from "../support/dashboard.ts";
import { browser as person } from "../support/server.ts";

const walkMsMax = 60_000;

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
}, worldStartMsMax);
afterAll(() => world.close());

test(
  "the first click is still there when the page is loaded again",
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
    expect(world.complaints).toEqual([]);
  },
  walkMsMax,
);
