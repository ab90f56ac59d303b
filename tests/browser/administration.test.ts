/** The administration of the instance in the dashboard. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type DashboardWorld, openDashboardWorld } from "../support/dashboard.ts";
import { newTenant, operate, type Tenant } from "../support/tenants.ts";

let world: DashboardWorld;
let tenant: Tenant;
beforeAll(async () => {
  world = await openDashboardWorld();
  tenant = await newTenant(world.server);
  await operate(world.server, "user administrator", { user: "owner@example.com", isAdministrator: true });
}, 120_000);
afterAll(() => world.close());

test("an administrator finds a user and disables the account", async () => {
  const { page, url } = world;
  await page.goto(url("/administration/users"));
  await page.getByRole("searchbox").fill(tenant.email);
  const row = page.getByRole("listitem").filter({ hasText: tenant.email });

  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Disable account" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disable account" }).click();

  await row.getByText("Disabled", { exact: true }).waitFor();
  expect((await world.server.call("GET", "/workspaces", { key: tenant.apiKey })).status).toBe(401);
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
