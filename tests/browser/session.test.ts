/** An open dashboard when its session, its token, a script or the user changes. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { newPerson, ownerSignIn } from "../support/dashboard.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { ownerKey } from "../support/server.ts";

const world = openWalks();

test(
  "signing in after the end of another user's session shows no data of that user",
  async () => {
    const ann = await newPerson(world.server);
    const page = await world.newPage({}, ann);
    await page.goto(world.url("/settings"));
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByText(ann.email).waitFor();
    await page.keyboard.press("Escape");
    const headers = { Authorization: `Bearer ${await ann.dashboard.token()}` };
    await fetch(`${world.server.url}/v1/user/sessions/others`, { method: "DELETE", headers });

    await page.getByRole("link", { name: "Members" }).click();
    await page.getByLabel("E-mail").fill(ownerSignIn.email);
    await page.getByLabel("Password").fill(ownerSignIn.password);
    await page.getByRole("button", { name: "Sign in" }).click();

    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menu").getByText(ownerSignIn.email).waitFor();
    expect(await page.getByRole("menu").getByText(ann.email).count()).toBe(0);
  },
  walkMsMax,
);

test(
  "after a second tab signs in as another user, the first tab shows no data of its former user",
  async () => {
    const ann = await newPerson(world.server);
    const page = await world.newPage({}, ann);
    await page.goto(world.url("/account"));
    await page.getByRole("textbox", { name: "Name" }).waitFor();
    const headers = { Origin: world.server.url };
    await page.context().request.post(`${world.server.url}/app/session`, { data: ownerSignIn, headers });
    // Ann's token stays valid until it expires, so the test refuses it in the page's next call.
    const reloaded = page.waitForEvent("load");
    await page.route("**/v1/**", (route) => route.fulfill({ status: 401, json: {} }), { times: 1 });

    await page.getByRole("link", { name: "Members" }).click();
    await reloaded;

    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menu").getByText(ownerSignIn.email).waitFor();
    expect(await page.getByRole("menu").getByText(ann.email).count()).toBe(0);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "concurrent calls with a refused token fetch one new token together",
  async () => {
    const page = await world.newPage();
    await page.goto(world.url("/domains"));
    await page.getByRole("link", { name: "localhost" }).waitFor();
    let tokensFetched = 0;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === "/app/token") tokensFetched += 1;
    });
    let refused: string | undefined;
    let first: Promise<unknown> | undefined;
    // The test refuses the other calls only after the first one has fetched a new token.
    await page.route("**/v1/**", async (route) => {
      const token = route.request().headers()["authorization"];
      refused ??= token;
      if (token !== refused) return await route.continue();
      if (first === undefined) first = page.waitForResponse("**/app/token").then((response) => response.finished());
      else await first;
      await route.fulfill({ status: 401, json: { error: { code: "unauthorized", message: "The token has ended." } } });
    });
    await page.getByRole("link", { name: "Analytics" }).click();
    await page.getByText("No clicks yet").waitFor();

    expect(tokensFetched).toBe(1);
  },
  walkMsMax,
);

test(
  "a change of the workspace clears the selection of links",
  async () => {
    const { page, server } = world;
    await server.call("POST", "/links", { body: { url: "https://example.com/", key: "chosen" } });
    const { body } = await server.call("POST", "/workspaces", { key: ownerKey, body: { name: "Second" } });
    const { id } = z.object({ id: z.number() }).parse(body);
    await page.goto(world.url("/links"));
    await page.getByRole("checkbox", { name: /chosen/ }).check({ force: true });
    await page.getByText("1 selected").waitFor();

    await page.getByRole("button", { name: /^Switch workspace/ }).click();
    await page.getByRole("menuitem", { name: "Second" }).click();
    await page.waitForURL(`**/w/${id}/links`);
    await page.getByRole("button", { name: "Switch workspace: Second" }).waitFor();

    expect(await page.getByText("1 selected").count()).toBe(0);
  },
  walkMsMax,
);

test(
  "a page whose script failed to load works after a reload",
  async () => {
    const page = await world.newPage();
    const loaded = new Set<string>();
    page.on("requestfinished", (request) => loaded.add(request.url()));
    await page.goto(world.url("/settings"));
    await page.getByLabel("Workspace name").waitFor();
    await page.route("**/*.js", (route) => (loaded.has(route.request().url()) ? route.continue() : route.abort()));
    await page.getByRole("link", { name: "Domains" }).click();
    await page.getByText("This page couldn’t be shown").waitFor();

    await page.unroute("**/*.js");
    await page.getByRole("button", { name: "Reload" }).click();

    await page.getByRole("heading", { name: "Domains" }).waitFor();
  },
  walkMsMax,
);

test(
  "a failed sign-out is reported, and the session continues",
  async () => {
    const page = await world.newPage();
    await page.goto(world.url("/settings"));
    await page.route("**/app/session", (route) => route.abort());
    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();

    await page.getByText("Waypost can’t be reached").first().waitFor();
    expect(page.url()).toBe(world.url("/settings"));
  },
  walkMsMax,
);
