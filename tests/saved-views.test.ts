/** Saved views over HTTP. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { refusalOf } from "./support/requests.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newMember, newTenant } from "./support/tenants.ts";

let server: TestService;
beforeAll(async () => {
  server = await startService();
});
afterAll(() => server.remove());

const View = z.object({ id: z.string(), name: z.string(), shared: z.boolean() });
const path = "/saved-views";

const create = async (key: string, body: object) => {
  const made = await server.call("POST", path, { key, body: { name: "Posters", query: "search=poster", ...body } });
  return View.parse(made.body);
};
const namesSeenBy = async (key: string) =>
  z
    .array(View)
    .parse((await server.call("GET", path, { key })).body)
    .map(({ name }) => name);

test("a saved view is created, listed by name, changed and deleted", async () => {
  const { apiKey: key, userId } = await newTenant(server);

  const made = await server.call("POST", path, { key, body: { name: " Posters ", query: "search=poster" } });
  const { id } = View.parse(made.body);
  await create(key, { name: "Archive", query: "archived=true" });
  const names = await namesSeenBy(key);
  const changed = await server.call("PATCH", `${path}/${id}`, { key, body: { name: "Flyers", shared: true } });
  const read = await server.call("GET", `${path}/${id}`, { key });
  const deleted = await server.call("DELETE", `${path}/${id}`, { key });

  expect([made.status, made.body]).toEqual([
    201,
    expect.objectContaining({ name: "Posters", query: "search=poster", shared: false, userId }),
  ]);
  expect(names).toEqual(["Archive", "Posters"]);
  expect(changed.body).toMatchObject({ name: "Flyers", query: "search=poster", shared: true });
  expect(read.body).toEqual(changed.body);
  expect(deleted.body).toEqual({ id });
  expect(refusalOf(await server.call("GET", `${path}/${id}`, { key }))).toBe("404 not_found");
});

test("a private view exists only for its creator", async () => {
  const owner = await newTenant(server);
  const member = await newMember(server, owner.workspaceId, "member");
  const { id } = await create(member.apiKey, { name: "Mine" });

  const asOwner = { key: owner.apiKey };
  const answers = [
    await server.call("GET", `${path}/${id}`, asOwner),
    await server.call("PATCH", `${path}/${id}`, { ...asOwner, body: { name: "Taken" } }),
    await server.call("DELETE", `${path}/${id}`, asOwner),
  ];

  expect(answers.map(refusalOf)).toEqual(["404 not_found", "404 not_found", "404 not_found"]);
  expect(await namesSeenBy(owner.apiKey)).toEqual([]);
  expect(await namesSeenBy(member.apiKey)).toEqual(["Mine"]);
});

test("a shared view is for every member, viewers only read it, and only its creator makes it private", async () => {
  const owner = await newTenant(server);
  const [ann, bob, viewer] = [
    await newMember(server, owner.workspaceId, "member"),
    await newMember(server, owner.workspaceId, "member"),
    await newMember(server, owner.workspaceId, "viewer"),
  ];
  const { id } = await create(ann.apiKey, { name: "Ours", shared: true });
  const rename = (key: string, body: object) => server.call("PATCH", `${path}/${id}`, { key, body });

  const seen = await Promise.all([owner, bob, viewer].map(({ apiKey }) => namesSeenBy(apiKey)));
  const refused = [
    await rename(viewer.apiKey, { name: "The viewer's" }),
    await server.call("DELETE", `${path}/${id}`, { key: viewer.apiKey }),
    await rename(owner.apiKey, { shared: false }),
  ];
  const byBob = await rename(bob.apiKey, { name: "Everyone's" });

  expect(seen).toEqual([["Ours"], ["Ours"], ["Ours"]]);
  expect(refused.map(refusalOf)).toEqual(new Array(3).fill("403 forbidden"));
  expect(byBob.body).toMatchObject({ name: "Everyone's", shared: true });
});

test("private views go when their creator leaves the workspace, and shared ones stay", async () => {
  const owner = await newTenant(server);
  const member = await newMember(server, owner.workspaceId, "member");
  const { id } = await create(member.apiKey, { name: "Mine" });
  await create(member.apiKey, { name: "Ours", shared: true });

  const left = await server.call("DELETE", `/workspaces/${owner.workspaceId}/members/${member.userId}`, {
    key: owner.apiKey,
  });

  expect(left.status).toBe(200);
  expect(await namesSeenBy(owner.apiKey)).toEqual(["Ours"]);
  expect(refusalOf(await server.call("GET", `${path}/${id}`, { key: owner.apiKey }))).toBe("404 not_found");
});

test("the shared views of a workspace and the private ones of a user have a limit", async () => {
  const owner = await newTenant(server);
  const member = await newMember(server, owner.workspaceId, "member");
  for (let made = 0; made < 100; made++) await create(owner.apiKey, { shared: true });

  const another = { name: "Another", query: "", shared: true };
  const shared = await server.call("POST", path, { key: member.apiKey, body: another });
  const { id } = await create(member.apiKey, { name: "Private" });
  const publishing = await server.call("PATCH", `${path}/${id}`, { key: member.apiKey, body: { shared: true } });

  expect([shared, publishing].map(refusalOf)).toEqual(["409 conflict", "409 conflict"]);
});
