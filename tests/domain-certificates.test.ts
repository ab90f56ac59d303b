/** The states of the certificates of all domains in one list. Real certificates: tests/faults/certificates-service.test.ts. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { engines } from "./support/databases.ts";
import { addCertifiedDomains, slugOf, storedStates, unreachableAuthority } from "./support/domain-certificates.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

const suffix = "certified.example.com";
const Certificates = z.array(z.object({ slug: z.string(), state: z.string() }));

let server: TestService;
beforeAll(async () => {
  server = await startService(unreachableAuthority, engines[0]);
  await server.call("POST", "/domains", { body: { slug: `pending.${suffix}` } });
  await addCertifiedDomains(server, suffix);
});
afterAll(async () => {
  await server.remove();
});

async function listed(query: string) {
  return Certificates.parse((await server.call("GET", `/domains/certificates?${query}`)).body);
}

test("the list has the state of each domain's certificate, in the order of the domains", async () => {
  const { body: domains } = await server.call("GET", "/domains");

  const certificates = await listed("");

  expect(certificates.map(({ slug }) => slug)).toEqual(
    z
      .array(z.object({ slug: z.string() }))
      .parse(domains)
      .map(({ slug }) => slug),
  );
  expect(Object.fromEntries(certificates.map(({ slug, state }) => [slug, state]))).toMatchObject({
    localhost: "off",
    [`pending.${suffix}`]: "unverified",
    ...Object.fromEntries(storedStates.map((state) => [slugOf(state, suffix), state])),
  });
});

test("an entry of the list equals the report of its domain", async () => {
  const slug = slugOf("expired", suffix);
  const { body: report } = await server.call("GET", `/domains/${slug}/certificate`);

  const { body: list } = await server.call("GET", `/domains/certificates?search=${slug}`);

  expect(list).toEqual([report]);
});

test("the list has the pages and filters of the list of domains", async () => {
  const page = await listed(`search=${suffix}&page=2&pageSize=3`);

  expect(page.map(({ state }) => state)).toEqual(storedStates.slice(2, 5));
  expect(await listed("archived=true")).toEqual([]);
});
