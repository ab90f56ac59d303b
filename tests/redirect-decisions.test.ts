/**
 * The decisions of a link about its visitors, through HTTP on both engines; destination.test.ts has every single case.
 */
import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { z } from "zod";
import { engines } from "./support/databases.ts";
import type { DnsServer } from "./support/dns-server.ts";
import { eventually, startServer, type TestServer } from "./support/server.ts";
import { withDatabase } from "./support/server-database.ts";
import { addLink, addVerifiedDomain, onShortDomain } from "./support/short-domains.ts";
import { statusAndLocation } from "./support/status-and-location.ts";
import { agentRows } from "./support/visits.ts";

const to = "https://example.com/to";
const Count = z.object({ clicks: z.int() });

function agentOf(fits: (row: (typeof agentRows)[number]) => boolean): string {
  const row = agentRows.find(fits);
  if (row === undefined) throw new Error("The fixture has no such agent.");
  return row.agent;
}

const person = { "User-Agent": agentOf(({ os, bot }) => os === "Windows" && bot === "") };
const iphone = {
  "User-Agent": agentOf(({ os, device, browser }) => `${os} ${device} ${browser}` === "iOS Mobile Safari"),
};
const previewer = { "User-Agent": agentOf(({ bot }) => bot === "preview") };
const crawler = { "User-Agent": agentOf(({ bot }) => bot === "search") };

for (const engine of engines) {
  describe(engine, () => {
    let dns: DnsServer;
    let server: TestServer;
    let domain: string;

    onShortDomain(
      startServer,
      engine,
      { WAYPOST_TRUSTED_PROXIES: "127.0.0.1", WAYPOST_APP_SCHEMES: "myapp" },
      (opened) => {
        ({ dns, server, domain } = opened);
      },
    );

    const link = async (fields: object, host = domain) => await addLink(server, { url: to, domain: host, ...fields });
    const visit = async (path: string, headers: Record<string, string> = person, method = "GET", host = domain) =>
      await server.visit(`/${path}`, { host, headers, method });
    const answerTo = async (...visitor: Parameters<typeof visit>) => await statusAndLocation(await visit(...visitor));
    const update = async (id: string, body: object) =>
      expect((await server.call("PATCH", `/links/${id}`, { body })).status).toBe(200);
    const clicksOf = async (id: string, bots = "exclude") =>
      Count.parse((await server.call("GET", `/analytics/clicks?interval=24h&linkId=${id}&bots=${bots}`)).body).clicks;

    describe("maxClicks", () => {
      test("exactly maxClicks of 50 concurrent visitors are redirected, and each counts", async () => {
        const { id, key } = await link({ maxClicks: 20 });

        const answers = await Promise.all(Array.from({ length: 50 }, () => answerTo(key)));

        expect(answers.filter((answer) => answer === `302 ${to}`)).toHaveLength(20);
        expect(answers.filter((answer) => answer === "410")).toHaveLength(30);
        expect(
          await eventually(
            () => clicksOf(id),
            (clicks) => clicks >= 20,
          ),
        ).toBe(20);
      });

      test("a higher limit reopens a used-up link on the next visit", async () => {
        const { id, key } = await link({ maxClicks: 1, expiredUrl: "https://example.com/ended" });
        const before = [await answerTo(key), await answerTo(`${key}?a=1`)];
        await update(id, { maxClicks: 2 });

        const after = [await answerTo(key), await answerTo(key)];

        expect(before).toEqual([`302 ${to}`, "302 https://example.com/ended"]);
        expect(after).toEqual(before);
        await update(id, { maxClicks: null });
        expect(await answerTo(key)).toBe(`302 ${to}`);
      });

      test("visits that are not clicks do not use up maxClicks, and do not get past a used-up link", async () => {
        const { key } = await link({ maxClicks: 1, password: "sesame" });
        const others = (): Promise<string[]> =>
          Promise.all([
            answerTo(`${key}?pw=sesame`, crawler),
            answerTo(`${key}?pw=sesame`, person, "HEAD"),
            answerTo(`${key}?pw=sesame`, { ...person, "Sec-Purpose": "prefetch" }),
            answerTo(`${key}?pw=sesame&dub-no-track`),
            answerTo(key),
            answerTo(`${key}?pw=wrong`),
          ]);

        const before = await others();
        const click = await answerTo(`${key}?pw=sesame`);
        const after = await others();

        expect(before).toEqual([...Array(4).fill(`302 ${to}`), "200", "200"]);
        expect(click).toBe(`302 ${to}`);
        expect(after).toEqual(Array(6).fill("410"));
      });

      test("a visitor gets 503 while the database is unreachable, and other links keep working", async () => {
        const { key } = await link({ maxClicks: 1 });
        const other = await link({});
        await withDatabase(server, ({ db }) => sql`ALTER TABLE "linkUses" RENAME TO "away"`.execute(db));

        const response = await visit(key);
        const plain = await answerTo(other.key);
        await withDatabase(server, ({ db }) => sql`ALTER TABLE "away" RENAME TO "linkUses"`.execute(db));

        expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
        expect(plain).toBe(`302 ${to}`);
        expect([await answerTo(key), await answerTo(key)]).toEqual([`302 ${to}`, "410"]);
      });

      test("a used-up link stays used up after a kill", async () => {
        const { key } = await link({ maxClicks: 2 });
        await answerTo(key);
        server = await server.restart();

        expect([await answerTo(key), await answerTo(key)]).toEqual([`302 ${to}`, "410"]);
      });
    });

    describe("rules", () => {
      const url = (name: string) => `https://example.com/${name}`;

      test("apply in their order to the visitor's request", async () => {
        const { key } = await link({
          rules: [
            { when: { query: { vip: "1" } }, url: url("vip") },
            { when: { country: "NL", os: "iOS" }, url: url("dutch-phone") },
            { when: { continent: ["EU"] }, url: url("europe") },
            { when: { language: ["pt-br", "de"] }, url: url("language") },
            { when: { device: "Mobile", browser: "Safari" }, url: url("safari") },
            { when: { before: "2001-01-01T00:00:00Z" }, url: url("never") },
          ],
        });
        const [dutch, american] = [{ "X-Forwarded-For": "130.89.148.12" }, { "X-Forwarded-For": "8.8.8.8" }];
        const german = { "Accept-Language": "en;q=0.7, de-AT" };
        const cases: [string, Record<string, string>, string][] = [
          [`${key}?vip=1`, { ...iphone, ...dutch }, `${url("vip")}?vip=1`],
          [key, { ...iphone, ...dutch }, url("dutch-phone")],
          [key, { ...person, ...dutch, ...german }, url("europe")],
          [key, { ...person, ...american, ...german }, url("language")],
          [key, { ...iphone, ...american }, url("safari")],
          [key, { ...person, ...american, "Accept-Language": "en, de;q=0.9" }, to],
        ];

        for (const [path, headers, place] of cases) {
          expect([path, headers, await answerTo(path, headers)]).toEqual([path, headers, `302 ${place}`]);
        }
      });

      test("that change take effect on the next visit", async () => {
        const { id, key } = await link({ rules: [{ when: { os: "windows" }, url: url("1") }] });
        const before = await answerTo(key);
        await update(id, { rules: [{ when: { os: "Windows" }, url: url("2") }] });

        expect([before, await answerTo(key)]).toEqual([`302 ${url("1")}`, `302 ${url("2")}`]);
      });

      test("redirect to apps whose scheme is configured, with the URL unchanged", async () => {
        const { key } = await link({ ios: "myapp://Open/./1?x=%2f", url: "myapp:home" });

        expect([await answerTo(key, iphone), await answerTo(key)]).toEqual([
          "302 myapp://Open/./1?x=%2f",
          "302 myapp:home",
        ]);
        expect((await server.call("POST", "/links", { body: { url: "otherapp://open", domain } })).status).toBe(422);
      });
    });

    test("each visitor of an A/B test gets the same variant every time", async () => {
      const variants = ["a", "b"].map((name) => ({ url: `https://example.com/${name}`, percentage: 50 }));
      const { key } = await link({ testVariants: variants, trackConversion: true });
      const visitors = Array.from({ length: 20 }, (_, visitor) => ({
        ...person,
        "X-Forwarded-For": `8.8.4.${visitor}`,
      }));
      const seen = () => Promise.all(visitors.map((headers) => answerTo(key, headers)));

      const first = await seen();

      expect(await seen()).toEqual(first);
      expect(new Set(first)).toEqual(new Set(variants.map(({ url }) => `302 ${url}`)));
    });

    test("a posted password opens the link, and neither it nor the form reaches the destination", async () => {
      const { key } = await link({ password: "open sesame" });
      const send = async (body: string | URLSearchParams | FormData, path = key) =>
        await fetch(`${server.url}/${path}`, {
          method: "POST",
          body,
          headers: { Host: domain, ...person },
          redirect: "manual",
        });

      const wrong = await send(new URLSearchParams({ pw: "open" }));
      const open = await send(new URLSearchParams({ pw: "open sesame" }), `${key}?a=1&pw=stale`);

      expect([wrong.status, (await wrong.text()).includes("Incorrect password")]).toEqual([200, true]);
      expect(await statusAndLocation(open)).toBe(`303 ${to}?a=1`);
      expect(await statusAndLocation(await send(""))).toBe("200");
      expect(await statusAndLocation(await send(new FormData()))).toBe("200");
    });

    test("a password form beyond 4 KiB gets the form again with 413, and counts as no attempt", async () => {
      const { key } = await link({ password: "open sesame" });
      const send = async (pw: string) => {
        const headers = { Host: domain, ...person, "X-Forwarded-For": "8.8.8.13" };
        const body = new URLSearchParams({ pw });
        const init = { method: "POST", body, headers, redirect: "manual" } as const;
        const answer = await fetch(`${server.url}/${key}?pw=open`, init);
        const text = await answer.text();
        return [answer.status, ["is too long", "Incorrect password"].filter((error) => text.includes(error))];
      };
      const room = 4 * 1024 - "pw=".length;
      // The eleventh wrong password of a network in a minute is refused.
      const attemptsMax = 10;

      const longest = await send("x".repeat(room));
      const refused: unknown[] = [];
      for (let attempt = 0; attempt < attemptsMax; attempt++) refused.push(await send("x".repeat(room + 1)));
      const open = await send("open sesame");

      expect(longest).toEqual([200, ["Incorrect password"]]);
      expect(refused).toEqual(Array(attemptsMax).fill([413, ["is too long"]]));
      expect(open).toEqual([303, []]);
    });

    describe("forwardPath", () => {
      test("forwards the path after the key, for the longest matching key", async () => {
        const { slug } = await addVerifiedDomain(server, dns);
        await link({ key: "Docs", url: "https://example.com/base?v=1", forwardPath: true }, slug);
        await link({ key: "docs/old", url: "https://example.com/old/", forwardPath: true }, slug);
        await link({ key: "docs/plain" }, slug);
        const cases = {
          docs: "302 https://example.com/base?v=1",
          "docs/": "302 https://example.com/base?v=1",
          "docs/a%20b/C?q=1": "302 https://example.com/base/a%20b/C?v=1&q=1",
          "DOCS/a/": "302 https://example.com/base/a/?v=1",
          "docs/old/x": "302 https://example.com/old/x",
          "docs/plain": `302 ${to}`,
          "docs/plain/x": "302 https://example.com/base/plain/x?v=1",
          "docs/%2e%2e/x": "404",
          "docsx/a": "404",
        };

        for (const [path, expected] of Object.entries(cases)) {
          expect([path, await answerTo(path, person, "GET", slug)]).toEqual([path, expected]);
        }
      });

      test("takes effect on the next visit, and ends on the next visit", async () => {
        const { slug } = await addVerifiedDomain(server, dns);
        const { id, key } = await link({}, slug);
        const seen = async () => [
          await answerTo(`${key}/a`, person, "GET", slug),
          await answerTo("x/a", person, "GET", slug),
        ];
        const closed = await seen();
        await update(id, { forwardPath: true });
        const open = await seen();
        await update(id, { forwardPath: false });

        expect([closed, open, await seen()]).toEqual([
          ["404", "404"],
          [`302 ${to}/a`, "404"],
          ["404", "404"],
        ]);
      });

      test("of the root link forwards every path that is not a key", async () => {
        const { slug } = await addVerifiedDomain(server, dns);
        const root = z.object({ id: z.string() }).parse((await server.call("GET", `/links/info?domain=${slug}`)).body);
        await update(root.id, { url: "https://example.com/home", forwardPath: true });
        await link({ key: "own" }, slug);

        const paths = ["", "a", "a/b", "own"];
        const seen = await Promise.all(paths.map((path) => answerTo(path, person, "GET", slug)));

        expect(seen).toEqual([
          "302 https://example.com/home",
          "302 https://example.com/home/a",
          "302 https://example.com/home/a/b",
          `302 ${to}`,
        ]);
      });

      test("moves with its link to another domain", async () => {
        const [from, other] = [await addVerifiedDomain(server, dns), await addVerifiedDomain(server, dns)];
        const { id, key } = await link({ forwardPath: true }, from.slug);
        const seen = async () =>
          await Promise.all([from, other].map(({ slug }) => answerTo(`${key}/a`, person, "GET", slug)));
        const before = await seen();
        await update(id, { domain: other.slug });

        expect([before, await seen()]).toEqual([
          [`302 ${to}/a`, "404"],
          ["404", `302 ${to}/a`],
        ]);
      });
    });

    test("a framed link shows its destination inside a page, which is a click", async () => {
      const { id, key } = await link({ rewrite: true, title: "Sale & more" });

      const response = await visit(`${key}?a=1`);
      const page = await response.text();

      expect([response.status, response.headers.get("x-robots-tag")]).toEqual([200, "noindex"]);
      expect(page).toContain(`<iframe src="${to}?a=1"`);
      expect(page).toContain("<title>Sale &amp; more</title>");
      expect(
        await eventually(
          () => clicksOf(id),
          (clicks) => clicks > 0,
        ),
      ).toBe(1);
    });

    test("a link with proxy shows its preview to preview bots and redirects all others", async () => {
      const { id, key } = await link({ proxy: true, title: "Sale", image: "https://example.com/i.png", doIndex: true });

      const response = await visit(key, previewer);
      const page = await response.text();

      expect([response.status, response.headers.get("x-robots-tag")]).toEqual([200, null]);
      expect(page).toContain(`property="og:title" content="Sale"`);
      expect(page).toContain(`property="og:image" content="https://example.com/i.png"`);
      expect(page).toContain(`https://${domain}/${key}`);
      expect([await answerTo(key), await answerTo(key, crawler)]).toEqual([`302 ${to}`, `302 ${to}`]);
      expect(
        await eventually(
          () => clicksOf(id, "only"),
          (clicks) => clicks > 1,
        ),
      ).toBe(2);
      expect(await clicksOf(id)).toBe(1);
    });

    test("robots.txt allows everything, because each response says whether to index it", async () => {
      for (const host of [domain, "localhost"]) {
        const response = await visit("robots.txt", crawler, "GET", host);

        expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/plain"]);
        expect(await response.text()).toBe("User-agent: *\nDisallow:\n");
      }
    });
  });
}
