/** Example workspaces: a year of clicks appears in the background, and leaves with the workspace. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { waypost } from "./support/command.ts";
import { newPerson } from "./support/dashboard.ts";
import { eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

const Example = z.strictObject({ id: z.int(), isReady: z.boolean() });
const Found = z.strictObject({ example: Example.nullable() });
const Links = z.array(z.object({ key: z.string(), clicks: z.int(), createdAt: z.string() }));
const fillMsMax = 60_000;

let server: TestService;
beforeAll(async () => {
  server = await startService();
});
afterAll(() => server.remove());

/** A user with an example workspace that is ready. */
async function withExample() {
  const { dashboard } = await newPerson(server);
  const key = await dashboard.token();
  const created = await server.call("POST", "/user/example-workspace", { key });
  const { id } = Example.parse(created.body);
  const read = async () => Found.parse((await server.call("GET", "/user/example-workspace", { key })).body).example;
  await eventually(read, (example) => example?.isReady === true, fillMsMax);
  const inExample = async (method: string, path: string) =>
    await server.call(method, `${path}${path.includes("?") ? "&" : "?"}workspaceId=${id}`, { key });
  return { key, id, created, inExample };
}

test("an example has links and a year of clicks, which agree with each other", async () => {
  const { created, inExample } = await withExample();

  const links = Links.parse((await inExample("GET", "/links?pageSize=100")).body).filter(({ key }) => key !== "_root");
  const report = await inExample("GET", "/analytics/clicks?interval=all");
  const months = await inExample("GET", "/analytics?event=clicks&groupBy=timeseries&interval=1y");
  const sum = links.reduce((total, { clicks }) => total + clicks, 0);

  expect(created.status).toBe(201);
  expect(links.length).toBeGreaterThan(20);
  expect(sum).toBeGreaterThan(40_000);
  expect(z.object({ clicks: z.int() }).parse(report.body).clicks).toBe(sum);
  // In the first hours of a month, it may have no click yet.
  const ended = z
    .array(z.object({ clicks: z.int() }))
    .parse(months.body)
    .slice(0, -1);
  expect(ended.length).toBeGreaterThan(10);
  expect(ended.every(({ clicks }) => clicks > 0)).toBe(true);
  expect(links.every(({ createdAt }) => Date.parse(createdAt) < Date.now() - 86_400_000)).toBe(true);
  expect(await waypost(["clicks", "verify"], server)).toMatchObject({ code: 0 });
});

test("a user has one example at most, and can have another one after deleting it", async () => {
  const { key, id } = await withExample();

  const second = await server.call("POST", "/user/example-workspace", { key });
  const deleted = await server.call("DELETE", `/workspaces/${id}?confirm=Example`, { key });
  const gone = await server.call("GET", "/user/example-workspace", { key });
  const again = await server.call("POST", "/user/example-workspace", { key });

  expect([second.status, deleted.status, gone.body, again.status]).toEqual([409, 200, { example: null }, 201]);
});

test("of two simultaneous calls, one creates the example", async () => {
  const { dashboard } = await newPerson(server);
  const key = await dashboard.token();

  const calls = await Promise.all([1, 2].map(() => server.call("POST", "/user/example-workspace", { key })));

  expect(calls.map(({ status }) => status).sort()).toEqual([201, 409]);
});

test("creating examples in a loop uses up the rate limit", async () => {
  const limited = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "200" });
  try {
    const created = await limited.call("POST", "/user/example-workspace");
    const { id } = Example.parse(created.body);
    await limited.call("DELETE", `/workspaces/${id}?confirm=Example`);
    const again = await limited.call("POST", "/user/example-workspace");

    expect([created.status, again.status]).toEqual([201, 429]);
  } finally {
    await limited.remove();
  }
});
