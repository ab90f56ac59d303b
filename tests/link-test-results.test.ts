/** The results of A/B tests agree with where visitors were sent. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { waitUntilDrained } from "./support/counted-once.ts";
import { browser, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

const Created = z.object({ id: z.string(), updatedAt: z.string() });
const numbers = { clicks: z.int(), visitors: z.int() };
const Results = z.object({
  state: z.string(),
  start: z.string().nullable(),
  end: z.string().nullable(),
  variants: z.array(
    z.object({
      ...numbers,
      plannedShare: z.number(),
      share: z.object({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
    }),
  ),
  other: z.object(numbers),
});

const testVariants = [
  { url: "https://example.com/?v=a", percentage: 60 },
  { url: "https://example.com/?v=b", percentage: 20 },
];

let server: TestService;
beforeAll(async () => {
  server = await startService({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1/32" });
});
afterAll(() => server.remove());

async function newLink(fields: object): Promise<string> {
  const { body } = await server.call("POST", "/links", {
    body: { url: "https://example.com/?utm_source=mail", ...fields },
  });
  return Created.parse(body).id;
}

async function resultsOf(linkId: string) {
  await waitUntilDrained(server);
  return Results.parse((await server.call("GET", `/links/${linkId}/test-results`)).body);
}

/** Visits as many people, each twice, and returns how many were sent to each variant. */
async function visit(path: string, people: number): Promise<{ a: number; b: number }> {
  const sent = { a: 0, b: 0 };
  for (let person = 0; person < people; person++) {
    for (const query of ["", `?ref=${person}`]) {
      const headers = { ...browser, "X-Forwarded-For": `84.128.1.${person}` };
      const { headers: answered } = await server.visit(`/${path}${query}`, { headers });
      const isA = answered.get("location")?.includes("v=a") === true;
      if (query === "") sent[isA ? "a" : "b"]++;
    }
  }
  return sent;
}

test("clicks and visitors of each variant are those that were sent there, whatever their query", async () => {
  const id = await newLink({ key: "tested", testVariants });
  const people = 30;

  const sent = await visit("tested", people);

  const { state, variants, other } = await resultsOf(id);
  expect(state).toBe("running");
  expect(variants).toMatchObject([
    { clicks: 2 * sent.a, visitors: sent.a, plannedShare: 0.75, share: { value: sent.a / people } },
    { clicks: 2 * sent.b, visitors: sent.b, plannedShare: 0.25, share: { value: sent.b / people } },
  ]);
  expect(other).toEqual({ clicks: 0, visitors: 0 });
  expect(sent.a * sent.b).toBeGreaterThan(0);
});

test("clicks from before a change of the variants do not count, and those of a rule are other clicks", async () => {
  const id = await newLink({ key: "changed", testVariants });
  await visit("changed", 3);
  const rules = [{ when: { query: { src: "rule" } }, url: "https://example.com/rule" }];
  const after = testVariants.map((variant) => ({ ...variant, percentage: 50 }));
  await server.call("PATCH", `/links/${id}`, { body: { testVariants: after, rules } });

  const sent = await visit("changed", 4);
  await server.visit("/changed?src=rule", { headers: browser });

  const { variants, other } = await resultsOf(id);
  expect(variants).toMatchObject([
    { clicks: 2 * sent.a, visitors: sent.a },
    { clicks: 2 * sent.b, visitors: sent.b },
  ]);
  expect(other).toEqual({ clicks: 1, visitors: 1 });
});

test("a test whose winner was applied and undone continues with its start and its results", async () => {
  const id = await newLink({ key: "undone", testVariants });
  await visit("undone", 4);
  const before = await resultsOf(id);
  const winner = { url: "https://example.com/?v=b", testVariants: null };
  const applied = Created.parse((await server.call("PATCH", `/links/${id}`, { body: winner })).body);

  const changes = [{ linkId: id, updatedAt: applied.updatedAt }];
  const undone = await server.call("POST", "/links/undo", { body: { changes } });

  expect(undone.status).toBe(200);
  expect(before.variants.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(8);
  expect(await resultsOf(id)).toEqual({ ...before, end: expect.any(String) });
});

test("a link without a test, a future test and a test without clicks have no shares", async () => {
  const none = await newLink({ key: "none" });
  const scheduled = await newLink({ key: "scheduled", testVariants, testStartedAt: "2100-01-01T00:00:00Z" });
  const unclicked = await newLink({ key: "unclicked", testVariants });

  expect(await resultsOf(none)).toMatchObject({ state: "none", variants: [], start: null });
  expect(await resultsOf(scheduled)).toMatchObject({ state: "scheduled", variants: [{ share: null }, { clicks: 0 }] });
  expect(await resultsOf(unclicked)).toMatchObject({ state: "running", variants: [{ share: null }, { share: null }] });
});
