/** Simultaneous requests: each succeeds or fails as if they had arrived one by one, on both engines. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { engines } from "./support/databases.ts";
import { type DnsServer, startDnsServer } from "./support/dns-server.ts";
import type { Answer, TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addDomain, addLink, addVerifiedDomain } from "./support/short-domains.ts";
import { newTenant, type Tenant } from "./support/tenants.ts";

const atOnce = 24;
const url = "https://example.com/";
const Domains = z.array(z.object({ slug: z.string(), primary: z.boolean() }));

/** Counts the responses by status, such as "200×1 409×23"; a 5xx appears with its body. */
function tally(answers: Answer[]): string {
  const counts = new Map<string, number>();
  for (const { status, body } of answers) {
    const line = status < 500 ? String(status) : `${status} ${JSON.stringify(body)}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts]
    .map(([status, count]) => `${status}×${count}`)
    .sort()
    .join(" ");
}

for (const engine of engines) {
  describe(engine, () => {
    let dns: DnsServer;
    let server: TestService;
    let tenant: Tenant;

    beforeAll(async () => {
      dns = await startDnsServer();
      server = await startService({ WAYPOST_RESOLVERS: dns.address, WAYPOST_RATE_LIMIT_PER_MINUTE: "0" }, engine);
      tenant = await newTenant(server);
    });

    afterAll(async () => {
      await server.remove();
      await dns.close();
    });

    const call = async (method: string, path: string, body?: object, key = tenant.apiKey): Promise<Answer> =>
      await server.call(method, path, { key, ...(body === undefined ? {} : { body }) });
    const together = async (work: (index: number) => Promise<Answer>): Promise<Answer[]> =>
      await Promise.all(Array.from({ length: atOnce }, (_, index) => work(index)));

    test("exactly one of many creations with the same key succeeds", async () => {
      const answers = await together(() => call("POST", "/links", { url, key: "contested" }));

      expect(tally(answers)).toBe(`200×1 409×${atOnce - 1}`);
    });

    test("exactly one of many creations with the same externalId succeeds", async () => {
      const answers = await together(() => call("POST", "/links", { url, externalId: "contested" }));

      expect(tally(answers)).toBe(`200×1 409×${atOnce - 1}`);
    });

    test("many links without a key get different keys", async () => {
      const answers = await together(() => call("POST", "/links", { url, keyLength: 3 }));

      expect(tally(answers)).toBe(`200×${atOnce}`);
      expect(new Set(answers.map(({ body }) => z.object({ key: z.string() }).parse(body).key)).size).toBe(atOnce);
    });

    test("exactly one of many deletions of a link succeeds", async () => {
      const { id } = await addLink(server, { url }, { key: tenant.apiKey });

      expect(tally(await together(() => call("DELETE", `/links/${id}`)))).toBe(`200×1 404×${atOnce - 1}`);
    });

    test("simultaneous changes of different fields of one link are all kept", async () => {
      const { id } = await addLink(server, { url }, { key: tenant.apiKey });
      const fields = ["title", "description", "comments", "tenantId", "ios", "android", "expiredUrl", "externalId"];

      const answers = await together((index) => {
        const field = fields[index % fields.length] ?? "";
        return call("PATCH", `/links/${id}`, { [field]: `https://example.com/${field}` });
      });

      expect(tally(answers)).toBe(`200×${atOnce}`);
      const expected = Object.fromEntries(fields.map((field) => [field, `https://example.com/${field}`]));
      expect((await call("GET", `/links/${id}`)).body).toMatchObject(expected);
    });

    test("links that swap keys are renamed or refused, and every key has at most one link", async () => {
      const keys = ["swap-a", "swap-b", "swap-c"];
      const links: { id: string }[] = [];
      for (const key of keys) links.push(await addLink(server, { url, key }, { key: tenant.apiKey }));

      const answers = await together((index) => {
        const link = links[index % links.length];
        const key = index % 2 === 0 ? `swap-free-${index}` : keys[(index + 1) % keys.length];
        return call("PATCH", `/links/${link?.id}`, { key });
      });

      expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    });

    test("exactly one of many creations with the same slug succeeds, and exactly one domain is primary", async () => {
      const owner = await newTenant(server);
      const slugs = ["one", "two", "three"].map((name) => `${name}-${crypto.randomUUID()}.example.com`);

      const answers = await together((index) =>
        call("POST", "/domains", { slug: slugs[index % slugs.length] }, owner.apiKey),
      );

      expect(tally(answers)).toBe(`201×${slugs.length} 409×${atOnce - slugs.length}`);
      const domains = Domains.parse((await call("GET", "/domains", undefined, owner.apiKey)).body);
      expect(domains.filter(({ primary }) => primary).length).toBe(1);
    });

    test("after many requests to make domains primary, exactly one is primary", async () => {
      const owner = await newTenant(server);
      const slugs: string[] = [];
      for (let index = 0; index < 4; index++)
        slugs.push((await addVerifiedDomain(server, dns, {}, { key: owner.apiKey })).slug);

      const answers = await together((index) =>
        call("POST", `/domains/${slugs[index % slugs.length]}/primary`, undefined, owner.apiKey),
      );

      expect(tally(answers)).toBe(`200×${atOnce}`);
      const domains = Domains.parse((await call("GET", "/domains", undefined, owner.apiKey)).body);
      expect(domains.filter(({ primary }) => primary).length).toBe(1);
    });

    test("exactly one of two workspaces that verify a domain at the same time gets it", async () => {
      const [first, second] = [await newTenant(server), await newTenant(server)];
      const pending = await addDomain(server, {}, { key: first.apiKey });
      const { body } = await call("POST", "/domains", { slug: pending.slug }, second.apiKey);
      const { id } = z.object({ id: z.string() }).parse(body);
      const report = await call("GET", `/domains/${pending.slug}/dns`, undefined, second.apiKey);
      const { ownership } = z
        .object({ ownership: z.object({ expected: z.object({ value: z.string() }) }) })
        .parse(report.body);
      dns.answer(pending.record.name, { kind: "txt", records: [pending.record.value, ownership.expected.value] });

      const answers = await together((index) =>
        index % 2 === 0
          ? call("POST", `/domains-v2/${pending.id}/verify`, undefined, first.apiKey)
          : call("POST", `/domains-v2/${id}/verify`, undefined, second.apiKey),
      );

      expect(tally(answers)).toBe(`200×${atOnce}`);
      const isSuccess = ({ body: answer }: Answer) => z.object({ success: z.boolean() }).parse(answer).success;
      const winners = new Set(answers.map((answer, index) => (isSuccess(answer) ? index % 2 : -1)));
      winners.delete(-1);
      expect(winners.size).toBe(1);
    });

    test("links created on a domain during its deletion are created or refused, and none remains", async () => {
      for (let round = 0; round < 5; round++) {
        const { slug } = await addVerifiedDomain(server, dns, {}, { key: tenant.apiKey });

        const [, ...answers] = await Promise.all([
          call("DELETE", `/domains/${slug}`),
          ...Array.from({ length: atOnce }, () => call("POST", "/links", { url, domain: slug })),
          ...Array.from({ length: 4 }, () => call("DELETE", `/domains/${slug}`)),
        ]);

        expect(answers.filter(({ status }) => ![200, 403, 404].includes(status))).toEqual([]);
        expect((await call("GET", `/links?domain=${slug}`)).status).toBe(404);
        expect((await call("GET", `/links?search=${slug}`)).body).toEqual([]);
      }
    });

    test("links changed, moved and deleted during the deletion of their domain are gone afterwards, without an internal error", async () => {
      const options = { key: tenant.apiKey };
      for (let round = 0; round < 5; round++) {
        const { slug } = await addVerifiedDomain(server, dns, {}, options);
        const links: { id: string }[] = [];
        for (let index = 0; index < 8; index++) links.push(await addLink(server, { url, domain: slug }, options));
        const elsewhere = await addLink(server, { url }, options);

        const answers = await Promise.all([
          ...links.map(({ id }, index) => call("PATCH", `/links/${id}`, { key: `renamed-${index}` })),
          ...links.map(({ id }) => call("DELETE", `/links/${id}`)),
          call("DELETE", `/domains/${slug}`),
          call("PATCH", `/links/${elsewhere.id}`, { domain: slug }),
          call("PATCH", `/domains/${slug}`, { placeholder: "https://example.com/x" }),
          call("POST", `/domains/${slug}/primary`),
        ]);

        expect(answers.filter(({ status }) => ![200, 403, 404].includes(status))).toEqual([]);
        expect((await call("GET", `/links?search=${slug}`)).body).toEqual([]);
      }
    });

    test("exactly one of many revocations of a key succeeds", async () => {
      const { body } = await call("POST", "/api-keys", { name: "x" });
      const { id } = z.object({ id: z.string() }).parse(body);

      expect(tally(await together(() => call("DELETE", `/api-keys/${id}`)))).toBe(`200×1 404×${atOnce - 1}`);
    });

    test("workspaces created at once have different ids", async () => {
      const answers = await together((index) => call("POST", "/workspaces", { name: `W${index}` }));

      expect(tally(answers)).toBe(`201×${atOnce}`);
      expect(new Set(answers.map(({ body }) => z.object({ id: z.int() }).parse(body).id)).size).toBe(atOnce);
    });

    test("the server has logged no internal error", () => {
      expect(server.output()).not.toContain('"level":"error"');
    });
  });
}
