/** Blocks that members can see: GET /v1/links/warnings and GET /v1/workspaces/{workspaceId}/blocks. */
import { describe, expect, test } from "bun:test";
import { waypost } from "./support/command.ts";
import { newPerson, ownerPassword } from "./support/dashboard.ts";
import { engines } from "./support/databases.ts";
import { startService } from "./support/service.ts";
import { addDomain, addLink, addVerifiedDomain, type OnShortDomain, onShortDomain } from "./support/short-domains.ts";
import { newTenant } from "./support/tenants.ts";

const url = "https://example.com/to";
const reason = "Phishing, reported by Eve";

for (const engine of engines) {
  describe(engine, () => {
    let world: OnShortDomain;
    onShortDomain(startService, engine, ownerPassword, (opened) => {
      world = opened;
    });
    async function block(kind: string, target: string): Promise<void> {
      const { code, stderr } = await waypost([kind, "block", target, "--reason", reason], world.server);
      if (code !== 0) throw new Error(stderr);
    }
    const warningsOf = async (ids: readonly string[], key?: string) =>
      await world.server.call("GET", `/links/warnings?linkIds=${ids.join()}`, key === undefined ? {} : { key });

    test("a viewer sees for each link whether and by what it is blocked, and the state of its domain, but no reason", async () => {
      const { server, dns, domain } = world;
      const [blocked, pending] = [await addVerifiedDomain(server, dns), await addDomain(server)];
      const colleague = await newPerson(server, "member");
      const viewer = await newPerson(server, "viewer");
      const colleagues = { key: await colleague.dashboard.token() };
      const links = {
        link: await addLink(server, { url, domain }),
        domain: await addLink(server, { url, domain: blocked.slug }),
        host: await addLink(server, {
          url,
          rules: [{ when: { device: "mobile" }, url: "https://a.bad.example/" }],
          domain,
        }),
        user: await addLink(server, { url, domain }, colleagues),
        pending: await addLink(server, { url, domain: pending.slug, externalId: "pending" }),
        alive: await addLink(server, { url, domain }),
      };
      await block("link", links.link.shortLink);
      await block("domain", blocked.slug);
      await block("host", "bad.example");
      await block("user", colleague.email);

      const named = [...Object.values(links).map(({ id }) => id), "ext_pending", "link_unknown"];
      const { status, body } = await warningsOf(named, await viewer.dashboard.token());

      const warningOf = (cause: keyof typeof links, code = "blocked") => ({
        ...{ linkId: links[cause].id, code, cause },
        message: expect.stringContaining(code === "blocked" ? "410" : "is not verified"),
      });
      expect([status, body]).toEqual([
        200,
        expect.arrayContaining([
          ...[warningOf("link"), warningOf("domain"), warningOf("host"), warningOf("user")],
          warningOf("pending", "domain_not_verified"),
        ]),
      ]);
      expect(body).toHaveLength(5);
      expect(JSON.stringify(body)).not.toContain("Phishing");
    });

    test("warnings of more links than a page are refused, and another workspace's links are skipped", async () => {
      const { server, domain } = world;
      const { id, shortLink } = await addLink(server, { url, domain });
      await block("link", shortLink);
      const { apiKey } = await newTenant(server);

      const refused = await warningsOf(Array<string>(101).fill(id));
      const foreign = await warningsOf([id], apiKey);

      expect(refused.status).toBe(422);
      expect([foreign.status, foreign.body]).toEqual([200, []]);
    });

    test("only members of a blocked workspace see that it is blocked, and its domains", async () => {
      const { server } = world;
      const [tenant, other] = [await newTenant(server), await newTenant(server)];
      const { slug } = await addDomain(server, {}, { key: tenant.apiKey });
      await addDomain(server, {}, { key: tenant.apiKey });
      const path = `/workspaces/${tenant.workspaceId}/blocks`;
      const read = (key: string) => server.call("GET", path, { key });
      const before = await read(tenant.apiKey);

      await block("domain", slug);
      await block("workspace", String(tenant.workspaceId));

      const after = await read(tenant.apiKey);
      const target = String(tenant.workspaceId);
      expect([before.status, before.body]).toEqual([200, []]);
      expect([after.status, after.body]).toEqual([
        200,
        [
          { kind: "workspace", target },
          { kind: "domain", target: slug },
        ],
      ]);
      expect((await read(other.apiKey)).status).toBe(404);
      const own = await server.call("GET", `/workspaces/${other.workspaceId}/blocks`, { key: other.apiKey });
      expect([own.status, own.body]).toEqual([200, []]);
    });
  });
}
