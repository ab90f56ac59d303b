/** A committed change takes effect on the next visit, whatever was cached before, on both engines. */
import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { engines } from "./support/databases.ts";
import type { DnsServer } from "./support/dns-server.ts";
import { browser, eventually, startServer, type TestServer } from "./support/server.ts";
import { addDomain, addLink, addVerifiedDomain, onShortDomain } from "./support/short-domains.ts";
import { openSnapshots, type Snapshot } from "./support/snapshot.ts";
import { statusAndLocation } from "./support/status-and-location.ts";
import { inParallel } from "./support/visits.ts";

const pairs = 120;
const visitorsAtOnce = 8;

for (const engine of engines) {
  describe(engine, () => {
    let dns: DnsServer;
    let server: TestServer;
    let domain: string;

    onShortDomain(startServer, engine, { WAYPOST_RATE_LIMIT_PER_MINUTE: "0" }, (opened) => {
      ({ dns, server, domain } = opened);
    });

    const visit = async (key: string, host = domain) =>
      await statusAndLocation(await server.visit(`/${key}`, { host }));
    const clicks = async () =>
      z.object({ clicks: z.number() }).parse((await server.call("GET", "/analytics/clicks")).body).clicks;
    const change = async (method: string, path: string, body?: object) => {
      const answer = await server.call(method, path, body === undefined ? {} : { body });
      expect([method, path, body, answer.status < 300 ? "done" : answer.body]).toEqual([method, path, body, "done"]);
    };

    test(`${pairs} changes of one link each take effect on the next visit`, async () => {
      const { id, key } = await addLink(server, { url: "https://example.com/0", domain });
      for (let round = 1; round <= pairs; round++) {
        await change("PATCH", `/links/${id}`, { url: `https://example.com/${round}` });

        expect([round, await visit(key)]).toEqual([round, `302 https://example.com/${round}`]);
      }
    });

    test("simultaneous changes of many links each take effect on the next visit, under load", async () => {
      const links = await inParallel([...Array(visitorsAtOnce).keys()], 1, () =>
        addLink(server, { url: "https://example.com/0", domain }),
      );
      const stop = new AbortController();
      const visitors = links.map(async ({ key }) => {
        while (!stop.signal.aborted) await visit(key);
      });
      const rounds = [...Array(pairs / visitorsAtOnce).keys()];

      const staleAnswers = await Promise.all(
        links.map(async ({ id, key }) => {
          const stale: string[] = [];
          for (const round of rounds) {
            await change("PATCH", `/links/${id}`, { url: `https://example.com/${key}/${round}` });
            const answer = await visit(key);
            if (answer !== `302 https://example.com/${key}/${round}`) stale.push(`${round}: ${answer}`);
          }
          return stale;
        }),
      );
      stop.abort();
      await Promise.all(visitors);

      expect(staleAnswers).toEqual(links.map(() => []));
    });

    test("a link created for an unknown key works on the next visit; after its deletion the key is 410 until a link uses it again", async () => {
      for (let round = 0; round < 20; round++) {
        const key = `made-${round}`;
        const before = await visit(key);
        const { id } = await addLink(server, { url: "https://example.com/made", domain, key });
        const during = await visit(key.toUpperCase());
        await change("DELETE", `/links/${id}`);
        const after = [await visit(key), await visit(`${key.toUpperCase()}.`), await visit(`${key}/x`)];
        await addLink(server, { url: "https://example.com/again", domain, key });

        expect({ before, during, after, again: await visit(key) }).toEqual({
          before: "404",
          during: "302 https://example.com/made",
          after: ["410", "410", "404"],
          again: "302 https://example.com/again",
        });
      }
    });

    test("after a link's deletion its key leads to the domain's notFoundUrl", async () => {
      const { slug } = await addVerifiedDomain(server, dns, { notFoundUrl: "https://example.com/none" });
      const { id } = await addLink(server, { url: "https://example.com/to", domain: slug, key: "k" });
      const before = await visit("k", slug);

      await change("DELETE", `/links/${id}`);

      expect({ before, after: [await visit("k", slug), await visit("K.", slug)] }).toEqual({
        before: "302 https://example.com/to",
        after: ["302 https://example.com/none", "302 https://example.com/none"],
      });
    });

    test("after a change of the key, the old one is 404 and the new one works, even if it was 404 before", async () => {
      const { id } = await addLink(server, { url: "https://example.com/moved", domain, key: "old-0" });
      for (let round = 1; round <= 20; round++) {
        const before = [await visit(`old-${round - 1}`), await visit(`old-${round}`)];

        await change("PATCH", `/links/${id}`, { key: `old-${round}` });

        const after = [await visit(`old-${round - 1}`), await visit(`old-${round}`)];
        expect({ round, before, after }).toEqual({
          round,
          before: ["302 https://example.com/moved", "404"],
          after: ["404", "302 https://example.com/moved"],
        });
      }
    });

    test("after a move to another domain the link works only there", async () => {
      const { slug } = await addVerifiedDomain(server, dns);
      const { id } = await addLink(server, { url: "https://example.com/to", domain, key: "wanderer" });
      const before = [await visit("wanderer"), await visit("wanderer", slug)];

      await change("PATCH", `/links/${id}`, { domain: slug });

      const after = [await visit("wanderer"), await visit("wanderer", slug)];
      expect({ before, after }).toEqual({
        before: ["302 https://example.com/to", "404"],
        after: ["404", "302 https://example.com/to"],
      });
    });

    /** TABLE of successive changes of one link, and the response to its visitor after each. */
    const steps: [object, string][] = [
      [{ redirectStatus: 308 }, "308 https://example.com/to"],
      [{ redirectStatus: null }, "302 https://example.com/to"],
      [{ expiresAt: "2001-01-01" }, "410"],
      [{ expiredUrl: "https://example.com/expired" }, "302 https://example.com/expired"],
      [{ expiresAt: null }, "302 https://example.com/to"],
      [{ startsAt: "2999-01-01", expiredUrl: null }, "410"],
      [{ startsAt: null }, "302 https://example.com/to"],
      [{ password: "secret" }, "200"],
      [{ password: null }, "302 https://example.com/to"],
      [{ utm_source: "mail" }, "302 https://example.com/to?utm_source=mail"],
      [{ utm_source: "" }, "302 https://example.com/to"],
      [{ archived: true }, "302 https://example.com/to"],
    ];
    test("every field that affects redirects takes effect on the next visit", async () => {
      const { id, key } = await addLink(server, { url: "https://example.com/to", domain });
      for (const [body, expected] of steps) {
        await change("PATCH", `/links/${id}`, body);

        expect([body, await visit(key)]).toEqual([body, expected]);
      }
    });

    test("a domain's settings, its verification and its deletion take effect on the next visit", async () => {
      const { id, slug, record } = await addDomain(server);
      await addLink(server, { url: "https://example.com/to", domain: slug, key: "k" });
      const pending = await visit("k", slug);
      dns.answer(record.name, { kind: "txt", records: [record.value] });

      await change("POST", `/domains-v2/${id}/verify`);
      const verified = [await visit("k", slug), await visit("unknown", slug)];
      await change("PATCH", `/domains/${slug}`, { notFoundUrl: "https://example.com/none" });
      const changed = await visit("unknown", slug);
      await change("DELETE", `/domains/${slug}`);
      const deleted = [await visit("k", slug), await visit("healthz", slug)];

      expect({ pending, verified, changed, deleted }).toEqual({
        pending: "404",
        verified: ["302 https://example.com/to", "404"],
        changed: "302 https://example.com/none",
        // It now belongs to the app, like any host that is not a domain.
        deleted: ["404", "200"],
      });
    });

    test("a deleted domain with many links stops working at once, and is erased even if the server is killed", async () => {
      const { id, slug } = await addVerifiedDomain(server, dns);
      const keys = Array.from({ length: 300 }, (_, number) => `k${number}`);
      for (let start = 0; start < keys.length; start += 100) {
        const links = keys
          .slice(start, start + 100)
          .map((key) => ({ url: "https://example.com/to", domain: slug, key }));
        await change("POST", "/links/bulk", links);
      }
      for (const key of keys) expect(await visit(key, slug)).toBe("302 https://example.com/to");
      await server.visit("/k0", { host: slug, headers: browser });
      const clicked = await eventually(clicks, (count) => count > 0);

      await change("DELETE", `/domains/${slug}`);
      const seen = new Set(await inParallel(keys, visitorsAtOnce, (key) => visit(key, slug)));
      server = await server.restart();

      expect([...seen]).toEqual(["404"]);
      const snapshots = await openSnapshots(server);
      const mentions = ({ domains, links }: Snapshot) =>
        [domains, links].flatMap((table) => [...(table?.rows.keys() ?? [])]).filter((row) => row.includes(id));
      await eventually(snapshots.read, (snapshot) => mentions(snapshot).length === 0);
      await snapshots.close();
      expect(await clicks()).toBe(clicked);
    });
  });
}
