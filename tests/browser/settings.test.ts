/** Settings and the first run in a real browser. All tests share one server and one browser; each has its own users. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { accessibilityErrorsOf, newPerson, ownerSignIn } from "../support/dashboard.ts";
import { row } from "../support/link-list.ts";
import { openWalks, walkMsMax } from "../support/open-walks.ts";
import { eventually, ownerKey, startServer } from "../support/server.ts";
import { finalUrl } from "../support/visitor-pages.ts";

const world = openWalks();

const Numbered = z.object({ id: z.number() });
const Counted = z.object({ clicks: z.number() });
const Listed = z.array(z.object({ id: z.string(), key: z.string(), shortLink: z.string() }));

test(
  "an invited viewer joins with the link, and cannot change anything until an owner changes their role",
  async () => {
    const { page, server } = world;
    await page.goto(world.url("/settings/members"));
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByRole("dialog").getByText("this service can’t send e-mail").waitFor();
    await page.getByRole("dialog").getByLabel("Role").selectOption("viewer");
    await page.getByRole("button", { name: "Create invitation" }).click();
    const link = await page.getByLabel("Invitation link").innerText();
    const focused = await page.locator(":focus").innerText();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Close anyway" }).click();

    const viewerPage = await world.newPage({}, null);
    await viewerPage.goto(`${server.url}${new URL(link).pathname}`);
    const signInErrors = await accessibilityErrorsOf(viewerPage);
    await viewerPage.getByLabel("Your name").fill("Vera");
    await viewerPage.getByLabel("E-mail").fill("vera@example.com");
    await viewerPage.getByLabel("Password").fill("a password of hers");
    await viewerPage.getByRole("button", { name: "Join" }).click();
    await viewerPage.waitForURL(/\/app\/w\/1\//);
    await viewerPage.goto(world.url("/settings"));
    await viewerPage.getByText("You can view everything in this workspace").waitFor();
    const isNameEnabled = await viewerPage.getByLabel("Workspace name").isEnabled();
    await viewerPage.goto(world.url("/settings/members"));
    await viewerPage.getByText("vera@example.com").waitFor();
    const roles = await viewerPage.getByRole("combobox").count();
    await viewerPage.goto(world.url("/domains"));
    await viewerPage.getByRole("link", { name: "localhost" }).waitFor();
    const additions = await viewerPage.getByRole("button", { name: "Add domain" }).count();
    await viewerPage.goto(world.url("/settings/keys"));
    await viewerPage.getByText("Only members and owners can create keys.").waitFor();
    const keys = await viewerPage.getByRole("button", { name: "Create key" }).count();

    expect(focused).toBe("Copy link");
    expect({ signInErrors, isNameEnabled, roles, additions, keys }).toEqual({
      signInErrors: [],
      isNameEnabled: false,
      roles: 0,
      additions: 0,
      keys: 0,
    });
    await page.reload();
    await page.getByText("vera@example.com").waitFor();
    await page.getByLabel("Role of Vera").selectOption("member");
    await page.getByText("Vera’s role is now Member.").first().waitFor();
    await viewerPage.reload();
    await viewerPage.getByRole("button", { name: "Create key" }).first().waitFor();
  },
  walkMsMax,
);

test(
  "an API key is shown once, with a command that works, and is refused after its revocation",
  async () => {
    const { page } = world;
    await page.goto(world.url("/settings/keys"));
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Name").fill("Reports");
    await page.getByRole("button", { name: "Read-only" }).click();
    await page.getByRole("button", { name: "Create" }).click();
    const command = await page.getByLabel("Try it").innerText();
    const call = async () => {
      const curl = Bun.spawn(["sh", "-c", command.replace("curl", "curl -s -w ' %{http_code}'")], { stdout: "pipe" });
      return (await curl.stdout.text()).slice(-3);
    };
    const before = await call();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Close anyway" }).click();
    await page.getByRole("button", { name: "Actions for Reports" }).click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Reports was revoked.").first().waitFor();

    expect({ before, after: await call(), shown: await page.getByText(/wp_\w{30}/).count() }).toEqual({
      before: "200",
      after: "401",
      shown: 0,
    });
  },
  walkMsMax,
);

test(
  "a dialog with a new key asks before it closes, unless the key was copied",
  async () => {
    const page = await world.newPage({ permissions: ["clipboard-read", "clipboard-write"] });
    const dialog = page.getByRole("dialog", { name: "API key created" });
    const create = async (name: string) => {
      await page.goto(world.url("/settings/keys?add=true"));
      await page.getByLabel("Name").fill(name);
      await page.getByRole("button", { name: "Create" }).click();
      await dialog.waitFor();
    };

    await create("Copied by key");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Go back" }).click();
    const key = await page.getByLabel("API key", { exact: true }).innerText();
    const errors = await accessibilityErrorsOf(page);
    await page.getByRole("button", { name: "Copy key" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const copied = await page.evaluate("navigator.clipboard.readText()");
    await create("Copied in a command");
    await page.getByRole("button", { name: "Copy command" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });

    expect(copied).toBe(key);
    expect(errors).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);

test(
  "an API key works in one workspace or in all, and the owners of each can see and revoke it",
  async () => {
    const { page, server } = world;
    const ann = await newPerson(server);
    const made = await server.call("POST", "/workspaces", { key: await ann.dashboard.token(), body: { name: "Hers" } });
    const { id } = Numbered.parse(made.body);
    const annPage = await world.newPage({}, ann);
    const create = async (name: string, isForAll: boolean) => {
      await annPage.goto(`${server.url}/app/w/${id}/settings/keys?add=true`);
      await annPage.getByLabel("Name").fill(name);
      if (isForAll) await annPage.getByRole("switch", { name: "All workspaces" }).click();
      await annPage.getByRole("button", { name: "Create" }).click();
      return await annPage.getByLabel("API key", { exact: true }).innerText();
    };
    const keys = { bound: await create("Bound", false), everywhere: await create("Everywhere", true) };
    const status = async (key: string) => (await server.call("GET", "/links?workspaceId=1", { key })).status;
    const before = { bound: await status(keys.bound), everywhere: await status(keys.everywhere) };

    await page.goto(world.url("/settings/keys"));
    const listed = page.getByRole("listitem").filter({ hasText: "Everywhere" });
    await listed.getByText("All workspaces").waitFor();
    await listed.getByText("by Ann").waitFor();
    const bound = await page.getByText("Bound", { exact: true }).count();
    await page.getByRole("button", { name: "Actions for Everywhere" }).click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await page.getByText("Apps using this key will stop working, in every workspace").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Everywhere was revoked.").first().waitFor();

    expect({ before, bound, after: await status(keys.everywhere) }).toEqual({
      before: { bound: 403, everywhere: 200 },
      bound: 0,
      after: 401,
    });
  },
  walkMsMax,
);

test(
  "a UTM template is created, changed and deleted",
  async () => {
    const { page } = world;
    await page.goto(world.url("/settings/utm-templates"));
    await page.getByRole("button", { name: "Create template" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Newsletter");
    await page.getByLabel("Source").fill("newsletter");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("utm_source=newsletter").waitFor();
    await page.getByRole("button", { name: "Actions for Newsletter" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("Source").fill("");
    await page.getByLabel("Medium").fill("email");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("utm_medium=email").waitFor();
    const sources = await page.getByText("utm_source").count();
    await page.getByRole("button", { name: "Actions for Newsletter" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();

    await page.getByText("No templates yet").waitFor();
    expect(sources).toBe(0);
  },
  walkMsMax,
);

test(
  "a user ends their other sessions, and theme and language change at once",
  async () => {
    const own = await newPerson(world.server, "member");
    const page = await world.newPage({}, own);
    await page.goto(world.url("/account/security"));
    await page.getByText("This browser").waitFor();
    await page.getByRole("button", { name: "Sign out everywhere else" }).click();
    await page.getByText("One other session was ended.").first().waitFor();
    await page.goto(world.url("/account/theme"));
    await page.getByRole("button", { name: "Dark" }).click();
    await page.locator("html[data-theme=dark]").waitFor();
    await page.getByRole("button", { name: "Light" }).click();
    await page.locator("html[data-theme=light]").waitFor();
    await page.getByRole("button", { name: "Deutsch" }).click();
    await page.getByRole("heading", { name: "Einstellungen" }).waitFor();
    await page.reload();

    await page.getByRole("heading", { name: "Sprache" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    expect((await own.dashboard.send("POST", "/token")).status).toBe(401);
  },
  walkMsMax,
);

test(
  "a retention that is being typed stays when another person changes it",
  async () => {
    const { page, server } = world;
    await page.goto(world.url("/settings"));
    await page.getByLabel("Keep clicks for").selectOption("other");
    await page.getByRole("spinbutton").fill("400");
    await server.call("PATCH", "/workspaces/1", { body: { clickRetentionDays: 3_650 } });
    // The page reads the workspace again after it has saved the name.
    const refetched = page.waitForResponse(
      (response) => response.request().method() === "GET" && new URL(response.url()).pathname === "/v1/workspaces/1",
    );
    await page.getByLabel("Workspace name").fill("Renamed");
    await page.getByRole("button", { name: "Save changes" }).first().click();
    const after: unknown = await (await refetched).json();
    await page.getByText("Saved.").first().waitFor();

    const typed = await page.getByRole("spinbutton").inputValue();
    await server.call("PATCH", "/workspaces/1", { body: { clickRetentionDays: null } });

    expect(after).toMatchObject({ clickRetentionDays: 3_650, name: "Renamed" });
    expect(typed).toBe("400");
  },
  walkMsMax,
);

test.each([1024, 1280, 1700])(
  "at %i pixels the title is at the same position on every page",
  async (width) => {
    const page = await world.newPage({ viewport: { width, height: 800 } });
    const positions: Record<string, unknown> = {};
    for (const path of ["/links", "/analytics", "/domains", "/settings", "/account"]) {
      await page.goto(world.url(path));
      const title = page.getByRole("heading", { level: 1 });
      await title.waitFor();
      const { x = 0, y = 0, height = 0 } = (await title.boundingBox()) ?? {};
      positions[path] = [x, y + height / 2];
    }

    const [first, ...others] = Object.values(positions);
    expect(others).toEqual(others.map(() => first));
  },
  walkMsMax,
);

test(
  "the first run leads from the set-up link to the first click without a reload",
  async () => {
    const server = await startServer({ WAYPOST_BOOTSTRAP_EMAIL: "", WAYPOST_BOOTSTRAP_PASSWORD: "" });
    const shop = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("Spring sale") });
    const context = await world.browser.newContext({ reducedMotion: "reduce" });
    try {
      // Printed after the line that says the server is ready.
      const setUpPath = () => Promise.resolve(/https?:\/\/\S+(\/app\/setup\/\S+)\n/.exec(server.output())?.[1]);
      const setUp = await eventually(setUpPath, (path) => path !== undefined);
      const page = await context.newPage();
      await page.goto(`${server.url}/`);
      await page.getByRole("heading", { name: "Set up Waypost" }).waitFor();
      const errors = await accessibilityErrorsOf(page);
      await page.goto(`${server.url}${setUp}`);
      errors.push(...(await accessibilityErrorsOf(page)));
      await page.getByRole("button", { name: "Save and sign in" }).click();
      await page.getByRole("alert").waitFor();
      expect(await page.getByLabel("E-mail").getAttribute("aria-invalid")).toBe("true");
      await page.getByLabel("Your name").fill("Ann Lee");
      await page.getByLabel("E-mail").fill(ownerSignIn.email);
      await page.getByLabel("Password").fill(ownerSignIn.password);
      await page.getByRole("button", { name: "Save and sign in" }).click();
      await page.getByLabel("Destination").fill(`${shop.url}spring`);
      await page.getByLabel("Slug").fill("spring");
      await page.getByRole("button", { name: "Create link" }).click();
      await page.getByText("Waiting for the first click").waitFor();
      await page.getByRole("img", { name: /QR code for/ }).waitFor();
      await page.getByRole("button", { name: "Create API key" }).click();
      await page.getByText("The command contains the key").waitFor();
      const command = await page.getByLabel("Use the API").locator("pre").innerText();
      const curl = Bun.spawn(["sh", "-c", command.replace("curl", "curl -s -o /dev/null -w '%{http_code}'")], {
        stdout: "pipe",
      });
      const curlStatus = await curl.stdout.text();
      const { body } = await server.call("GET", "/links", { key: ownerKey });
      const links = Listed.parse(body);
      const first = links.find(({ id }) => page.url().includes(id));
      const reached = await finalUrl(world.browser, first?.shortLink ?? "");

      await page.getByText("Your first click is here").waitFor();
      await page.getByText("Firefox on Linux").waitFor();
      expect(await page.getByRole("listitem").filter({ hasText: "See the click" }).getByLabel("Done").count()).toBe(1);
      // The list shows the link's counter; this page shows clicks of the store.
      const counted = async () => Counted.parse((await server.call("GET", `/links/${first?.id}`)).body).clicks;
      await eventually(counted, (clicks) => clicks === 1);
      await page.getByRole("button", { name: "Go to links" }).click();
      await row(page, "spring").getByRole("link", { name: "1 click, show analytics" }).waitFor();
      expect({ errors, curlStatus, reached }).toEqual({ errors: [], curlStatus: "200", reached: `${shop.url}spring` });
      expect(links.filter(({ key }) => key !== "_root")).toHaveLength(1);
    } finally {
      await context.close();
      await shop.stop(true);
      await server.remove();
    }
  },
  walkMsMax,
);

test("no page had errors or requests to other hosts", () => {
  expect(world.pageErrors).toEqual([]);
});

test(
  "a changed e-mail address is shown as unverified, with advice for servers without mail",
  async () => {
    const { server } = world;
    const person = await newPerson(server);
    const page = await world.newPage({}, person);
    await page.goto(world.url("/account"));
    const email = page.getByRole("textbox", { name: "E-mail" });

    const address = `${crypto.randomUUID()}@example.com`;
    await email.fill(address);
    await page.getByLabel("Current password").fill(person.password);
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("the link couldn’t be sent").first().waitFor();
    await page.getByRole("button", { name: "Send new link" }).click();
    await page.getByText("This service does not send e-mail").first().waitFor();

    const hint = await page.getByText("It isn’t verified yet").allInnerTexts();
    expect(hint).toEqual([expect.stringContaining(`waypost user verify --email ${address}`)]);
    expect(await accessibilityErrorsOf(page)).toEqual([]);
    expect(world.pageErrors).toEqual([]);
  },
  walkMsMax,
);
