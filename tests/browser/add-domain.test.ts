/** Adding a domain by what the address bar of a browser has, in a real browser. */
import { expect, test } from "bun:test";
import { openWalks, walkMsMax } from "../support/open-walks.ts";

const world = openWalks();

test(
  "an address that is pasted as the name of a domain is taken for its host",
  async () => {
    const page = await world.newPage({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(world.url("/domains?add=true"));
    const field = page.getByRole("dialog").getByLabel("Domain");
    await field.waitFor();
    await page.evaluate("navigator.clipboard.writeText('https://go.example.org/')");
    await field.focus();
    await page.keyboard.press("Control+v");
    await page.getByRole("dialog").getByRole("button", { name: "Add domain" }).click();

    await page.getByRole("heading", { name: "go.example.org" }).waitFor();
    const { body } = await world.server.call("GET", "/domains?search=go.example.org");
    expect(body).toMatchObject([{ slug: "go.example.org" }]);
    expect(world.complaints).toEqual([]);
  },
  walkMsMax,
);
