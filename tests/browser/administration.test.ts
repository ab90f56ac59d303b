/** The administration of the instance in the dashboard. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type DashboardWorld, newPerson, openDashboardWorld } from "../support/dashboard.ts";
import { addIdentity } from "../support/identities.ts";
import { withDatabase } from "../support/server-database.ts";
import { newTenant, operate, type Tenant } from "../support/tenants.ts";

let world: DashboardWorld;
let tenant: Tenant;
beforeAll(async () => {
  world = await openDashboardWorld();
  tenant = await newTenant(world.server);
  await operate(world.server, "user administrator", { user: "owner@example.com", isAdministrator: true });
}, 120_000);
afterAll(() => world.close());

/** Waits until the list of users is searched: before, the row of the unsearched list would be replaced. */
async function searched(): Promise<void> {
  const owner = world.page.getByRole("listitem").filter({ hasText: "owner@example.com" });
  await owner.waitFor({ state: "detached" });
}

test("an administrator finds a user and disables the account", async () => {
  const { page, url } = world;
  await page.goto(url("/administration/users"));
  await page.getByRole("searchbox").fill(tenant.email);
  await searched();
  const row = page.getByRole("listitem").filter({ hasText: tenant.email });

  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Disable account" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable account" }).click();

  await row.getByText("Disabled", { exact: true }).waitFor();
  expect((await world.server.call("GET", "/workspaces", { key: tenant.apiKey })).status).toBe(401);
  expect(world.pageErrors).toEqual([]);
}, 60_000);

test("an administrator disconnects the provider that signs a user in", async () => {
  const { page, url } = world;
  const person = await newTenant(world.server);
  await withDatabase(world.server, async ({ db }) => {
    const { id: userId } = await db
      .selectFrom("users")
      .select("id")
      .where("email", "=", person.email)
      .executeTakeFirstOrThrow();
    await addIdentity(db, userId, "ann@id.example.com");
  });
  await page.goto(url("/administration/users"));
  await page.getByRole("searchbox").fill(person.email);
  await searched();
  const row = page.getByRole("listitem").filter({ hasText: person.email });
  const menu = row.getByRole("button", { name: /^Actions for/ });

  await menu.click();
  await page.getByRole("menuitem", { name: "Disconnect single sign-on" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("ann@id.example.com").waitFor();
  await dialog.getByRole("button", { name: "Disconnect single sign-on" }).click();

  await page.getByText(/^Single sign-on of .* was disconnected\.$/).waitFor();
  await menu.click();
  await page.getByRole("menuitem", { name: "Sign out everywhere" }).waitFor();
  // The list of users is read again after the message has appeared.
  await page.getByRole("menuitem", { name: "Disconnect single sign-on" }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  expect(world.pageErrors).toEqual([]);
}, 60_000);

test("an administrator blocks a host and ends the block", async () => {
  const { page, url } = world;
  await page.goto(url("/administration/blocks"));
  await page.getByRole("button", { name: "Block a link or host" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("What").selectOption("host");
  await dialog.getByLabel("Link or host").fill("evil.example");
  await dialog.getByLabel("Reason").fill("Malware");
  await dialog.getByRole("button", { name: "Block", exact: true }).click();

  await page.getByRole("button", { name: "Unblock evil.example" }).click();

  await page.getByText("Nothing is blocked.").waitFor();
  expect(world.pageErrors).toEqual([]);
}, 60_000);

test("an administrator blocks a user and undoes it", async () => {
  const { page, url } = world;
  const blocked = await newTenant(world.server);
  await page.goto(url("/administration/users"));
  await page.getByRole("searchbox").fill(blocked.email);
  await searched();
  const row = page.getByRole("listitem").filter({ hasText: blocked.email });

  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Block", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill("Spam");
  await page.getByRole("dialog").getByRole("button", { name: "Block", exact: true }).click();
  await row.getByText("Blocked", { exact: true }).waitFor();
  expect((await world.server.call("GET", "/links", { key: blocked.apiKey })).status).toBe(403);
  await page.getByRole("button", { name: "Undo" }).click();

  await row.getByText("Blocked", { exact: true }).waitFor({ state: "detached" });
  expect((await world.server.call("GET", "/links", { key: blocked.apiKey })).status).toBe(200);
  expect(world.pageErrors).toEqual([]);
}, 60_000);

test("an account that is blocked and disabled shows both, and can be enabled and unblocked", async () => {
  const { page, url } = world;
  const { email, userId } = await newTenant(world.server);
  await operate(world.server, "block", { kind: "user", target: userId, reason: "Spam" });
  await operate(world.server, "user disable", { user: userId });
  await page.goto(url("/administration/users"));
  await page.getByRole("searchbox").fill(email);
  await searched();
  const row = page.getByRole("listitem").filter({ hasText: email });
  await row.getByText("Blocked", { exact: true }).waitFor();
  await row.getByText("Disabled", { exact: true }).waitFor();

  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Enable account" }).click();
  await row.getByText("Disabled", { exact: true }).waitFor({ state: "detached" });
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Unblock" }).click();

  await row.getByText("Blocked", { exact: true }).waitFor({ state: "detached" });
  expect(world.pageErrors).toEqual([]);
}, 60_000);

test("an administrator reads what to do where others are told to ask the operator", async () => {
  const { page, server, url } = world;
  const { body } = await server.call("POST", "/workspaces", { body: { name: "Blocked" } });
  const id = String(Object(body).id);
  await operate(server, "block", { kind: "workspace", target: id, reason: "Phishing" });
  const member = await world.newPage({}, await newPerson(server, "member"));

  await page.goto(url("/account/notifications"));
  await page.getByText("Turn it on with WAYPOST_SMTP_URL.").waitFor();
  await member.goto(url("/account/notifications"));
  await member.getByText("Its operator can turn it on").waitFor();
  await page.goto(`${server.url}/app/w/${id}/links`);
  await page.getByRole("link", { name: "See the reason in Administration" }).click();
  await page.getByText("Phishing").waitFor();
  await page.getByRole("button", { name: /^Unblock/ }).click();
  await page.getByText("Nothing is blocked.").waitFor();

  expect((await server.call("DELETE", `/workspaces/${id}?confirm=Blocked`)).status).toBe(200);
  expect(world.pageErrors).toEqual([]);
}, 60_000);

test("on a phone, the selected settings page is in view in the navigation", async () => {
  const page = await world.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(world.url("/administration/blocks"));
  const current = page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Blocks" });
  await current.waitFor();

  await page.waitForFunction(`(() => {
    const box = document.querySelector("[data-scrolls-sideways] [aria-current]")?.getBoundingClientRect();
    return box !== undefined && box.left >= 0 && box.right <= innerWidth;
  })()`);

  expect(world.pageErrors).toEqual([]);
}, 60_000);

test("on the pages of the account and the administration, the main navigation marks the settings", async () => {
  const { page, url } = world;
  const settings = page
    .getByRole("navigation", { name: "Main navigation" })
    .getByRole("link", { name: "Settings", exact: true });
  const marks: (string | null)[] = [];

  for (const path of ["/administration/users", "/account/security", "/links"]) {
    await page.goto(url(path));
    marks.push(await settings.getAttribute("aria-current"));
  }

  expect(marks).toEqual(["page", "page", null]);
}, 60_000);

test("an account is only deleted after its data was saved and the deletion was confirmed", async () => {
  const ann = await newPerson(world.server);
  const page = await world.newPage({}, ann);
  await page.goto(world.url("/account"));
  await page.getByRole("button", { name: "Delete account" }).click();
  const dialog = page.getByRole("dialog");

  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save data" }).click();
  expect((await download).suggestedFilename()).toBe("waypost-account.json");
  await dialog.getByText("Saved as waypost-account.json.", { exact: false }).waitFor();
  expect((await ann.dashboard.send("POST", "/token")).status).toBe(200);
  await dialog.getByLabel("Your e-mail, to confirm").fill(ann.email);
  await dialog.getByLabel("Current password").fill(ann.password);
  await dialog.getByRole("button", { name: "Delete account" }).click();

  await page.waitForURL(/\/sign-in/);
  expect((await ann.dashboard.send("POST", "/token")).status).toBe(401);
  expect(world.pageErrors).toEqual([]);
}, 60_000);

test("an administrator deletes an account after its data was saved", async () => {
  const { page, url } = world;
  const { email } = await newPerson(world.server);
  await page.goto(url("/administration/users"));
  await page.getByRole("searchbox").fill(email);
  await searched();
  const row = page.getByRole("listitem").filter({ hasText: email });
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Delete account" }).click();
  const dialog = page.getByRole("dialog");

  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save data" }).click();
  await download;
  await dialog.getByLabel(`Type ${email} to confirm`).fill(email);
  await dialog.getByRole("button", { name: "Delete account" }).click();

  await row.waitFor({ state: "detached" });
  expect(world.pageErrors).toEqual([]);
}, 60_000);

test("an administrator limits a workspace, whose settings show it", async () => {
  const { page, url } = world;
  await page.goto(url("/administration/workspaces"));
  const row = page.getByRole("listitem").filter({ hasText: "owner@example.com" });
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Limits" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Links", { exact: true }).fill("20");
  await dialog.getByRole("checkbox", { name: "Domains: unlimited" }).click();
  await dialog.getByLabel("Click retention", { exact: true }).fill("730");
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await dialog.waitFor({ state: "detached" });

  await page.goto(url("/settings"));

  await page.getByText("0 of 20").waitFor();
  await page.getByText("730 days").first().waitFor();
  expect(world.pageErrors).toEqual([]);
}, 60_000);

test("an administrator removes the one-time codes of a user", async () => {
  const { page, url, server } = world;
  const { email } = await newPerson(server);
  await withDatabase(server, async ({ db }) => {
    const { id: userId } = await db
      .selectFrom("users")
      .select("id")
      .where("email", "=", email)
      .executeTakeFirstOrThrow();
    await db.insertInto("oneTimeCodes").values({ userId, sealedSecret: "", lastStep: 0, confirmedAt: 1 }).execute();
  });
  await page.goto(url("/administration/users"));
  await page.getByText("People with an invitation can create an account.").waitFor();
  await page.getByRole("searchbox").fill(email);
  await searched();
  const row = page.getByRole("listitem").filter({ hasText: email });
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Remove second factors" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove second factors" }).click();

  await page.getByText("The second factors of Ann were removed.").first().waitFor();
  expect(world.pageErrors).toEqual([]);
}, 60_000);

test("an administrator sees which node leads, and that clicks wait on one that died", async () => {
  const { page, url } = world;
  await page.goto(url("/administration/nodes"));
  await page.getByText("This service runs on one node.").waitFor();
  await withDatabase(world.server, async ({ db }) => {
    const node = { version: "1.0.0", state: "running", copyAt: 1 } as const;
    await db
      .insertInto("nodes")
      .values([
        // Neither becomes silent during the test.
        { ...node, id: "node-one", host: "one.internal", seenAt: Date.now() + 3_600_000 },
        { ...node, id: "node-two", host: "two.internal", seenAt: 1 },
      ])
      .execute();
    const read = { stored: 100, counted: 100 };
    await db
      .insertInto("nodeSpools")
      .values([
        { ...read, nodeId: "node-one", spoolId: "spool-one", end: 100 },
        { ...read, nodeId: "node-two", spoolId: "spool-two", end: 2_600 },
      ])
      .execute();
    await db.insertInto("leaders").values({ name: "tasks", nodeId: "node-one", token: 1 }).execute();
  });

  await page.reload();

  const [one, two] = ["one.internal", "two.internal"].map((host) =>
    page.getByRole("listitem").filter({ hasText: host }),
  );
  await one?.getByText("Running").waitFor();
  await one?.getByText("Leader").waitFor();
  await two?.getByText("Silent").waitFor();
  await two?.getByText("2,500 bytes of clicks wait").waitFor();
  expect(world.pageErrors).toEqual([]);
}, 60_000);

test("an administrator without a required second factor is led to set it up", async () => {
  const own = await openDashboardWorld({ WAYPOST_ADMINISTRATORS_NEED_SECOND_FACTOR: "true" });
  try {
    await operate(own.server, "user administrator", { user: "owner@example.com", isAdministrator: true });
    await own.page.goto(own.url("/administration/users"));

    await own.page.getByText("Administrators need two-factor authentication.", { exact: false }).waitFor();
    await own.page.getByRole("link", { name: "Go to security settings" }).click();

    await own.page.getByRole("button", { name: "Turn on" }).waitFor();
    expect(own.pageErrors).toEqual([]);
  } finally {
    await own.close();
  }
}, 60_000);
