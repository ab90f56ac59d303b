/**
 * Clicks from real input: every user agent, address and referrer of the fixtures visits links of a real server, and
 * every number of analytics is compared with the visits. The expected values come from the fixtures' own columns.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { engines } from "./support/databases.ts";
import { type DnsServer, startDnsServer } from "./support/dns-server.ts";
import { eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addLink, addVerifiedDomain } from "./support/short-domains.ts";
import {
  addressRows,
  agentRows,
  type ExpectedClick,
  groupsOf,
  inParallel,
  refererRows,
  send,
  type Visit,
  type VisitedLink,
} from "./support/visits.ts";

const sentAtOnce = 16;
const groupings = ["browser", "os", "referer", "country", "device"] as const;
const botChoices = ["exclude", "include", "only"] as const;
const hourMs = 3_600_000;

const Link = z.object({ id: z.string(), clicks: z.int(), lastClicked: z.string().nullable() });
const Report = z.object({ clicks: z.int(), data: z.array(z.record(z.string(), z.union([z.string(), z.number()]))) });
const Points = z.array(z.object({ start: z.string(), clicks: z.int() }));

/** TABLE of filters, and the sent clicks that match them. */
const filters: [string, (click: ExpectedClick) => boolean][] = [
  ["country=DE,FR", ({ country }) => country === "DE" || country === "FR"],
  ["country=-US", ({ country }) => country !== "US"],
  ["country=-de,us,Unknown", ({ country }) => !["DE", "US", "Unknown"].includes(country)],
  ["country=Unknown", ({ country }) => country === "Unknown"],
  ["continent=OC", ({ country }) => ["AU", "NZ"].includes(country)],
  ["browser=chrome,Firefox", ({ browser }) => browser === "Chrome" || browser === "Firefox"],
  ["browser=-Chrome", ({ browser }) => browser !== "Chrome"],
  ["os=iOS,macos", ({ os }) => os === "iOS" || os === "macOS"],
  ["device=mobile", ({ device }) => device === "Mobile"],
  ["referer=(direct)", ({ referer }) => referer === "(direct)"],
  ["referer=-google.com,T.CO", ({ referer }) => referer !== "google.com" && referer !== "t.co"],
  ["trigger=qr", ({ trigger }) => trigger === "qr"],
  ["qr=true", ({ trigger }) => trigger === "qr"],
  ["language=de", ({ language }) => language === "de"],
  ["root=true", ({ key }) => key === "_root"],
  ["root=false", ({ key }) => key !== "_root"],
  [
    "country=US,NL&device=-Mobile&trigger=link",
    ({ country, device, trigger }) =>
      (country === "US" || country === "NL") && device !== "Mobile" && trigger === "link",
  ],
  ["country=AQ", () => false],
];

/** Every visit of the suite: each row of each fixture once, combined with rows of the other fixtures in turn. */
function visitsTo(links: readonly VisitedLink[]): Visit[] {
  const inTurn = <Row>(rows: readonly Row[], index: number): Row => rows[index % rows.length] as Row;
  const humans = agentRows.filter(({ bot }) => bot === "");
  const link = (index: number) => inTurn(links, index);
  const languages = ["de-DE,de;q=0.9", "en-US,en;q=0.5", "pt-BR"] as const;
  const unusualRequests: Pick<Visit, "method" | "query" | "headers" | "countsAsBot">[] = [
    { method: "HEAD", countsAsBot: true },
    { headers: { "Sec-Purpose": "prefetch;prerender" }, countsAsBot: true },
    { headers: { Purpose: "prefetch" }, countsAsBot: true },
    { headers: { "X-Moz": "prefetch" }, countsAsBot: true },
    { query: "?qr=1" },
    { query: "?qr=0" },
    { query: "?a=1&qr=1&b=%F0%9F%94%A5" },
  ];
  return [
    ...agentRows.map((agent, index): Visit => ({ link: link(index), agent, address: inTurn(addressRows, index * 3) })),
    ...addressRows.map((address, index): Visit => ({ link: link(index), agent: inTurn(humans, index), address })),
    ...refererRows.map((referer, index): Visit => ({ link: link(index), agent: inTurn(humans, index * 5), referer })),
    ...languages.map((language, index): Visit => ({ link: link(index), agent: inTurn(humans, index), language })),
    ...unusualRequests.flatMap((fields, index): Visit[] =>
      links.map((visited) => ({ link: visited, agent: inTurn(humans, index), ...fields })),
    ),
  ];
}

for (const engine of engines) {
  describe(engine, () => {
    let dns: DnsServer;
    let server: TestService;
    let links: VisitedLink[];
    let sent: ExpectedClick[];
    /** Every API response that the tests received. */
    let answers: string;

    const ask = async (path: string): Promise<unknown> => {
      const { status, body } = await server.call("GET", path);
      answers += `${JSON.stringify(body)}\n`;
      expect([path, status]).toEqual([path, 200]);
      return body;
    };
    const report = async (query: string) => Report.parse(await ask(`/analytics/clicks?${query}`));
    /** Compares the count and every grouping of a selection with its visits. */
    const expectReports = async (query: string, expected: readonly ExpectedClick[]) => {
      expect({ query, ...(await report(query)) }).toMatchObject({ query, clicks: expected.length, data: [] });
      for (const groupBy of groupings) {
        const { clicks, data } = await report(`${query}&groupBy=${groupBy}`);
        expect({ query, clicks, data }).toEqual({
          query,
          clicks: expected.length,
          data: groupsOf(expected, groupBy),
        });
      }
    };
    const linkOf = async (id: string) => Link.parse(await ask(`/links/${id}`));
    const ofClass = (bots: string) =>
      sent.filter(({ isBot }) => (bots === "exclude" ? !isBot : bots === "only" ? isBot : true));

    beforeAll(async () => {
      answers = "";
      dns = await startDnsServer();
      server = await startService(
        {
          WAYPOST_RATE_LIMIT_PER_MINUTE: "0",
          WAYPOST_RESOLVERS: dns.address,
          WAYPOST_TRUSTED_PROXIES: "127.0.0.1,::1",
        },
        engine,
      );
      links = await makeLinks();
      sent = await inParallel(visitsTo(links), sentAtOnce, (visit) => send(server, visit));
      await sendUncounted();
      await eventually(
        () => report("bots=include&interval=24h"),
        ({ clicks }) => clicks >= sent.length,
      );
    });

    afterAll(async () => {
      await server.remove();
      await dns.close();
    });

    async function makeLinks(): Promise<VisitedLink[]> {
      const { slug } = await addVerifiedDomain(server, dns);
      const made = async (domain: string, key: string, path = key): Promise<VisitedLink> => {
        const { id } = await addLink(server, { domain, key, url: "https://example.com/to?own=1" });
        return { id, host: domain, domain, key, path };
      };
      const root = Link.parse((await server.call("GET", `/links/info?domain=${slug}`)).body);
      await server.call("PATCH", `/links/${root.id}`, { body: { url: "https://example.com/home" } });
      return [
        await made("localhost", "plain"),
        await made("localhost", "\u{1f525}", encodeURIComponent("\u{1f525}")),
        await made(slug, "Case", "cAsE"),
        await made(slug, "straße/größe", "stra%C3%9Fe/gr%C3%B6%C3%9Fe"),
        { id: root.id, host: slug, domain: slug, key: "_root", path: "" },
      ];
    }

    /** Sends visits that are not clicks: they opt out of tracking, miss the destination, or find no link. */
    async function sendUncounted(): Promise<void> {
      const [agent] = agentRows;
      const headers = { "User-Agent": agent?.agent ?? "" };
      const soon = "2999-01-01T00:00:00Z";
      const past = "2001-01-01T00:00:00Z";
      const domain = "localhost";
      const gone = { domain, url: "https://example.com/", expiredUrl: "https://example.com/gone" };
      await addLink(server, { ...gone, key: "expired", expiresAt: past });
      await addLink(server, { ...gone, key: "early", startsAt: soon });
      await addLink(server, { domain, key: "locked", url: "https://example.com/", password: "secret" });
      const paths = [
        ["/plain?dub-no-track", 302],
        ["/plain?qr=1&dub-no-track=1", 302],
        ["/expired", 302],
        ["/early", 302],
        ["/locked", 200],
        ["/locked?pw=wrong", 200],
        ["/nothing-here", 404],
      ] as const;
      for (const [path, status] of paths) {
        expect([path, (await server.visit(path, { headers })).status]).toEqual([path, status]);
      }
      const untracked = { ...headers, "Dub-No-Track": "1" };
      expect((await server.visit("/plain", { headers: untracked })).status).toBe(302);
      expect((await server.visit("/plain", { headers, method: "POST" })).status).toBe(405);
    }

    type Scope = [string, (click: ExpectedClick) => boolean];
    /** The scopes of a report, and the clicks in each. */
    const scopes = (): Scope[] => [
      ["", () => true],
      ...links.map(({ id }): Scope => [`linkId=${id}`, ({ linkId }) => linkId === id]),
    ];
    /** The same scopes by domain name. */
    const namedScopes = (): Scope[] => [
      ["domain=localhost", ({ domain }) => domain === "localhost"],
      ...links.map(
        ({ domain, key }): Scope => [
          `domain=${domain}&key=${encodeURIComponent(key)}`,
          (click) => click.domain === domain && click.key === key,
        ],
      ),
    ];

    for (const bots of botChoices) {
      for (const interval of ["24h", "7d", "90d", "ytd", "all"]) {
        test(`every grouping of ${interval} with bots=${bots} equals the visits of the workspace`, async () => {
          await expectReports(`interval=${interval}&bots=${bots}`, ofClass(bots));
        });
      }

      test(`every grouping of 30d with bots=${bots} equals the visits, for the workspace, each link and each domain name`, async () => {
        for (const [scope, isIn] of [...scopes(), ...namedScopes()]) {
          await expectReports(`${scope}&interval=30d&bots=${bots}`, ofClass(bots).filter(isIn));
        }
      });

      for (const [interval, stepMs] of [
        ["24h", hourMs],
        ["7d", 24 * hourMs],
        ["30d", 24 * hourMs],
        ["90d", 24 * hourMs],
      ] as const) {
        test(`the timeseries of ${interval} with bots=${bots} has every visit in its bucket`, async () => {
          for (const [scope, isIn] of scopes()) {
            const expected = ofClass(bots).filter(isIn);

            const points = Points.parse(await ask(`/analytics/timeseries?${scope}&interval=${interval}&bots=${bots}`));

            const wrong = points.filter(({ start, clicks }) => {
              const [from, to] = [Date.parse(start), Date.parse(start) + stepMs];
              const atLeast = expected.filter(({ time, answeredAt }) => time >= from && answeredAt < to).length;
              const atMost = expected.filter(({ time, answeredAt }) => answeredAt >= from && time < to).length;
              return clicks < atLeast || clicks > atMost;
            });
            expect({ scope, wrong }).toEqual({ scope, wrong: [] });
            expect({ scope, clicks: points.reduce((sum, { clicks }) => sum + clicks, 0) }).toEqual({
              scope,
              clicks: expected.length,
            });
          }
        });
      }

      for (const [filter, passes] of filters) {
        test(`the filter ${filter} with bots=${bots} selects the matching visits`, async () => {
          const expected = ofClass(bots).filter(passes);
          const query = `${filter}&bots=${bots}`;

          const points = Points.parse(await ask(`/analytics/timeseries?${query}`));

          expect(points.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(expected.length);
          await expectReports(query, expected);
        });
      }
    }

    test("without the parameter bots, only humans count", async () => {
      expect(await report("")).toMatchObject({ clicks: ofClass("exclude").length });
    });

    test("clicks and lastClicked of every link are those of human visits", async () => {
      for (const { id, key } of links) {
        const own = ofClass("exclude").filter(({ linkId }) => linkId === id);
        const last = Math.max(...own.map(({ time }) => time));

        const link = await eventually(
          () => linkOf(id),
          ({ clicks }) => clicks >= own.length,
        );

        expect([key, link.clicks]).toEqual([key, own.length]);
        // The server's clock is slightly later than the visitor's.
        expect(Date.parse(link.lastClicked ?? "")).toBeWithin(last, Date.now());
      }
    });

    test("a new click soon appears in analytics and on its link", async () => {
      const { id, key } = await addLink(server, { domain: "localhost", url: "https://example.com/" });
      const [agent] = agentRows;
      if (agent === undefined) throw new Error("There are no agents.");

      sent.push(await send(server, { link: { id, host: "localhost", domain: "localhost", key, path: key }, agent }));

      const both = async () => [(await report(`linkId=${id}`)).clicks, (await linkOf(id)).clicks];
      await eventually(both, ([reported, counted]) => reported === 1 && counted === 1);
      expect(await both()).toEqual([1, 1]);
    });

    test("no visitor's address is in any API response, in the log or in a file", async () => {
      await ask("/links");
      await ask("/domains");
      const texts = { answers, log: server.output(), files: filesBelow(server.data) };

      for (const [name, text] of Object.entries(texts)) {
        const found = addressRows.map(({ address }) => address).filter((address) => text.includes(address));
        expect([name, found]).toEqual([name, []]);
      }
    });
  });
}

function filesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}
