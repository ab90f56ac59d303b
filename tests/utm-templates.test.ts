/** UTM templates over HTTP. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { refusalOf } from "./support/requests.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newTenant } from "./support/tenants.ts";

let server: TestService;
beforeAll(async () => {
  server = await startService();
});
afterAll(() => server.remove());

const Template = z.object({ id: z.string(), name: z.string() });
const path = "/utm-templates";

test("a UTM template is created, listed by name, changed and deleted", async () => {
  const { apiKey: key } = await newTenant(server);
  const create = (body: object) => server.call("POST", path, { key, body });

  const made = await create({ name: " Newsletter ", utm_source: " mail ", utm_medium: "", utm_term: null });
  const { id } = Template.parse(made.body);
  await create({ name: "ads" });
  const listed = await server.call("GET", path, { key });
  const changed = await server.call("PATCH", `${path}/${id}`, { key, body: { utm_source: null, utm_medium: "email" } });
  const read = await server.call("GET", `${path}/${id}`, { key });
  const deleted = await server.call("DELETE", `${path}/${id}`, { key });

  const unset = { utm_campaign: null, utm_term: null, utm_content: null };
  expect([made.status, made.body]).toEqual([
    201,
    expect.objectContaining({ name: "Newsletter", utm_source: "mail", utm_medium: null, ...unset }),
  ]);
  expect(
    z
      .array(Template)
      .parse(listed.body)
      .map(({ name }) => name),
  ).toEqual(["ads", "Newsletter"]);
  expect(changed.body).toMatchObject({ name: "Newsletter", utm_source: null, utm_medium: "email", ...unset });
  expect(read.body).toEqual(changed.body);
  expect(deleted.body).toEqual({ id });
  expect(refusalOf(await server.call("GET", `${path}/${id}`, { key }))).toBe("404 not_found");
});

test("the name of a UTM template is unique in its workspace, ignoring case", async () => {
  const [one, other] = [await newTenant(server), await newTenant(server)];
  const create = (key: string, name: string) => server.call("POST", path, { key, body: { name } });
  const { id } = Template.parse((await create(one.apiKey, "Spring")).body);
  await create(one.apiKey, "Summer");

  const again = await create(one.apiKey, "SPRING");
  const renamed = await server.call("PATCH", `${path}/${id}`, { key: one.apiKey, body: { name: "summer" } });
  const elsewhere = await create(other.apiKey, "Spring");

  expect([again, renamed].map(refusalOf)).toEqual(["409 conflict", "409 conflict"]);
  expect(elsewhere.status).toBe(201);
});
