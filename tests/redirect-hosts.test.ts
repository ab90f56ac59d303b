/** The domain of each Host, and the reserved paths of the instance's host, through HTTP on both engines. */
import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { engines } from "./support/databases.ts";
import type { DnsServer } from "./support/dns-server.ts";
import { rawGet, rawRequest } from "./support/raw-http.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addDomain, addLink, addVerifiedDomain, type OnShortDomain, onShortDomain } from "./support/short-domains.ts";
import { statusAndLocation } from "./support/status-and-location.ts";
import { newTenant } from "./support/tenants.ts";

const Link = z.object({ id: z.string() });
const segments = ["v1", "app", "docs", "healthz", "readyz", "metrics", "internal"];
const assetLinks = '[{"relation":["delegate_permission/common.handle_all_urls"]}]';
const appleAppSiteAssociation = '{"applinks":{"details":[]}}';

for (const engine of engines) {
  describe(engine, () => {
    let dns: DnsServer;
    let server: TestService;
    let domain: string;

    const environment = { WAYPOST_RATE_LIMIT_PER_MINUTE: "0" };
    const claims = { assetLinks, appleAppSiteAssociation };
    const use = async (opened: OnShortDomain) => {
      ({ dns, server, domain } = opened);
      await addLink(server, { url: "https://example.com/short", domain, key: "same" });
      await addLink(server, { url: "https://example.com/app", domain: "localhost", key: "same" });
    };
    onShortDomain(startService, engine, environment, use, claims);

    const visit = async (path: string, host: string) => await statusAndLocation(await server.visit(path, { host }));
    const setRoot = async (slug: string, url: string) => {
      const { id } = Link.parse((await server.call("GET", `/links/info?domain=${slug}`)).body);
      expect((await server.call("PATCH", `/links/${id}`, { body: { url } })).status).toBe(200);
    };

    test("an unverified domain neither serves association files nor takes over the service's paths", async () => {
      const { slug } = await addDomain(server, { assetLinks });

      expect(await visit("/.well-known/assetlinks.json", slug)).toBe("404");
      expect(await visit("/healthz", slug)).toBe("200");
    });

    test("slashes after a key make no difference", async () => {
      expect(await visit("/same/", domain)).toBe("302 https://example.com/short");
      expect(await visit("/same//", domain)).toBe("302 https://example.com/short");
    });

    test("very long hosts and keys are not looked up", async () => {
      const long = "x".repeat(10_000);

      expect(await visit(`/${long}`, domain)).toBe("404");
      expect(await visit("/healthz", `${"x".repeat(300)}.example`)).toBe("200");
    });

    test("a domain is recognized with a port, in upper case and with a trailing dot", async () => {
      const upper = domain.toUpperCase();
      for (const host of [domain, `${domain}:80`, `${domain}:65535`, upper, `${domain}.`, `${upper}.:8443`]) {
        expect([host, await visit("/same", host)]).toEqual([host, "302 https://example.com/short"]);
      }
    });

    test("a domain answers www. before its name, once", async () => {
      expect(await visit("/same", `www.${domain}`)).toBe("302 https://example.com/short");
      // Unknown hosts get the app on this instance.
      expect(await visit("/same", `www.www.${domain}`)).toBe("302 https://example.com/app");
      expect(await visit("/.well-known/assetlinks.json", `www.${domain}`)).toBe("200");
      const { slug } = await addDomain(server);
      await addLink(server, { url: "https://example.com/pending", domain: slug, key: "same" });
      expect(await visit("/same", `www.${slug}`)).toBe("404");
    });

    test("a Host that is not a domain gets the app", async () => {
      const hosts = [
        "elsewhere.example",
        `x.${domain}`,
        `${domain}.evil.example`,
        "127.0.0.1",
        "[::1]:3000",
        "LOCALHOST:1",
      ];
      for (const host of hosts) {
        expect([host, await visit("/same", host)]).toEqual([host, "302 https://example.com/app"]);
        expect([host, await visit("/healthz", host)]).toEqual([host, "200"]);
      }
    });

    test("a request without Host, or with an empty one, gets the app", async () => {
      const bytes = ["GET /same HTTP/1.0\r\n\r\n", rawGet("/same", { Host: "" })];
      for (const request of bytes) {
        const answer = await rawRequest(server.url, request);

        expect([request, answer?.status, answer?.headers.get("location")]).toEqual([
          request,
          302,
          "https://example.com/app",
        ]);
      }
    });

    test("an internationalized domain is recognized by its punycode", async () => {
      const body = { slug: "München-Links.example" };
      const created = z
        .object({ id: z.string(), slug: z.string() })
        .parse((await server.call("POST", "/domains", { body })).body);
      const report = await server.call("GET", `/domains/${created.slug}/dns`);
      const { name, value } = z
        .object({ ownership: z.object({ expected: z.object({ name: z.string(), value: z.string() }) }) })
        .parse(report.body).ownership.expected;
      dns.answer(name, { kind: "txt", records: [value] });
      await server.call("POST", `/domains-v2/${created.id}/verify`);
      await addLink(server, { url: "https://example.com/idn", domain: "münchen-links.example", key: "k" });

      expect(await visit("/k", "xn--mnchen-links-dlb.example")).toBe("302 https://example.com/idn");
    });

    test("the reserved path segments are not keys on the instance's host, but are keys on other domains", async () => {
      for (const segment of segments) {
        for (const key of [segment, `${segment.toUpperCase()}/x`]) {
          const body = { url: "https://example.com", domain: "localhost", key };
          expect([key, (await server.call("POST", "/links", { body })).status]).toEqual([key, 422]);
          await addLink(server, { url: "https://example.com/own", domain, key });
          expect([key, await visit(`/${key}`, domain)]).toEqual([key, "302 https://example.com/own"]);
        }
      }
    });

    test("a short domain serves neither API nor dashboard nor health checks", async () => {
      const { slug } = await addVerifiedDomain(server, dns);
      for (const path of ["/v1/workspaces", "/v1/openapi.json", "/app", "/docs", "/healthz", "/readyz", "/metrics"]) {
        expect([path, await visit(path, slug)]).toEqual([path, "404"]);
      }
    });

    test("the root of a short domain is an unknown key until its root link has a url", async () => {
      const { slug } = await addVerifiedDomain(server, dns);
      const before = await visit("/", slug);
      await setRoot(slug, "https://example.com/home?a=1");

      const after = [await visit("/", slug), await visit("/?a=2&b=3", slug)];
      await setRoot(slug, "");

      expect(before).toBe("404");
      expect(after).toEqual(["302 https://example.com/home?a=1", "302 https://example.com/home?a=2&b=3"]);
      expect(await visit("/", slug)).toBe("404");
    });

    test("the root of the instance's host leads to /app until its root link has a url", async () => {
      const before = await visit("/", "localhost");
      await setRoot("localhost", "https://example.com/home");
      const after = await visit("/", "localhost");
      await setRoot("localhost", "");

      expect([before, after, await visit("/", "localhost")]).toEqual([
        "302 /app",
        "302 https://example.com/home",
        "302 /app",
      ]);
    });

    test("the files with which apps claim a domain's links are served unchanged", async () => {
      const files = { "assetlinks.json": assetLinks, "apple-app-site-association": appleAppSiteAssociation };
      for (const [file, contents] of Object.entries(files)) {
        const response = await server.visit(`/.well-known/${file}`, { host: domain });

        expect(response.headers.get("content-type")).toBe("application/json");
        expect([file, response.status, await response.text()]).toEqual([file, 200, contents]);
      }
      for (const [path, host] of [
        ["/.well-known/assetlinks.json", "localhost"],
        ["/.well-known/other", domain],
        ["/.well-known/", domain],
        ["/.well-known", domain],
      ] as const) {
        expect([path, await visit(path, host)]).toEqual([path, "404"]);
      }
    });

    test("changes to a workspace's pending domain do not affect the verified one of another workspace", async () => {
      const { apiKey: key } = await newTenant(server);
      const mine = await addDomain(server);
      const body = { slug: mine.slug, notFoundUrl: "https://evil.example/" };
      const rival = z.object({ id: z.string() }).parse((await server.call("POST", "/domains", { key, body })).body);
      await addLink(server, { url: "https://evil.example/", domain: mine.slug, key: "k" }, { key });
      dns.answer(mine.record.name, { kind: "txt", records: [mine.record.value] });
      await server.call("POST", `/domains-v2/${mine.id}/verify`);
      await addLink(server, { url: "https://example.com/mine", domain: mine.slug, key: "k" });

      const { body: verification } = await server.call("POST", `/domains-v2/${rival.id}/verify`, { key });

      expect(verification).toMatchObject({ success: false });
      expect(await visit("/k", mine.slug)).toBe("302 https://example.com/mine");
      expect(await visit("/nothing-here", mine.slug)).toBe("404");
    });

    test("with WAYPOST_UNVERIFIED_REDIRECTS links work on pending domains; of two workspaces with the same domain, the older domain wins", async () => {
      const open = await startService({ WAYPOST_UNVERIFIED_REDIRECTS: "true" }, engine);
      try {
        const { slug } = await addDomain(open);
        await addLink(open, { url: "https://example.com/older", domain: slug, key: "k" });
        const { apiKey: key } = await newTenant(open);
        await open.call("POST", "/domains", { key, body: { slug } });
        await addLink(open, { url: "https://example.com/younger", domain: slug, key: "k" }, { key });

        expect(await statusAndLocation(await open.visit("/k", { host: slug }))).toBe("302 https://example.com/older");
      } finally {
        await open.remove();
      }
    });
  });
}
