/** Blocks by the operator: responses to visitors and callers, in every process, at once and after a restart. */
import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { runInProcess } from "./support/command-in-process.ts";
import { openDashboard, ownerPassword, ownerSignIn } from "./support/dashboard.ts";
import { engines } from "./support/databases.ts";
import { type CallOptions, eventually, startServer, type TestServer } from "./support/server.ts";
import { addDomain, addLink, addVerifiedDomain, type OnShortDomain, onShortDomain } from "./support/short-domains.ts";
import { newTenant } from "./support/tenants.ts";

const Named = z.object({ kind: z.string(), target: z.string() });
const Report = z.object({ ownership: z.object({ expected: z.object({ name: z.string(), value: z.string() }) }) });
const visitsOfEach = 6;

for (const engine of engines) {
  describe(engine, () => {
    let world: OnShortDomain<TestServer>;
    onShortDomain(startServer, engine, { ...ownerPassword, WAYPOST_WORKERS: "2" }, (opened) => {
      world = opened;
    });

    async function run(...args: string[]): Promise<unknown[]> {
      const { code, stdout, stderr } = await runInProcess(args, world.server);
      if (code !== 0) throw new Error(stderr);
      return stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    }
    const list = async (...args: string[]) => z.array(z.unknown()).parse((await run(...args, "--json"))[0]);
    const block = async (kind: string, target: string) =>
      Named.parse((await run(kind, "block", target, "--reason", "Phishing"))[0]).target;
    /** Each visit uses its own connection, so that visits spread over the workers. */
    async function statuses(key: string, host: string, headers: Record<string, string> = {}): Promise<number[]> {
      const visits = Array.from({ length: visitsOfEach }, async () => {
        const response = await world.server.visit(`/${key}`, { host, headers: { Connection: "close", ...headers } });
        await response.arrayBuffer();
        return response.status;
      });
      return [...new Set(await Promise.all(visits))];
    }
    const read = async (id: string) => {
      const { status, headers } = await world.server.call("GET", `/links/${id}`);
      return [status, headers.get("waypost-warning")];
    };

    test("a blocked link returns a page with 410 from the next visit on, warns its owner, and works when unblocked", async () => {
      const { server, domain } = world;
      const { id, key, shortLink } = await addLink(server, { url: "https://example.com/to", domain });
      const other = await addLink(server, { url: "https://example.com/to", domain });
      expect(await statuses(key, domain)).toEqual([302]);

      expect(await block("link", shortLink)).toBe(id);

      const page = await server.visit(`/${key}`, { host: domain, headers: { "Accept-Language": "de" } });
      expect([page.status, await page.text()]).toEqual([
        410,
        expect.stringContaining("Er wurde vom Betreiber dieses Dienstes gesperrt."),
      ]);
      expect([await statuses(key, domain), await statuses(other.key, domain)]).toEqual([[410], [302]]);
      expect(await read(id)).toEqual([200, expect.stringContaining(`blocked;message="The operator`)]);
      const resolved = await server.call("POST", `/links/${id}/resolve`, { body: {} });
      expect(resolved.body).toMatchObject({ status: 410, page: "blocked", counted: false, notCounted: "blocked" });
      expect(await list("blocks")).toEqual([
        {
          kind: "link",
          target: id,
          name: `${domain}/${key.toLowerCase()}`,
          reason: "Phishing",
          createdAt: expect.stringMatching(/Z$/),
        },
      ]);
      expect(run("link", "block", id, "--reason", "Again")).rejects.toThrow("is already blocked");
      const history = await server.call("GET", `/links/${id}/history`);
      const [change] = z.array(z.object({ id: z.string(), type: z.string() })).parse(history.body);
      expect(change?.type).toBe("link.blocked");
      const reverted = await server.call("POST", `/links/${id}/history/${change?.id}/revert`);
      expect(reverted.status).toBe(422);

      await run("link", "unblock", shortLink);
      expect(await statuses(key, domain)).toEqual([302]);
      expect(await read(id)).toEqual([200, null]);
      expect(await list("link", "blocks")).toEqual([]);
      expect(run("link", "unblock", id)).rejects.toThrow("is not blocked");
    });

    test("a blocked host stops every destination on it and its subdomains, and no link can get one", async () => {
      const { server, domain } = world;
      const ios = { "User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15" };
      const good = "https://good.example/";
      const evil = "https://login.evil.example/";
      const expired = { expiresAt: "2001-01-01T00:00:00Z", expiredUrl: evil };
      const inRule = { url: good, rules: [{ when: { query: { a: "b" } }, url: evil }] };
      const links = {
        plain: await addLink(server, { url: evil, domain }),
        forIos: await addLink(server, { url: good, ios: evil, domain }),
        expired: await addLink(server, { url: good, ...expired, domain }),
        inRule: await addLink(server, { ...inRule, domain }),
        alike: await addLink(server, { url: "https://notevil.example/", domain }),
      };
      await statuses(`${links.inRule.key}?a=b`, domain);

      await block("host", "Evil.example");

      expect(await statuses(links.plain.key, domain)).toEqual([410]);
      expect(await statuses(links.forIos.key, domain)).toEqual([302]);
      expect(await statuses(links.forIos.key, domain, ios)).toEqual([410]);
      expect(await statuses(links.expired.key, domain)).toEqual([410]);
      expect(await statuses(links.inRule.key, domain)).toEqual([302]);
      expect(await statuses(`${links.inRule.key}?a=b`, domain)).toEqual([410]);
      expect(await statuses(links.alike.key, domain)).toEqual([302]);
      expect(await read(links.inRule.id)).toEqual([200, expect.stringContaining("leads to a host")]);
      const refused = [
        await server.call("POST", "/links", { body: { url: evil, domain } }),
        await server.call("POST", "/links/bulk", { body: [{ url: good, android: evil, domain }] }),
        await server.call("PATCH", `/links/${links.alike.id}`, { body: { geo: { DE: evil } } }),
        await server.call("PUT", "/links/upsert", { body: { url: "https://evil.example./", domain } }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
      expect(JSON.stringify(refused[0]?.body)).toContain("url: leads to a host that the operator");
      expect((await server.call("PATCH", `/links/${links.plain.id}`, { body: { title: "T" } })).status).toBe(200);

      await run("host", "unblock", "evil.example");
      expect(await statuses(links.plain.key, domain)).toEqual([302]);
      expect(await statuses(`${links.inRule.key}?a=b`, domain)).toEqual([302]);
    });

    test("the links of a blocked domain stop, and it cannot be renamed or deleted; other domains work", async () => {
      const { server, dns, domain } = world;
      const blocked = await addVerifiedDomain(server, dns, { notFoundUrl: "https://example.com/none" });
      const { key, id } = await addLink(server, { url: "https://example.com/to", domain: blocked.slug });
      const other = await addLink(server, { url: "https://example.com/to", domain });

      expect(await block("domain", blocked.slug)).toBe(blocked.id);

      expect(await statuses(key, blocked.slug)).toEqual([410]);
      expect(await statuses("unknown", blocked.slug)).toEqual([404]);
      expect(await statuses(other.key, domain)).toEqual([302]);
      expect((await read(id))[1]).toStartWith("blocked;");
      const owned = [await server.call("GET", `/domains/${blocked.slug}`), await server.call("GET", "/domains")];
      const warning = `The operator of this service has blocked ${blocked.slug}`;
      for (const { headers } of owned)
        expect(headers.get("waypost-warning")).toStartWith(`blocked;message="${warning}`);
      const rename = await server.call("PATCH", `/domains/${blocked.slug}`, { body: { slug: "new.example.com" } });
      const deletion = await server.call("DELETE", `/domains/${blocked.slug}`);
      expect([rename.status, deletion.status]).toEqual([403, 403]);
      expect(run("domain", "block", "127.0.0.1", "--reason", "All")).rejects.toThrow();

      await run("domain", "unblock", blocked.slug);
      expect(await statuses(key, blocked.slug)).toEqual([302]);
    });

    const url = "https://example.com/to";
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const attempts: [string, (link: { id: string; key: string }, domain: string) => Promise<unknown>][] = [
      [
        "deleted and created again",
        async ({ id, key }, domain) => {
          await world.server.call("DELETE", `/links/${id}`);
          await addLink(world.server, { url, domain, key: key.toUpperCase() });
        },
      ],
      [
        "deleted and created by an upsert",
        async ({ id, key }, domain) => {
          await world.server.call("DELETE", `/links/${id}`);
          await world.server.call("PUT", "/links/upsert", { body: { url, domain, key } });
        },
      ],
      [
        "deleted and created in bulk",
        async ({ id, key }, domain) => {
          await world.server.call("DELETE", `/links/bulk?linkIds=${id}`);
          await world.server.call("POST", "/links/bulk", { body: [{ url, domain, key }], headers });
        },
      ],
      [
        "renamed, and another link then takes its key",
        async ({ id, key }, domain) => {
          await world.server.call("PATCH", `/links/${id}`, { body: { key: `${key}-2` } });
          expect(await statuses(`${key}-2`, domain)).toEqual([410]);
          await addLink(world.server, { url, domain, key });
        },
      ],
      [
        "moved to another domain, replaced by a link that moves there, and reverted",
        async ({ id, key }, domain) => {
          const other = await addVerifiedDomain(world.server, world.dns);
          await world.server.call("PATCH", `/links/${id}`, { body: { domain: other.slug } });
          expect(await statuses(key, other.slug)).toEqual([410]);
          const next = await addLink(world.server, { url, domain });
          await world.server.call("PATCH", `/links/${next.id}`, { body: { key } });
          await world.server.call("PATCH", `/links/${next.id}`, { body: { key: `${key}-3` } });
          const history = await world.server.call("GET", `/links/${next.id}/history`);
          const [change] = z.array(z.object({ id: z.string() })).parse(history.body);
          const reverted = await world.server.call("POST", `/links/${next.id}/history/${change?.id}/revert`);
          expect(reverted.body).toMatchObject({ key });
        },
      ],
      [
        "deleted with its domain, which is added and verified again as caseSensitive",
        async ({ key }, domain) => {
          await world.server.call("DELETE", `/domains/${domain}`);
          await addProven(domain, { caseSensitive: true });
          await addLink(world.server, { url, domain, key });
        },
      ],
      [
        "on a domain that is renamed, before another domain is renamed to the former name",
        async ({ key }, domain) => {
          await world.server.call("PATCH", `/domains/${domain}`, { body: { slug: `old-${domain}` } });
          const other = await addVerifiedDomain(world.server, world.dns);
          await addLink(world.server, { url, domain: other.slug, key });
          await world.server.call("PATCH", `/domains/${other.slug}`, { body: { slug: domain } });
          await verify(domain);
        },
      ],
    ];
    async function addProven(slug: string, settings: object = {}, options: CallOptions = {}) {
      const added = await world.server.call("POST", "/domains", { ...options, body: { slug, ...settings } });
      if (added.status >= 400) return added.status;
      return await verify(slug, options);
    }
    async function verify(slug: string, options: CallOptions = {}) {
      const { body } = await world.server.call("GET", `/domains/${slug}/dns`, options);
      const { name, value } = Report.parse(body).ownership.expected;
      world.dns.answer(name, { kind: "txt", records: [value] });
      const { id } = z
        .object({ id: z.string() })
        .parse((await world.server.call("GET", `/domains/${slug}`, options)).body);
      const verified = await world.server.call("POST", `/domains-v2/${id}/verify`, options);
      expect(verified.body).toMatchObject({ success: true });
      return verified.status;
    }

    test.each(attempts)("a block of a link holds after the link is %s, until it ends", async (_, attempt) => {
      const { slug } = await addVerifiedDomain(world.server, world.dns);
      const link = await addLink(world.server, { url, domain: slug, key: `win-${crypto.randomUUID()}` });
      await block("link", link.shortLink);
      expect(await statuses(link.key, slug)).toEqual([410]);

      await attempt(link, slug);

      expect(await statuses(link.key, slug)).toEqual([410]);
      const there = await world.server.call("GET", `/links/info?domain=${slug}&key=${link.key}`);
      expect(there.headers.get("waypost-warning")).toStartWith("blocked;");
      const id = z.object({ id: z.string() }).parse(there.body).id;
      const resolved = await world.server.call("POST", `/links/${id}/resolve`, { body: {} });
      expect(resolved.body).toMatchObject({ status: 410, page: "blocked", notCounted: "blocked" });

      await run("link", "unblock", link.shortLink);
      expect(await statuses(link.key, slug)).toEqual([302]);
    });

    test("a block of a domain holds for every workspace that has or adds the domain, until it ends", async () => {
      const { server } = world;
      const [first, second] = [await newTenant(server), await newTenant(server)];
      const { slug } = await addDomain(server, {}, { key: first.apiKey });
      // Added before the block in another workspace, and verified after it.
      await server.call("POST", "/domains", { key: second.apiKey, body: { slug } });
      const { key } = await addLink(server, { url, domain: slug }, { key: second.apiKey });
      await verify(slug, { key: first.apiKey });
      await addLink(server, { url, domain: slug, key }, { key: first.apiKey });

      await block("domain", slug);
      const confirm = await server.call("DELETE", `/workspaces/${first.workspaceId}?confirm=Other`, {
        key: first.apiKey,
      });
      expect(confirm.status).toBe(200);

      expect(await addProven(slug)).toBe(403);
      await verify(slug, { key: second.apiKey });
      expect(await statuses(key, slug)).toEqual([410]);

      await run("domain", "unblock", slug);
      expect(await statuses(key, slug)).toEqual([302]);
    });

    test.each(["link", "host", "domain", "workspace", "user"])(
      "a block of a %s is listed with its reason, and the server logs its begin and end",
      async (kind) => {
        const { server, dns } = world;
        const { slug } = await addVerifiedDomain(server, dns);
        const tenant = await newTenant(server);
        const named: Record<string, () => Promise<string>> = {
          link: async () => (await addLink(server, { url, domain: slug })).shortLink,
          host: async () => "blocked.example",
          domain: async () => slug,
          workspace: async () => String(tenant.workspaceId),
          user: async () => tenant.email,
        };
        const name = (await named[kind]?.()) ?? "";
        const reason = `Phishing ${crypto.randomUUID()}`;

        const help = await runInProcess([kind, "block", "--help"], server);
        const [added] = await run(kind, "block", name, "--reason", reason);
        const [all, ofKind] = [await list("blocks"), await list(kind, "blocks")];
        const [ended] = await run(kind, "unblock", name);

        const { target } = Named.parse(added);
        const listed = { kind, target, reason };
        expect(help.stdout).toContain("--reason <text>");
        const called = kind === "user" ? { name: tenant.email } : {};
        expect([all, ofKind]).toEqual([1, 2].map(() => [expect.objectContaining({ ...listed, ...called })]));
        expect(ended).toMatchObject(listed);
        const lines = await eventually(
          async () =>
            world.server
              .output()
              .split("\n")
              .filter((line) => line.includes(reason) && line.endsWith("}")),
          ({ length }) => length === 2,
        );
        expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
          expect.objectContaining({ level: "info", operation: "block", ...listed }),
          expect.objectContaining({ level: "info", operation: "unblock", ...listed }),
        ]);
      },
    );

    test("an owner of a blocked workspace cannot create another workspace", async () => {
      const { server } = world;
      const tenant = await newTenant(server);
      await block("workspace", String(tenant.workspaceId));
      const create = () => server.call("POST", "/workspaces", { key: tenant.apiKey, body: { name: "Next" } });

      const refused = await create();
      const deletion = await server.call("DELETE", `/workspaces/${tenant.workspaceId}?confirm=Other`, {
        key: tenant.apiKey,
      });
      await run("workspace", "unblock", String(tenant.workspaceId));

      expect([refused.status, deletion.status, (await create()).status]).toEqual([403, 403, 201]);
    });

    test("the API refuses requests in a blocked workspace, its links are 410, and its members can list their workspaces", async () => {
      const { server } = world;
      const tenant = await newTenant(server);
      const host = new URL(server.url).host;
      const options = { key: tenant.apiKey };
      const { key } = await addLink(server, { url: "https://example.com/to" }, options);
      const mine = await addLink(server, { url: "https://example.com/to", domain: world.domain });

      await block("workspace", String(tenant.workspaceId));

      expect(await statuses(key, host)).toEqual([410]);
      expect(await statuses(mine.key, world.domain)).toEqual([302]);
      const links = await server.call("GET", "/links", options);
      expect([links.status, JSON.stringify(links.body)]).toEqual([
        403,
        expect.stringContaining("blocked this workspace"),
      ]);
      expect(JSON.stringify(links.body)).not.toContain("Phishing");
      expect((await server.call("GET", "/workspaces", options)).status).toBe(200);
      expect((await server.call("GET", "/links")).status).toBe(200);

      await run("workspace", "unblock", String(tenant.workspaceId));
      expect(await statuses(key, host)).toEqual([302]);
      expect((await server.call("GET", "/links", options)).status).toBe(200);
    });

    test("a blocked user cannot sign in or call the API, and their links are 410, also after a restart", async () => {
      const { server } = world;
      const tenant = await newTenant(server);
      const host = new URL(server.url).host;
      const { key } = await addLink(server, { url: "https://example.com/to" }, { key: tenant.apiKey });
      const page = openDashboard(server);
      await page.signIn();
      const token = await page.token();
      const mine = await addLink(server, { url: "https://example.com/to", domain: world.domain });

      await block("user", ownerSignIn.email);

      const calls = [
        await server.call("GET", "/links", { key: token }),
        await server.call("GET", "/user"),
        await openDashboard(server).signIn(),
      ];
      expect(calls.map(({ status }) => status)).toEqual([403, 403, 403]);
      expect(JSON.stringify(calls)).not.toContain("Phishing");
      expect(await statuses(mine.key, world.domain)).toEqual([410]);
      expect(await statuses(key, host)).toEqual([302]);

      try {
        await server.end("SIGTERM");
        world = { ...world, server: await server.restart() };
        expect(await statuses(mine.key, world.domain)).toEqual([410]);
        await world.server.end("SIGTERM");
        // No server is running now.
        await run("user", "unblock", ownerSignIn.email);
        world = { ...world, server: await server.restart() };
        expect(await statuses(mine.key, world.domain)).toEqual([302]);
        expect((await world.server.call("GET", "/links")).status).toBe(200);
      } finally {
        await world.server.end("SIGTERM");
      }
    });
  });
}
