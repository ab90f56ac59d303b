/** Warnings in responses with links, for example about an unverified domain. */
import { describe, expect, test } from "bun:test";
import { engines } from "./support/databases.ts";
import { startService } from "./support/service.ts";
import { addDomain, addLink, type OnShortDomain, onShortDomain } from "./support/short-domains.ts";
import { newMember } from "./support/tenants.ts";

for (const engine of engines) {
  describe(engine, () => {
    let world: OnShortDomain;
    onShortDomain(startService, engine, {}, (opened) => {
      world = opened;
    });
    const warningOf = async (method: string, path: string, body?: object) => {
      const { status, headers } = await world.server.call(method, path, body === undefined ? {} : { body });
      return [status, headers.get("waypost-warning")];
    };

    test("every response that returns a link of a pending domain warns, until the domain is verified", async () => {
      const { server, dns, domain: verified } = world;
      const { id: domainId, slug, record } = await addDomain(server);
      const { id } = await addLink(server, { url: "https://example.com/a", domain: slug, externalId: slug });
      const url = "https://example.com/b";
      const calls: [string, string, object?][] = [
        ["POST", "/links", { url, domain: slug, key: "b" }],
        ["GET", `/links/${id}`],
        ["GET", `/links/info?externalId=ext_${slug}`],
        ["GET", `/links?domain=${slug}`],
        ["PATCH", `/links/${id}`, { title: "T" }],
        ["PUT", `/links/${id}`, { title: "U" }],
        ["PUT", `/links/ext_${slug}`, { title: "V" }],
        ["PUT", "/links/upsert", { url, domain: slug, externalId: slug }],
        ["PATCH", "/links/bulk", { linkIds: [id], data: { title: "W" } }],
      ];
      const warning = `domain_not_verified;message="${slug} is not verified, so its links do not redirect. GET /v1/domains/${slug}/dns shows the missing record."`;

      for (const [method, path, body] of calls) {
        expect([path, ...(await warningOf(method, path, body))]).toEqual([path, 200, warning]);
      }
      const bulk = ["c", "d"].map((key) => ({ url, domain: slug, key }));
      expect(await warningOf("POST", "/links/bulk", bulk)).toEqual([200, warning]);
      expect(await warningOf("POST", "/links", { url, domain: verified })).toEqual([200, null]);
      dns.answer(record.name, { kind: "txt", records: [record.value] });
      await server.call("POST", `/domains-v2/${domainId}/verify`);
      expect(await warningOf("GET", `/links/${id}`)).toEqual([200, null]);
    });

    test("a link is disabled and enabled, alone and in bulk, and each change can be reverted", async () => {
      const { server, domain } = world;
      const { id, key } = await addLink(server, { url: "https://example.com/to", domain });
      const visit = async () => (await server.visit(`/${key}`, { host: domain })).status;
      const change = async (body: object) => (await server.call("PATCH", `/links/${id}`, { body })).body;

      const disabled = (await change({ disabled: true })) as { disabledAt: string; updatedAt: string };
      const seen = [await visit()];
      expect(await change({ disabled: true })).toEqual(disabled);
      await change({ disabled: false });
      seen.push(await visit());
      await server.call("PATCH", "/links/bulk", { body: { linkIds: [id], data: { disabled: true } } });
      seen.push(await visit());
      const history = await server.call("GET", `/links/${id}/history`);
      const [latest] = history.body as { id: string; after: object }[];
      await server.call("POST", `/links/${id}/history/${latest?.id}/revert`);
      seen.push(await visit());
      await change({ disabledAt: "2001-01-01T00:00:00Z" });
      seen.push(await visit());
      await server.call("PATCH", `/domains/${domain}`, { body: { notFoundUrl: "https://example.com/none" } });
      seen.push(await visit());
      const contradiction = await server.call("PATCH", `/links/${id}`, { body: { disabled: true, disabledAt: null } });
      await server.call("PATCH", `/domains/${domain}`, { body: { notFoundUrl: null } });

      expect(seen).toEqual([410, 302, 410, 302, 410, 302]);
      expect(Date.parse(disabled.disabledAt)).toBeGreaterThan(0);
      expect(latest?.after).toEqual({ disabledAt: expect.any(String) });
      expect(contradiction.status).toBe(422);
    });

    test("a member disables and enables a link, alone and in bulk, and the history names the member each time", async () => {
      const { server, domain } = world;
      const { id, key: path } = await addLink(server, { url: "https://example.com/to", domain });
      const { apiKey: key, userId } = await newMember(server, 1, "member");
      const bulk = (disabled: boolean) => ({ linkIds: [id], data: { disabled } });
      const calls: [string, object][] = [
        [`/links/${id}`, { disabled: true }],
        [`/links/${id}`, { disabled: false }],
        ["/links/bulk", bulk(true)],
        ["/links/bulk", bulk(false)],
      ];

      const seen: number[] = [];
      for (const [called, body] of calls) {
        const { status } = await server.call("PATCH", called, { key, body });
        seen.push(status, (await server.visit(`/${path}`, { host: domain })).status);
      }
      const history = await server.call("GET", `/links/${id}/history`, { key });

      expect(seen).toEqual([200, 410, 200, 302, 200, 410, 200, 302]);
      const user = expect.objectContaining({ id: userId });
      const disabled = { user, before: { disabledAt: null }, after: { disabledAt: expect.any(String) } };
      const enabled = { user, before: { disabledAt: expect.any(String) }, after: { disabledAt: null } };
      expect(history.body).toMatchObject([enabled, disabled, enabled, disabled, { type: "link.created" }]);
    });

    test("disabled: true stops a link at once even if a later disabledAt is set", async () => {
      const { server, domain } = world;
      const { id, key } = await addLink(server, { url: "https://example.com/to", domain });
      const later = { disabledAt: "2100-01-01T00:00:00Z" };
      await server.call("PATCH", `/links/${id}`, { body: later });
      const before = (await server.visit(`/${key}`, { host: domain })).status;

      const contradictions = [true, false].map((disabled) =>
        server.call("PATCH", `/links/${id}`, { body: { disabled, ...later } }),
      );
      const refused = (await Promise.all(contradictions)).map(({ status }) => status);
      const changed = await server.call("PATCH", `/links/${id}`, { body: { disabled: true } });

      expect({ before, refused, after: (await server.visit(`/${key}`, { host: domain })).status }).toEqual({
        before: 302,
        refused: [422, 422],
        after: 410,
      });
      expect(Date.parse((changed.body as { disabledAt: string }).disabledAt)).toBeLessThan(
        Date.parse(later.disabledAt),
      );
    });
  });
}
