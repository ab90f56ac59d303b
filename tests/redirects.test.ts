/** The response to a visitor of a short link: status, Location and headers, through HTTP on both engines. */
import { describe, expect, test } from "bun:test";
import { minuteMs } from "../src/base/time.ts";
import { emit, eventBy } from "../src/database/outbox.ts";
import { transact } from "../src/database/transact.ts";
import { runWithin } from "./support/attempts.ts";
import { engines } from "./support/databases.ts";
import type { DnsServer } from "./support/dns-server.ts";
import { eventually, type TestService } from "./support/server.ts";
import { withDatabase } from "./support/server-database.ts";
import { startService } from "./support/service.ts";
import { addDomain, addLink, addVerifiedDomain, onShortDomain } from "./support/short-domains.ts";
import { statusAndLocation } from "./support/status-and-location.ts";
import { agentRows } from "./support/visits.ts";

const past = "2001-01-01T00:00:00Z";
const future = "2999-01-01T00:00:00Z";

function agentOn(os: string): string {
  const row = agentRows.find((candidate) => candidate.os === os && candidate.bot === "");
  if (row === undefined) throw new Error(`The fixture has no human on ${os}.`);
  return row.agent;
}

/** TABLE of destinations, queries of the visit and exact Location headers. */
const destinations: [string, string, string][] = [
  ["https://example.com", "", "https://example.com/"],
  ["https://example.com/a b", "", "https://example.com/a%20b"],
  ["https://example.com/%7Ea?x=%2f#Top", "", "https://example.com/%7Ea?x=%2f#Top"],
  ["https://example.com/ä/\u{1f525}?ö=ü", "", "https://example.com/%C3%A4/%F0%9F%94%A5?%C3%B6=%C3%BC"],
  ["https://bücher.example/läden", "", "https://xn--bcher-kva.example/l%C3%A4den"],
  ["https://example.com/?a=1", "?", "https://example.com/?a=1"],
  ["https://example.com/?a=1&b=2#top", "?b=3&c=4", "https://example.com/?a=1&b=3&c=4#top"],
  ["https://example.com/?a=1&a=2&b=2", "?a=3&a=4", "https://example.com/?b=2&a=3&a=4"],
  ["https://example.com/", "?utm_source=x&utm_source=", "https://example.com/?utm_source=x&utm_source="],
  ["https://example.com/", "?q=%F0%9F%94%A5+%26", "https://example.com/?q=%F0%9F%94%A5+%26"],
  ["https://example.com/", "?a=%zz", "https://example.com/?a=%25zz"],
  ["https://example.com/?a=1", "?qr=1&pw=x&dub-no-track=1&dub-no-track", "https://example.com/?a=1"],
  ["https://example.com/?q=a%20b&flag&x=%2f&&", "?n=1", "https://example.com/?q=a%20b&flag&x=%2f&n=1"],
  ["https://example.com/?a%5B%5D=1&b=1&%61=2", "?a[]=3&a=4", "https://example.com/?b=1&a%5B%5D=3&a=4"],
  ["https://example.com/?a=1", "?a=2#", "https://example.com/?a=2"],
  ["https://example.com?a=1#x?y", "?b=2", "https://example.com/?a=1&b=2#x?y"],
  ["https://example.com/?qr=own&pw=own", "?qr=1&x=1", "https://example.com/?qr=own&pw=own&x=1"],
];

/** TABLE of keys and paths that must find them. */
const keys: [string, string[]][] = [
  ["MixedCase", ["MixedCase", "mixedcase", "MIXEDCASE", "%4dixedCase"]],
  ["ÄÖ-Straße", ["%C3%84%C3%96-Stra%C3%9Fe", "%C3%A4%C3%B6-STRA%C3%9Fe", "a%CC%88o%CC%88-stra%C3%9Fe"]],
  ["ΟΔΥΣΣΕΥΣ", [encodeURIComponent("οδυσσευς"), encodeURIComponent("ΟΔΥΣΣΕΥΣ")]],
  ["日本", [encodeURIComponent("日本")]],
  ["\u{1f525}", ["%F0%9F%94%A5"]],
  ["\u{1f469}\u200d\u{1f469}\u200d\u{1f467}", [encodeURIComponent("\u{1f469}\u200d\u{1f469}\u200d\u{1f467}")]],
  ["\u{1f1e9}\u{1f1ea}", [encodeURIComponent("\u{1f1e9}\u{1f1ea}")]],
  ["Docs/2026/plan.v2", ["docs/2026/plan.v2", "docs%2f2026%2Fplan.v2"]],
  ["a".repeat(190), ["A".repeat(190)]],
];

for (const engine of engines) {
  describe(engine, () => {
    let dns: DnsServer;
    let server: TestService;
    let domain: string;

    onShortDomain(
      startService,
      engine,
      { WAYPOST_RATE_LIMIT_PER_MINUTE: "0", WAYPOST_TRUSTED_PROXIES: "127.0.0.1" },
      (opened) => {
        ({ dns, server, domain } = opened);
      },
    );

    const link = async (fields: object, host = domain) =>
      await addLink(server, { url: "https://example.com/to", domain: host, ...fields });
    const visit = async (path: string, headers: Record<string, string> = {}, host = domain) =>
      await server.visit(`/${path}`, { host, headers });

    for (const status of [undefined, 301, 302, 307, 308]) {
      test(`a link with redirectStatus ${status} answers ${status ?? 302}, neither cached nor indexed`, async () => {
        const { key } = await link(status === undefined ? {} : { redirectStatus: status });

        const response = await visit(key);

        expect(await statusAndLocation(response)).toBe(`${status ?? 302} https://example.com/to`);
        expect(response.headers.get("cache-control")).toBe("private, no-store");
        expect(response.headers.get("x-robots-tag")).toBe("noindex");
      });
    }

    test("HEAD gets the response of GET without a body", async () => {
      const { key } = await link({});

      expect(await statusAndLocation(await server.visit(`/${key}`, { host: domain, method: "HEAD" }))).toBe(
        "302 https://example.com/to",
      );
    });

    for (const [url, query, location] of destinations) {
      test(`${url} visited with "${query}" leads to ${location}`, async () => {
        const { key } = await link({ url });

        expect(await statusAndLocation(await visit(`${key}${query}`))).toBe(`302 ${location}`);
      });
    }

    for (const [key, paths] of keys) {
      test(`the key ${key.slice(0, 20)} is found as ${paths.map((path) => path.slice(0, 30)).join(", ")}`, async () => {
        await link({ key });

        for (const path of paths) {
          expect([path, await statusAndLocation(await visit(path))]).toEqual([path, "302 https://example.com/to"]);
        }
      });
    }

    test("keys of a case-sensitive domain differ by case", async () => {
      const { slug } = await addVerifiedDomain(server, dns, { caseSensitive: true });
      await link({ key: "Ab", url: "https://example.com/1" }, slug);
      await link({ key: "aB", url: "https://example.com/2" }, slug);

      const answers = await Promise.all(
        ["Ab", "aB", "ab"].map(async (path) => await statusAndLocation(await visit(path, {}, slug))),
      );

      expect(answers).toEqual(["302 https://example.com/1", "302 https://example.com/2", "404"]);
    });

    /** TABLE of domain fields, link fields and responses; the link exists if there are link fields. */
    const endings: [string, object, object | undefined, string][] = [
      ["an expired link", {}, { expiresAt: past }, "410"],
      [
        "an expired link with expiredUrl",
        {},
        { expiresAt: past, expiredUrl: "https://e.com/l" },
        "302 https://e.com/l",
      ],
      [
        "an expired link on a domain with expiredUrl",
        { expiredUrl: "https://e.com/d" },
        { expiresAt: past },
        "302 https://e.com/d",
      ],
      [
        "an expired link with both",
        { expiredUrl: "https://e.com/d" },
        { expiresAt: past, expiredUrl: "https://e.com/l" },
        "302 https://e.com/l",
      ],
      [
        "an expiredUrl beyond ASCII",
        { expiredUrl: "https://e.com/\u{1f525}ü" },
        { expiresAt: past },
        "302 https://e.com/%F0%9F%94%A5%C3%BC",
      ],
      [
        "a link's expiredUrl beyond ASCII",
        {},
        { expiresAt: past, expiredUrl: "https://e.com/€" },
        "302 https://e.com/%E2%82%AC",
      ],
      ["a link that is not open yet", {}, { startsAt: future }, "410"],
      [
        "a link that is not open yet with expiredUrl",
        {},
        { startsAt: future, expiredUrl: "https://e.com/l" },
        "302 https://e.com/l",
      ],
      ["an open link that is not expired", {}, { startsAt: past, expiresAt: future }, "302 https://example.com/to"],
      ["an archived link", {}, { archived: true }, "302 https://example.com/to"],
      ["an unknown key", {}, undefined, "404"],
      [
        "an unknown key on a domain with notFoundUrl",
        { notFoundUrl: "https://e.com/n" },
        undefined,
        "302 https://e.com/n",
      ],
      [
        "a notFoundUrl beyond ASCII",
        { notFoundUrl: "https://e.com/\u{1f525}ü" },
        undefined,
        "302 https://e.com/%F0%9F%94%A5%C3%BC",
      ],
      ["an expired link on a domain with notFoundUrl", { notFoundUrl: "https://e.com/n" }, { expiresAt: past }, "410"],
    ];
    for (const [description, settings, fields, expected] of endings) {
      test(`${description} gets ${expected}`, async () => {
        const { slug } = await addVerifiedDomain(server, dns, settings);
        if (fields !== undefined) await link({ key: "ending", ...fields }, slug);

        const response = await visit("ending", {}, slug);

        expect(response.headers.get("cache-control")).toBe("private, no-store");
        expect(await statusAndLocation(response)).toBe(expected);
      });
    }

    test("a disabled link is 410", async () => {
      const { id, key } = await link({});
      await withDatabase(server, ({ db }) =>
        transact(db, async (tx) => {
          const { domainId, foldedKey, workspaceId } = await tx
            .updateTable("links")
            .set({ disabledAt: 1 })
            .where("id", "=", id)
            .returning(["domainId", "foldedKey", "workspaceId"])
            .executeTakeFirstOrThrow();
          await emit(tx, eventBy({ workspaceId, userId: null }, "link.updated", id, 1, { domainId, foldedKey }));
        }),
      );

      const answer = async () => await statusAndLocation(await visit(key));
      expect(await eventually(answer, (seen) => seen === "410")).toBe("410");
    });

    test("trailing punctuation is ignored, unless a link has such a key", async () => {
      await link({ url: "https://example.com/bare", key: "marked" });
      await link({ url: "https://example.com/bare", key: "locked", password: "secret" });
      const cases = ["marked.", "marked)", "marked,", "marked%29.", "MARKED).?a=1", "marked./", "marked.x", "mark."];
      const before = await Promise.all(cases.map(async (path) => statusAndLocation(await visit(path))));
      await link({ url: "https://example.com/dot", key: "marked." });

      const after = [await statusAndLocation(await visit("marked.")), await statusAndLocation(await visit("marked,"))];

      const bare = "302 https://example.com/bare";
      expect(before).toEqual([bare, bare, bare, bare, `${bare}?a=1`, bare, "404", "404"]);
      expect(after).toEqual(["302 https://example.com/dot", bare]);
      expect(await statusAndLocation(await visit("locked."))).toBe("200");
    });

    test("every path that is not a link's key is 404", async () => {
      await link({ key: "tree/leaf" });
      for (const path of [
        "tree",
        "tree/",
        "tree/leaf/more",
        "_root",
        "%5Froot",
        "_ROOT",
        "%00",
        "a%00b",
        "%zz",
        "%ff",
      ]) {
        expect([path, await statusAndLocation(await visit(path))]).toEqual([path, "404"]);
      }
    });

    test("a page is HTML that loads nothing external and is not cached", async () => {
      const { key } = await link({ password: "secret" });
      for (const path of ["nothing-here", key]) {
        const response = await visit(path);

        expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
        expect(response.headers.get("cache-control")).toBe("private, no-store");
        expect(response.headers.get("content-security-policy")).toStartWith("default-src 'none'");
        expect(await response.text()).not.toMatch(/(src|href)="?https?:/);
      }
    });

    test("a link with a password shows a form until ?pw= is right, and does not forward the password", async () => {
      const { key } = await link({ password: "open sesame & more" });

      const closed = await visit(key);
      const wrong = await visit(`${key}?pw=open`);
      const open = await visit(`${key}?pw=${encodeURIComponent("open sesame & more")}&a=1`);

      expect(closed.status).toBe(200);
      expect(await closed.text()).toContain('name="pw"');
      expect(wrong.status).toBe(200);
      expect(await wrong.text()).toContain("Incorrect password.");
      expect(await statusAndLocation(open)).toBe("302 https://example.com/to?a=1");
    });

    test("after ten wrong passwords no further one is checked for a minute", async () => {
      const { guesses, right, elsewhere } = await runWithin(minuteMs, async () => {
        const { key } = await link({ password: "secret" });
        const guesses: number[] = [];
        for (let attempt = 0; attempt < 11; attempt++) guesses.push((await visit(`${key}?pw=${attempt}`)).status);
        const { status: right } = await visit(`${key}?pw=secret`);
        const { status: elsewhere } = await visit(`${key}?pw=secret`, { "X-Forwarded-For": "8.8.8.8" });
        return { guesses, right, elsewhere };
      });

      expect(guesses).toEqual([...Array(10).fill(200), 429]);
      expect({ right, elsewhere }).toEqual({ right: 429, elsewhere: 302 });
    }, 240_000);

    test("iOS, Android and countries have their own destinations, in this order", async () => {
      const geo = { NL: "https://example.com/nl/€", jp: "https://example.com/jp" };
      const { key } = await link({ ios: "https://example.com/ios", android: "https://example.com/\u{1f916}", geo });
      const [dutch, american] = [{ "X-Forwarded-For": "130.89.148.12" }, { "X-Forwarded-For": "8.8.8.8" }];
      const cases: [Record<string, string>, string][] = [
        [{ "User-Agent": agentOn("iOS"), ...dutch }, "https://example.com/ios"],
        [{ "User-Agent": agentOn("Android"), ...dutch }, "https://example.com/%F0%9F%A4%96"],
        [{ "User-Agent": agentOn("Windows"), ...dutch }, "https://example.com/nl/%E2%82%AC"],
        [{ "User-Agent": agentOn("Windows"), "X-Forwarded-For": "202.12.27.33" }, "https://example.com/jp"],
        [{ "User-Agent": agentOn("Windows"), ...american }, "https://example.com/to"],
        [{ "User-Agent": agentOn("Windows") }, "https://example.com/to"],
      ];
      for (const [headers, location] of cases) {
        expect([headers, await statusAndLocation(await visit(key, headers))]).toEqual([headers, `302 ${location}`]);
        expect(await statusAndLocation(await visit(`${key}?x=1`, headers))).toBe(`302 ${location}?x=1`);
      }
    });

    test("every other method gets 405 with the allowed methods, for links, unknown keys and the root", async () => {
      const { key } = await link({});
      for (const host of [domain, "localhost"]) {
        for (const path of [key, "nothing-here", ""]) {
          for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
            const response = await server.visit(`/${path}`, { host, method });

            const seen = [response.status, response.headers.get("allow")];
            expect({ host, path, method, seen }).toEqual({ host, path, method, seen: [405, "GET, HEAD"] });
          }
        }
      }
    });

    test("a link with a password also allows POST, and returns 405 for other methods", async () => {
      const { key } = await link({ password: "secret" });
      for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const response = await server.visit(`/${key}`, { host: domain, method });

        const seen = [response.status, response.headers.get("allow")];
        expect({ method, seen }).toEqual({ method, seen: [405, "GET, HEAD, POST"] });
      }
    });

    test("links of a pending domain are 404 until it is verified", async () => {
      const { id, slug, record } = await addDomain(server);
      const { key } = await link({}, slug);
      const before = await statusAndLocation(await visit(key, {}, slug));
      dns.answer(record.name, { kind: "txt", records: [record.value] });

      await server.call("POST", `/domains-v2/${id}/verify`);

      expect([before, await statusAndLocation(await visit(key, {}, slug))]).toEqual([
        "404",
        "302 https://example.com/to",
      ]);
    });
  });
}
