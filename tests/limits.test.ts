/** Limits of workspaces through the API and the command line. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { newPerson } from "./support/dashboard.ts";
import { refusalOf } from "./support/requests.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { operate } from "./support/tenants.ts";

let server: TestService;
beforeAll(async () => {
  server = await startService({ WAYPOST_MAX_LINKS: "5", WAYPOST_SIGN_UP: "closed" });
});
afterAll(() => server.remove());

const url = "https://example.com/";
const create = (workspaceId: number) => server.call("POST", `/links?workspaceId=${workspaceId}`, { body: { url } });
const newWorkspace = async () => {
  const made = await server.call("POST", "/workspaces", { body: { name: "Acme" } });
  return z.object({ id: z.int() }).parse(made.body).id;
};
const usedLinks = async (id: number) => {
  const answer = await server.call("GET", `/workspaces/${id}/limits`);
  return z.looseObject({ links: z.object({ used: z.int(), max: z.int().nullable() }) }).parse(answer.body).links;
};

test("simultaneous and bulk creations stop exactly at the limit, which the error names", async () => {
  const id = await newWorkspace();

  const bulk = await server.call("POST", `/links/bulk?workspaceId=${id}`, { body: [{ url }, { url }, { url }] });
  const answers = await Promise.all([1, 2, 3, 4].map(() => create(id)));
  const beyond = await server.call("POST", `/links/bulk?workspaceId=${id}`, { body: [{ url }] });

  expect(bulk.body).toHaveLength(3);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409]);
  expect(JSON.stringify(answers.find(({ status }) => status === 409)?.body)).toContain(
    "This workspace has reached its limit of 5 links. An administrator of this service can raise it.",
  );
  expect(JSON.stringify(beyond.body)).toContain("limit of 5 links");
  expect(await usedLinks(id)).toEqual({ used: 5, max: 5 });
});

test("a bulk creation that only partly fits creates the first links", async () => {
  const id = await newWorkspace();
  await operate(server, "workspace limits", { workspaceId: id, links: 2 });

  const titles = ["a", "b", "c"].map((title) => ({ url, title }));
  const answer = await server.call("POST", `/links/bulk?workspaceId=${id}`, { body: titles });

  const entries = z.array(z.looseObject({ title: z.string().optional(), error: z.unknown().optional() }));
  expect(entries.parse(answer.body).map(({ title, error }) => (error === undefined ? title : "refused"))).toEqual([
    "a",
    "b",
    "refused",
  ]);
});

test("a deleted link makes room for another one, and a raised limit for more", async () => {
  const id = await newWorkspace();
  const made = await Promise.all([1, 2, 3, 4, 5].map(() => create(id)));
  const { id: linkId } = z.looseObject({ id: z.string() }).parse(made[0]?.body);

  const full = await create(id);
  await server.call("DELETE", `/links/${linkId}?workspaceId=${id}`);
  const again = await create(id);
  await operate(server, "workspace limits", { workspaceId: id, links: "unlimited" });
  const more = await create(id);

  expect([refusalOf(full), again.status, more.status]).toEqual(["409 conflict", 200, 200]);
  expect(await usedLinks(id)).toEqual({ used: 6, max: null });
});

test("a limit counts the links that were created while there was none", async () => {
  const id = await newWorkspace();
  await create(id);
  await operate(server, "workspace limits", { workspaceId: id, links: "unlimited" });
  for (let count = 2; count <= 8; count++) await create(id);
  await operate(server, "workspace limits", { workspaceId: id, links: 8 });

  const beyond = await create(id);

  expect(refusalOf(beyond)).toBe("409 conflict");
  expect(await usedLinks(id)).toEqual({ used: 8, max: 8 });
});

test("an administrator reads and changes limits, and sees who can sign up", async () => {
  const { dashboard, email } = await newPerson(server);
  await operate(server, "user administrator", { user: email, isAdministrator: true });
  const key = await dashboard.token();
  const id = await newWorkspace();

  const changed = await server.call("POST", `/admin/workspaces/${id}/limits`, { key, body: { domains: 3 } });
  const bad = await server.call("POST", `/admin/workspaces/${id}/limits`, { key, body: { domains: 0 } });
  const long = await server.call("POST", `/admin/workspaces/${id}/limits`, { key, body: { clickRetentionDays: 3651 } });
  const absent = await server.call("GET", "/admin/workspaces/999999/limits", { key });
  const instance = await server.call("GET", "/admin/instance", { key });

  expect(changed.body).toEqual({
    id,
    own: { domains: 3 },
    instance: { links: 5, domains: null, members: null, apiKeys: null, clickRetentionDays: null },
    used: { links: 0, domains: 0, members: 1, apiKeys: 0 },
  });
  expect([bad, long, absent].map(refusalOf)).toEqual([
    "422 unprocessable_entity",
    "422 unprocessable_entity",
    "404 not_found",
  ]);
  expect(instance.body).toMatchObject({ signUp: "closed", sendsMail: false });
});
