/** The icons of links' destinations, as the dashboard requests them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { type Dashboard, newPerson, openDashboard, ownerPassword } from "./support/dashboard.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newTenant } from "./support/tenants.ts";

let server: TestService;
let dashboard: Dashboard;
beforeAll(async () => {
  server = await startService(ownerPassword);
  dashboard = openDashboard(server);
  await dashboard.signIn();
});
afterAll(() => server.remove());

async function newLink(key?: string): Promise<string> {
  const made = await server.call("POST", "/links", { ...(key && { key }), body: { url: "http://127.0.0.1:1/" } });
  return z.object({ id: z.string() }).parse(made.body).id;
}

test("a member is told that an icon is pending, and then that there is none", async () => {
  const path = `/icons/${await newLink()}`;
  const member = await newPerson(server, "viewer");

  const first = await dashboard.visit(path);
  expect([first.status, first.headers.get("Retry-After"), first.headers.get("Cache-Control")]).toEqual([
    202,
    "2",
    "no-store",
  ]);
  // The address is private, so the fetch ends at once.
  let status = first.status;
  for (let tries = 0; tries < 100 && status === 202; tries++) status = (await member.dashboard.visit(path)).status;
  expect(status).toBe(204);
});

test("a link of another workspace has no icon, and neither has an unknown one", async () => {
  const tenant = await newTenant(server);
  const foreign = await newLink(tenant.apiKey);

  expect((await dashboard.visit(`/icons/${foreign}`)).status).toBe(404);
  expect((await dashboard.visit("/icons/link_unknown")).status).toBe(404);
});

test("icons need a session, and only GET is allowed", async () => {
  const path = `/icons/${await newLink()}`;

  expect((await openDashboard(server).visit(path)).status).toBe(401);
  expect((await dashboard.visit(path, {})).status).toBe(405);
});
