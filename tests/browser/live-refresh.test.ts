/** Lists that follow changes by other tabs and people. */
import { expect, test } from "bun:test";
import { newLink, openList, row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { eventually } from "../support/server.ts";

const world = openWalks();

const streamsOf = async () => {
  const text = await (await world.server.visit("/metrics")).text();
  return Number(/^waypost_change_streams (\d+)$/m.exec(text)?.[1]);
};
const untilStreams = (count: number) => eventually(streamsOf, (open) => open === count);

test(
  "a link that someone else creates appears in the open list, and a tag in its dialog",
  async () => {
    const { server } = world;
    const page = await world.newPage();
    await newLink(server, { url: "https://example.com/", key: "followed-1" });
    await openList(page, world.url("/links?search=followed-"), "1 link");
    await untilStreams(1);

    await newLink(server, { url: "https://example.com/", key: "followed-2" });
    await row(page, "followed-2").waitFor();
    await page.goto(world.url("/links?manage=tags"));
    await page.getByRole("dialog").waitFor();
    await untilStreams(1);
    await server.call("POST", "/tags", { body: { name: "From someone else" } });

    await page.getByRole("dialog").getByText("From someone else").waitFor();
    await page.close();
    await untilStreams(0);
  },
  walkMsMax,
);

test(
  "a change by someone else does not replace what a person has typed",
  async () => {
    const { server } = world;
    const page = await world.newPage();
    await page.goto(world.url("/settings"));
    const name = page.getByLabel("Workspace name", { exact: true });
    await name.fill("Typed by me");
    await untilStreams(1);

    await server.call("PATCH", "/workspaces/1", { body: { name: "Renamed by another" } });
    await page.getByRole("button", { name: /Renamed by another/ }).waitFor();

    expect(await name.inputValue()).toBe("Typed by me");
    await page.close();
    await untilStreams(0);
  },
  walkMsMax,
);

test(
  "a change of a domain by someone else does not replace what a person has typed",
  async () => {
    const { server } = world;
    await server.call("POST", "/domains", { body: { slug: "typed.example.com" } });
    const page = await world.newPage();
    await page.goto(world.url("/domains/typed.example.com?tab=settings"));
    const field = (label: string) => page.getByLabel(label);
    const follows = (label: string, value: string) =>
      eventually(
        () => field(label).inputValue(),
        (shown) => shown === value,
      );
    await field("Redirect unknown slugs to").fill("https://example.com/typed");
    // A field that has its stored value again is no longer typed.
    for (const text of ["https://example.com/undone", ""]) await field("Redirect expired links to").fill(text);
    await untilStreams(1);

    const body = { notFoundUrl: "https://example.com/other", expiredUrl: "https://example.com/expired" };
    await server.call("PATCH", "/domains/typed.example.com", { body });
    await follows("Redirect expired links to", "https://example.com/expired");
    const typed = await field("Redirect unknown slugs to").inputValue();
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved.").first().waitFor();
    const { body: saved } = await server.call("GET", "/domains/typed.example.com");
    await page.getByRole("tab", { name: "Apps" }).click();
    await field("Served at /.well-known/assetlinks.json").fill("[]");
    const files = { assetLinks: '["other"]', appleAppSiteAssociation: '{"other":1}' };
    await server.call("PATCH", "/domains/typed.example.com", { body: files });
    await follows("Served at /.well-known/apple-app-site-association", files.appleAppSiteAssociation);
    const typedFile = await field("Served at /.well-known/assetlinks.json").inputValue();

    expect({ typed, typedFile }).toEqual({ typed: "https://example.com/typed", typedFile: "[]" });
    expect(saved).toMatchObject({
      notFoundUrl: "https://example.com/typed",
      expiredUrl: "https://example.com/expired",
    });
    await page.close();
    await untilStreams(0);
  },
  walkMsMax,
);
