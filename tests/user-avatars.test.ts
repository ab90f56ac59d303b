/** The avatars of users: uploads, and who sees them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { PNG } from "pngjs";
import { z } from "zod";
import { type Dashboard, newPerson, openDashboard } from "./support/dashboard.ts";
import { refusalOf } from "./support/requests.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

const WithAvatar = z.object({ id: z.string(), avatarUrl: z.string().nullable() });
const Members = z.array(z.object({ userId: z.string(), avatarUrl: z.string().nullable() }));

let server: TestService;
beforeAll(async () => {
  server = await startService();
});
afterAll(() => server.remove());

const asDataUrl = (bytes: Uint8Array, type = "image/png") =>
  `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
const picture = (width = 2, height = 2) => PNG.sync.write(new PNG({ width, height }));
const upload = async (dashboard: Dashboard, image = asDataUrl(picture())) =>
  await server.call("PUT", "/user/avatar", { key: await dashboard.token(), body: { image } });
/** The path of an uploaded avatar below /app. */
async function uploaded(dashboard: Dashboard): Promise<string> {
  const { avatarUrl } = WithAvatar.parse((await upload(dashboard)).body);
  return new URL(avatarUrl ?? "").pathname.replace(/^\/app/, "");
}

test("members of a common workspace see an avatar, as an image and nothing else", async () => {
  const ann = await newPerson(server);
  const bob = await newPerson(server, "viewer");
  const bytes = picture();

  const { body } = await upload(ann.dashboard, asDataUrl(bytes, "text/html"));

  const { id, avatarUrl } = WithAvatar.parse(body);
  const members = await server.call("GET", "/workspaces/1/members", { key: await bob.dashboard.token() });
  expect(Members.parse(members.body).find(({ userId }) => userId === id)?.avatarUrl).toBe(avatarUrl ?? "");
  const image = await bob.dashboard.visit(new URL(avatarUrl ?? "").pathname.replace(/^\/app/, ""));
  expect(Buffer.from(await image.arrayBuffer()).equals(bytes)).toBe(true);
  expect(image.headers.get("content-type")).toBe("image/png");
  expect(image.headers.get("x-content-type-options")).toBe("nosniff");
  expect(image.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  expect(image.headers.get("cache-control")).toStartWith("private");
});

test("nobody else sees it: other tenants get 404, visitors 401, and a person who leaves 404", async () => {
  const ann = await newPerson(server);
  const path = await uploaded(ann.dashboard);
  const leaving = await newPerson(server);
  expect((await leaving.dashboard.visit(path)).status).toBe(200);
  const key = await leaving.dashboard.token();
  const { id } = z.object({ id: z.string() }).parse((await server.call("GET", "/user", { key })).body);

  expect((await server.call("DELETE", `/workspaces/1/members/${id}`, { key })).status).toBe(200);

  expect((await leaving.dashboard.visit(path)).status).toBe(404);
  expect((await openDashboard(server).visit(path)).status).toBe(401);
  expect((await ann.dashboard.visit(path)).status).toBe(200);
  expect((await ann.dashboard.visit("/user-avatars/unknown.png")).status).toBe(404);
  expect((await ann.dashboard.visit(path, {})).status).toBe(405);
});

test("another upload and a removal end the earlier file", async () => {
  const { dashboard } = await newPerson(server);
  const first = await uploaded(dashboard);
  const second = await uploaded(dashboard);
  expect([(await dashboard.visit(first)).status, (await dashboard.visit(second)).status]).toEqual([404, 200]);

  const removed = await server.call("DELETE", "/user/avatar", { key: await dashboard.token() });

  expect(WithAvatar.parse(removed.body).avatarUrl).toBeNull();
  expect((await dashboard.visit(second)).status).toBe(404);
});

test("scripts, other types, large files and small files with huge pictures are refused", async () => {
  const { dashboard } = await newPerson(server);
  const large = new Uint8Array(45 * 1024 + 1);
  large.set(picture());
  const images = [
    asDataUrl(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/svg+xml"),
    asDataUrl(Buffer.from("GIF89a"), "image/gif"),
    asDataUrl(Buffer.from("<script>alert(1)</script>")),
    asDataUrl(large),
    asDataUrl(picture(1_025, 1)),
    asDataUrl(new Uint8Array()),
    "https://example.com/a.png",
  ];

  for (const image of images) {
    const name = image.slice(0, 60);
    expect([name, refusalOf(await upload(dashboard, image))]).toEqual([name, "422 unprocessable_entity"]);
  }
});
