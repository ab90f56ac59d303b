/** The resolve operation, compared with the real response to such a visitor, on both engines. */
import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { minuteMs } from "../src/base/time.ts";
import { runWithin } from "./support/attempts.ts";
import { engines } from "./support/databases.ts";
import { eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addDomain, addLink, onShortDomain } from "./support/short-domains.ts";
import { addressRows, agentRows, inParallel } from "./support/visits.ts";

const visitorsCount = 300;
const to = "https://example.com/to";

const Resolution = z.strictObject({
  status: z.int(),
  outcome: z.string(),
  url: z.string().nullable(),
  page: z.string().nullable(),
  matched: z.record(z.string(), z.unknown()).nullable(),
  counted: z.boolean(),
  notCounted: z.string().nullable(),
  bot: z.string().nullable(),
});
const Count = z.object({ clicks: z.int() });
const human = agentRows.find(({ os, bot }) => os === "Windows" && bot === "")?.agent ?? "";
const crawler = agentRows.find(({ bot }) => bot === "search")?.agent ?? "";

const previewers = agentRows.filter(({ bot }) => bot === "preview");

const past = "2001-01-01T00:00:00Z";
const url = (name: string) => `https://example.com/${name}`;

/** TABLE of links with different kinds of decisions. */
const kinds: object[] = [
  {},
  { redirectStatus: 307, doIndex: true },
  { forwardPath: true, url: "https://example.com/base?x=1#f" },
  { expiresAt: past },
  { expiresAt: past, expiredUrl: url("ended") },
  { startsAt: "2999-01-01T00:00:00Z" },
  { password: "sesame" },
  { rewrite: true, rules: [{ when: { os: ["Android", "iOS"] }, url: url("phone") }] },
  { proxy: true, title: "Sale", geo: { DE: url("de"), US: url("us"), JP: "myapp://jp" } },
  { ios: url("ios"), android: url("android"), geo: { NL: url("nl") } },
  {
    rules: [
      { when: { query: { src: "mail" } }, url: url("mail") },
      { when: { language: ["de", "fr"], continent: "EU" }, url: url("language") },
      { when: { device: "Mobile", browser: ["Safari", "Chrome"] }, url: url("mobile") },
      { when: { country: ["US", "CA"] }, url: url("america") },
      { when: { after: past, continent: "AS" }, url: url("asia") },
    ],
  },
  { testVariants: ["a", "b", "c"].map((name) => ({ url: url(name), percentage: 30 })), trackConversion: true },
];
const languages = ["", "de-AT,de;q=0.9", "en-US,en;q=0.9,de;q=0.8", "fr;q=0.4, ja", "*"];
const queries = ["", "?src=mail", "?a=1&src=x", "?pw=sesame&a=ü", "?pw=wrong", "?dub-no-track", "?qr=1&x=2"];

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    let domain: string;

    onShortDomain(
      startService,
      engine,
      { WAYPOST_TRUSTED_PROXIES: "127.0.0.1", WAYPOST_APP_SCHEMES: "myapp" },
      (opened) => {
        ({ server, domain } = opened);
      },
    );

    const resolve = async (id: string, visitor: object) => {
      const { status, body } = await server.call("POST", `/links/${id}/resolve`, { body: visitor });
      if (status !== 200) throw new Error(`${JSON.stringify(visitor)}: ${status} ${JSON.stringify(body)}`);
      return Resolution.parse(body);
    };
    const clicksOf = async (id: string) =>
      Count.parse((await server.call("GET", `/analytics/clicks?interval=24h&linkId=${id}`)).body).clicks;

    test(
      `${visitorsCount} visitors of all kinds get the response that resolving predicted, and count as it predicted`,
      async () => {
        const links = await inParallel(kinds, 4, (fields) => addLink(server, { url: to, domain, ...fields }));
        let state = 20_261_121;
        const pick = <Item>(items: readonly Item[]): Item => {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
          const item = items[Math.floor((state / 2 ** 32) * items.length)];
          if (item === undefined) throw new Error("There is nothing to pick from.");
          return item;
        };
        const visitors = Array.from({ length: visitorsCount }, () => ({
          link: pick(links),
          method: pick(["GET", "GET", "GET", "HEAD"]),
          userAgent: pick(pick([agentRows, agentRows, previewers])).agent,
          address: pick(addressRows).address,
          language: pick(languages),
          purpose: pick(["", "", "", "prefetch;prerender"]),
          query: pick(queries),
          path: pick(["", "", "/deep/er%20", "/%2e%2e/x"]),
        }));

        const compared = await inParallel(visitors, 8, async ({ link, ...visitor }) => {
          const resolved = await resolve(link.id, visitor);
          const response = await server.visit(`/${link.key}${visitor.path}${visitor.query}`, {
            host: domain,
            method: visitor.method,
            headers: {
              "User-Agent": visitor.userAgent,
              "X-Forwarded-For": visitor.address,
              ...(visitor.language === "" ? {} : { "Accept-Language": visitor.language }),
              ...(visitor.purpose === "" ? {} : { "Sec-Purpose": visitor.purpose }),
            },
          });
          const page = await response.text();
          const isShown = resolved.outcome === "frame" || resolved.outcome === "preview";
          const actual = {
            status: response.status,
            url:
              isShown && (visitor.method === "HEAD" || page.includes(htmlOf(resolved.url)))
                ? resolved.url
                : response.headers.get("location"),
          };
          return { link, visitor, predicted: resolved, actual };
        });

        const isDifferent = ({ predicted, actual }: (typeof compared)[number]) =>
          predicted.status !== actual.status || predicted.url !== actual.url;
        expect(compared.filter(isDifferent)).toEqual([]);
        expect(new Set(compared.map(({ predicted }) => predicted.outcome))).toEqual(
          new Set(["destination", "frame", "preview", "fallback", "page"]),
        );
        for (const { id } of links) {
          const expected = compared.filter(({ link, predicted }) => link.id === id && predicted.counted).length;
          expect(
            await eventually(
              () => clicksOf(id),
              (clicks) => clicks >= expected,
            ),
          ).toBe(expected);
        }
      },
      { timeout: 60_000 },
    );

    test("resolving uses up none of maxClicks, and reports when they are used up", async () => {
      const { id, key } = await addLink(server, { url: to, domain, maxClicks: 1 });
      const resolveOnce = async () => {
        const { status, page, counted, notCounted } = await resolve(id, { userAgent: human });
        return { status, page, counted, notCounted };
      };
      const before = [await resolveOnce(), await resolveOnce(), await resolveOnce()];
      const response = await server.visit(`/${key}`, { host: domain, headers: { "User-Agent": human } });

      expect(before).toEqual(Array(3).fill({ status: 302, page: null, counted: true, notCounted: null }));
      expect(response.status).toBe(302);
      expect(await resolveOnce()).toEqual({ status: 410, page: "usedUp", counted: false, notCounted: "usedUp" });
    });

    test("a call can describe a visitor by place, time and password, which no request can claim", async () => {
      const { id } = await addLink(server, {
        url: to,
        domain,
        password: "sesame",
        expiresAt: "2030-01-01T00:00:00Z",
        rules: [
          { when: { region: "US-CA", before: "2029-01-01T00:00:00Z" }, url: url("california") },
          { when: { continent: "NA" }, url: url("america") },
        ],
      });
      const open = { userAgent: human, password: "sesame" };
      const matched = async (visitor: object) => {
        const { url: destination, page, matched: decision } = await resolve(id, visitor);
        return [destination ?? page, decision?.["index"]];
      };

      expect(await matched({ ...open, region: "us-ca", at: "2028-01-01T00:00:00Z" })).toEqual([url("california"), 0]);
      expect(await matched({ ...open, region: "US-CA", at: "2029-01-01T00:00:00Z" })).toEqual([url("america"), 1]);
      expect(await matched({ ...open, country: "de" })).toEqual([to, undefined]);
      expect(await matched({ ...open, continent: "NA" })).toEqual([url("america"), 1]);
      expect(await matched({ userAgent: human })).toEqual(["password", undefined]);
      expect(await matched({ ...open, at: "2030-01-01T00:00:00Z" })).toEqual(["expired", undefined]);
    });

    test("the response says why a visit is not a click", async () => {
      const { id } = await addLink(server, { url: to, domain });
      const reason = async (visitor: object) => {
        const { counted, notCounted, bot } = await resolve(id, { userAgent: human, ...visitor });
        return [counted, notCounted, bot];
      };

      expect(await reason({})).toEqual([true, null, null]);
      expect(await reason({ userAgent: crawler })).toEqual([false, "bot", "search"]);
      expect(await reason({ method: "HEAD" })).toEqual([false, "bot", "head"]);
      expect(await reason({ purpose: "prefetch" })).toEqual([false, "bot", "prefetch"]);
      expect(await reason({ query: "dub-no-track=1" })).toEqual([false, "noTrack", null]);
    });

    test("wrong passwords are limited like those of visitors", async () => {
      const guesses = await runWithin(minuteMs, async () => {
        const { id } = await addLink(server, { url: to, domain, password: "sesame" });
        const statuses: number[] = [];
        for (let guess = 0; guess < 11; guess++) statuses.push((await resolve(id, { password: String(guess) })).status);
        return statuses;
      });

      expect(guesses).toEqual([...Array(10).fill(200), 429]);
    }, 240_000);

    test("a link of an unverified domain has no destination", async () => {
      const { slug } = await addDomain(server);
      const { id } = await addLink(server, { url: to, domain: slug });

      const { status, page, url: destination } = await resolve(id, { userAgent: human });

      expect([status, page, destination]).toEqual([404, "unverified", null]);
    });

    test.each([
      [{ country: "XX" }, "country"],
      [{ region: "California" }, "region"],
      [{ continent: "Europe" }, "continent"],
      [{ address: "1.2.3" }, "address"],
      [{ address: `2001:db8::9%${"z".repeat(40)}` }, "address"],
      [{ at: "tomorrow" }, "at"],
      [{ method: "POST" }, "method"],
      [{ userAgent: 1 }, "userAgent"],
      [{ query: "x".repeat(8_001) }, "query"],
    ])("an invalid description of a visitor is 422: %j", async (visitor, field) => {
      const { id } = await addLink(server, { url: to, domain });

      const { status, body } = await server.call("POST", `/links/${id}/resolve`, { body: visitor });

      expect([status, JSON.stringify(body).includes(field)]).toEqual([422, true]);
    });
  });
}

/** A URL as it appears in HTML. */
function htmlOf(address: string | null): string {
  return (address ?? "").replaceAll("&", "&amp;");
}
