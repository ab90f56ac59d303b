/**
 * Analytics and events through HTTP on real clicks, also through Dub's official SDK, which validates every response and
 * throws when its shape differs.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Dub } from "dub";
import type { QueryParamGroupBy } from "dub/models/operations";
import { z } from "zod";
import { pluralNames } from "../src/analytics/filters.ts";
import { analyticsGroupings, groupingNamed, namesOf } from "../src/analytics/groupings.ts";
import { pluralScopeNames } from "../src/analytics/scope.ts";
import { engines } from "./support/databases.ts";
import { Points, refusalOf } from "./support/requests.ts";
import { eventually, ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addLink } from "./support/short-domains.ts";
import { newTenant, type Tenant } from "./support/tenants.ts";

const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:100.0) Gecko/20100101 Firefox/100.0";
const phone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";
const zeros = { leads: 0, sales: 0, saleAmount: 0 };
const saleUrl = "https://example.com/sale?utm_source=mail&utm_medium=email&utm_campaign=a&utm_term=b&utm_content=c#x";

/** TABLE of groupings with a type in the SDK, and their rows after the visits below. */
const known: [QueryParamGroupBy, object[]][] = [
  ["continents", [{ continent: "EU", clicks: 3 }]],
  [
    "countries",
    [
      { country: "SE", region: "*", city: "*", clicks: 2 },
      { country: "IE", region: "*", city: "*", clicks: 1 },
    ],
  ],
  ["regions", []],
  ["cities", []],
  ["devices", pair("device", "Desktop", "Mobile")],
  ["browsers", pair("browser", "Firefox", "Safari")],
  ["os", pair("os", "Windows", "iOS")],
  ["trigger", pair("trigger", "link", "qr")],
  ["triggers", pair("trigger", "link", "qr")],
  ["referers", pair("referer", "(direct)", "news.example")],
  ["referer_urls", pair("refererUrl", "(direct)", "https://www.news.example/today")],
  ["top_urls", pair("url", saleUrl, "https://example.org/")],
  ["top_base_urls", pair("url", "https://example.com/sale", "https://example.org/")],
  ["top_partners", []],
  ["top_groups", []],
  ["top_partner_tags", []],
];

/** TABLE of groupings without a type in the SDK: it throws for any of their rows. */
const untyped: [QueryParamGroupBy, object[]][] = [
  ["top_domains", [{ domain: "localhost", clicks: 3 }]],
  ["utm_sources", [{ utm_source: "mail", clicks: 2 }]],
  ["utm_mediums", [{ utm_medium: "email", clicks: 2 }]],
  ["utm_campaigns", [{ utm_campaign: "a", clicks: 2 }]],
  ["utm_terms", [{ utm_term: "b", clicks: 2 }]],
  ["utm_contents", [{ utm_content: "c", clicks: 2 }]],
];

/** TABLE of filters, and the matching clicks of the three visits below. */
const filters: [string, number][] = [
  ["country=SE", 2],
  ["country=se,IE", 3],
  ["country=-SE,IE", 0],
  ["device=mobile", 1],
  ["os=-ios", 2],
  ["browser=firefox&country=IE", 1],
  ["trigger=qr", 1],
  ["qr=true", 1],
  ["root=true", 0],
  ["root=false", 3],
  ["referer=news.example", 1],
  ["refererGroup=news.example", 1],
  ["refererGroup=-(direct)", 1],
  ["channel=direct", 2],
  ["channels=search,referral", 1],
  ["channel=search", 0],
  ["utm_source=mail", 2],
  ["utm_source=-mail", 1],
  [`url=${encodeURIComponent(saleUrl)}`, 2],
  ["domain=localhost", 3],
  ["domain=-localhost", 0],
  ["externalId=ext_one", 2],
  ["tenantId=acme", 2],
  ["tenantId=-acme", 1],
  ["bots=only", 1],
  ["bots=include", 4],
  ["bot=search", 1],
  ["bot=ai,search&bots=include", 1],
  ["bot=-search", 3],
  ["bots=include&bot=-search", 3],
  ["baseUrl=https://example.com/sale", 2],
  ["event=leads", 0],
  ["event=composite", 3],
];

const Rows = z.array(z.record(z.string(), z.unknown()));
const Counted = z.record(z.string(), z.unknown());
const LinkClicks = z.array(z.looseObject({ clicks: z.int() }));
const Events = z.array(
  z.looseObject({
    timestamp: z.string(),
    click_id: z.string(),
    link_id: z.string(),
    link: z.looseObject({ id: z.string(), archived: z.boolean() }),
  }),
);

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    let other: Tenant;
    let dub: Dub;
    let sale: Awaited<ReturnType<typeof addLink>>;
    let titled: Awaited<ReturnType<typeof addLink>>;

    const ask = async (query: string) => (await server.call("GET", `/analytics?${query}`)).body;
    const rows = async (query: string) => Rows.parse(await ask(query));
    const count = async (query: string) => Counted.parse(await ask(query));
    const events = async (query: string) => Events.parse((await server.call("GET", `/events?${query}`)).body);
    const topLinks = () =>
      [
        { ...linkFields(sale), title: null, comments: "for all", clicks: 2 },
        { ...linkFields(titled), title: "A title", comments: null, clicks: 1 },
      ].map((row) => ({ ...row, ...zeros }));

    // Two people, the second one twice: by the first link, and by scanning the second one. And a bot.
    beforeAll(async () => {
      server = await startService({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1", WAYPOST_RATE_LIMIT_PER_MINUTE: "0" }, engine);
      other = await newTenant(server);
      dub = new Dub({ token: ownerKey, serverURL: `${server.url}/v1` });
      sale = await addLink(server, { url: saleUrl, comments: "for all", externalId: "one", tenantId: "acme" });
      titled = await addLink(server, { url: "https://example.org/", title: "A title" });
      const visits: [path: string, address: string, headers: Record<string, string>][] = [
        [`/${sale.key}`, "137.43.1.1", { "User-Agent": firefox, Referer: "https://www.news.example/today?who=me" }],
        [`/${sale.key}`, "130.242.1.1", { "User-Agent": firefox }],
        [`/${titled.key}?qr=1`, "130.242.1.1", { "User-Agent": phone }],
        [`/${titled.key}`, "130.242.1.1", { "User-Agent": "Googlebot/2.1 (+http://www.google.com/bot.html)" }],
      ];
      for (const [path, address, headers] of visits) {
        const { status } = await server.visit(path, { headers: { ...headers, "X-Forwarded-For": address } });
        expect(status).toBe(302);
      }
      const stored = () => count("bots=include");
      await eventually(stored, ({ clicks }) => clicks === visits.length);
      // A background task counts them on their links.
      const counted = async () => LinkClicks.parse((await server.call("GET", "/links")).body);
      await eventually(counted, (links) => links.reduce((sum, { clicks }) => sum + clicks, 0) === visits.length - 1);
    });

    afterAll(() => server.remove());

    describe("GET /v1/analytics", () => {
      const period = { start: expect.stringMatching(/T00:00:00\.000Z$/), end: expect.stringMatching(/Z$/) };

      test("counts the clicks, and has 0 for leads and sales", async () => {
        expect(await ask("")).toEqual({ ...period, clicks: 3, ...zeros });
        expect(await ask("event=sales")).toEqual({ ...period, clicks: 0, ...zeros });
      });

      test.each([...known, ...untyped])(
        "groupBy=%s has only its own fields and the numbers",
        async (groupBy, expected) => {
          expect(await ask(`groupBy=${groupBy}`)).toEqual(expected.map((row) => ({ ...row, ...zeros })));
        },
      );

      test("groupBy=bots has the kinds of bots and no people, also when bots are excluded", async () => {
        const kinds = [{ bot: "search", clicks: 1, ...zeros }];

        expect(await ask("groupBy=bots")).toEqual(kinds);
        expect(await ask("groupBy=bots&bots=include")).toEqual(kinds);
      });

      test("weekday_hours has every hour of the week, with all clicks and their visitors", async () => {
        for (const query of ["", "timezone=Asia/Kathmandu&metric=visitors&compare=previous"]) {
          const hours = await rows(`groupBy=weekday_hours&${query}`);

          expect(hours.map(({ weekday, hour }) => [weekday, hour])).toEqual(
            Array.from({ length: 168 }, (_, index) => [1 + Math.floor(index / 24), index % 24]),
          );
          expect(hours.reduce((sum, { clicks }) => sum + Number(clicks), 0)).toBe(3);
        }
        const [first] = await rows("groupBy=weekday_hours&event=leads&compare=previous&metric=visitors");
        const none = { clicks: 0, ...zeros, visitors: 0 };
        expect(first).toEqual({ weekday: 1, hour: 0, ...none, previous: none });
      });

      test("top_links has the current fields of each link", async () => {
        expect(await ask("groupBy=top_links")).toEqual(topLinks());
      });

      test("timeseries has every bucket of the specified report, with all numbers", async () => {
        for (const query of ["", "interval=24h", "interval=7d&timezone=Europe/Berlin", "interval=90d"]) {
          const specified = Points.parse((await server.call("GET", `/analytics/timeseries?${query}`)).body);

          const answer = await ask(`groupBy=timeseries&${query}`);

          expect([query, answer]).toEqual([query, specified.map((point) => ({ ...point, ...zeros }))]);
        }
      });

      test.each(filters)("%s selects %d clicks, in count, timeseries and rows", async (filter, expected) => {
        const series = await rows(`groupBy=timeseries&${filter}`);
        const devices = await rows(`groupBy=triggers&${filter}`);

        const sums = [series, devices].map((points) => points.reduce((sum, { clicks }) => sum + Number(clicks), 0));
        expect([(await count(filter))["clicks"], ...sums]).toEqual([expected, expected, expected]);
      });

      test("links are selected one by one, several at once, or excluded", async () => {
        const of = async (query: string) => (await count(query))["clicks"];

        expect(await of(`linkId=${sale.id}`)).toBe(2);
        expect(await of(`linkId=${sale.id},${titled.id}`)).toBe(3);
        expect(await of(`linkId=-${sale.id}`)).toBe(1);
        expect(await of(`domain=localhost&key=${titled.key}`)).toBe(1);
      });

      test("metric=visitors adds the distinct visitors and orders by them", async () => {
        expect(await ask("metric=visitors")).toEqual({ ...period, clicks: 3, visitors: 3, ...zeros });
        expect(await ask("metric=visitors&groupBy=browsers")).toEqual([
          { browser: "Firefox", clicks: 2, visitors: 2, ...zeros },
          { browser: "Safari", clicks: 1, visitors: 1, ...zeros },
        ]);
        const series = await rows("metric=visitors&groupBy=timeseries&interval=24h");
        expect(series.reduce((sum, { clicks }) => sum + Number(clicks), 0)).toBe(3);
      });

      test("singular and plural names mean the same for all groupings, filters and scopes", async () => {
        const values: Record<string, string> = {
          ...{ country: "SE", continent: "EU", device: "Desktop", browser: "Firefox", language: "de", trigger: "qr" },
          ...{ linkId: sale.id, domain: "localhost", referer: "(direct)", url: "https://example.com/sale" },
          ...{ channel: "direct", refererGroup: "news.example" },
          ...{ baseUrl: "https://example.com/sale", refererUrl: "https://example.com/" },
        };
        // No object has the id x.
        const unknown = new Set(["folderId", "tagId"]);
        const groupings = namesOf(analyticsGroupings).flatMap((name) =>
          groupingNamed(name) === name ? [] : [[name, groupingNamed(name)]],
        );
        expect(groupings.length).toBeGreaterThan(15);
        for (const [singular, plural] of groupings) {
          expect([singular, await rows(`groupBy=${singular}`)]).toEqual([singular, await rows(`groupBy=${plural}`)]);
        }
        const filters = Object.entries(pluralNames).map(([plural, name]) => [name, plural, values[name] ?? "x"]);
        const scopes = pluralScopeNames.map((plural) => [
          plural.slice(0, -1),
          plural,
          values[plural.slice(0, -1)] ?? "x",
        ]);
        for (const [singular, plural, value = ""] of [...filters, ...scopes]) {
          const [one, other] = [`${singular}=${encodeURIComponent(value)}`, `${plural}=${encodeURIComponent(value)}`];
          for (const path of ["/analytics", "/analytics/clicks", "/analytics/timeseries", "/events"]) {
            const { status, body } = await server.call("GET", `${path}?${one}`);
            const found = await server.call("GET", `${path}?${other}`);
            expect([path, other, found.status, found.body]).toEqual([path, other, status, body]);
            expect([path, one, status]).toEqual([path, one, unknown.has(singular ?? "") ? 404 : 200]);
          }
          expect(refusalOf(await server.call("GET", `/analytics?${one}&${other}`))).toBe("422 unprocessable_entity");
        }
        expect((await events("countries=SE")).length).toBe(2);
        expect(await server.call("GET", "/analytics/clicks?groupBy=countries")).toMatchObject({ status: 422 });
      });

      test("a truncated response has the header Waypost-Truncated", async () => {
        const shorter = await server.call("GET", "/analytics?groupBy=os&limit=1");
        const whole = await server.call("GET", "/analytics?groupBy=os&limit=2");

        expect(shorter.body).toEqual([expect.objectContaining({ os: "Windows" })]);
        expect(shorter.headers.get("waypost-truncated")).toBe("true");
        expect(whole.headers.get("waypost-truncated")).toBeNull();
        expect(await server.call("GET", "/analytics?groupBy=os&limit=5001")).toMatchObject({ status: 422 });
      });

      test("reversed start and end are swapped", async () => {
        const year = "groupBy=timeseries&start=2026-01-01&end=2026-12-31";
        expect(await rows("groupBy=timeseries&start=2026-12-31&end=2026-01-01")).toEqual(await rows(year));
      });

      test("unit divides the period into other buckets and does not change it", async () => {
        const weeks = await rows("groupBy=timeseries&interval=30d&unit=week");
        const hours = await rows("groupBy=timeseries&interval=7d&unit=hour&metric=visitors");

        const clicksOf = (all: typeof weeks) => all.map(({ clicks }) => clicks).filter((clicks) => clicks !== 0);
        expect(weeks.length >= 5 && weeks.length <= 6).toBe(true);
        for (const { start } of weeks) expect(new Date(String(start)).getUTCDay()).toBe(1);
        expect(hours).toHaveLength(8 * 24);
        expect(clicksOf(weeks)).toEqual([3]);
        expect(await ask("interval=30d&unit=week")).toEqual(await ask("interval=30d"));
      });

      // Together, so that the test also passes around midnight.
      test.each([
        ["today", "yesterday"],
        ["wtd", "last_week"],
        ["mtd", "last_month"],
        ["qtd", "last_quarter"],
      ])("%s and %s have today's clicks, in reports and events, and can be exported", async (running, before) => {
        const lists = [await events(`interval=${running}`), await events(`interval=${before}`)];
        const exported = await server.call("HEAD", `/events/export?interval=${before}`);

        expect(lists.flat()).toHaveLength(3);
        for (const [index, interval] of [running, before].entries())
          expect(await ask(`interval=${interval}`)).toMatchObject({ clicks: lists[index]?.length });
        expect(exported.status).toBe(200);
      });

      test.each(["today", "last_week", "last_month", "wtd"])(
        "the specified operations have no interval %s",
        async (interval) => {
          for (const path of ["clicks", "timeseries"]) {
            expect(refusalOf(await server.call("GET", `/analytics/${path}?interval=${interval}`))).toBe(
              "422 unprocessable_entity",
            );
          }
        },
      );

      test("compare=previous adds the previous numbers to count, rows and buckets", async () => {
        const none = { clicks: 0, ...zeros };

        const counted = { ...period, clicks: 3, ...zeros };
        for (const compared of ["previous", "year", "custom&compareStart=2025-01-01&compareEnd=2025-01-31"]) {
          expect(await ask(`compare=${compared}`)).toEqual({ ...counted, previous: { ...period, ...none } });
        }
        expect((await rows("compare=previous&groupBy=os")).map(({ previous }) => previous)).toEqual([none, none]);
        for (const { previous } of await rows("compare=previous&groupBy=timeseries&interval=7d")) {
          expect(previous).toEqual({ start: expect.stringMatching(/T00:00:00\.000Z$/), ...none });
        }
      });

      test.each([
        "event=views",
        "groupBy=planets",
        "groupBy=",
        "interval=1h",
        "start=soon",
        "start=2026-11-20T10:00Z&end=2026-11-20T10:00Z",
        "metric=people",
        "compare=next",
        "compare=custom",
        "compare=custom&compareStart=2025-01-01",
        "compareStart=2025-01-01&compareEnd=2025-01-31",
        "unit=year",
        "interval=90d&unit=hour",
        "bots=all",
        "root=yes",
        "country=",
        "country=Germany",
        "country=SE&countries=SE",
        "timezone=Europe/Nowhere",
        "key=spring",
      ])("%s is refused", async (query) => {
        expect(refusalOf(await server.call("GET", `/analytics?${query}`))).toBe("422 unprocessable_entity");
      });

      test("an unknown or foreign link, domain, folder or tag is not found", async () => {
        const queries = ["linkId=link_none", "externalId=ext_none", "domain=none.example", "domain=localhost&key=none"];
        for (const query of [...queries, "folderId=fold_none", "tagId=tag_none", `linkId=${sale.id},link_none`]) {
          expect([query, refusalOf(await server.call("GET", `/analytics?${query}`))]).toEqual([query, "404 not_found"]);
        }
        const foreign = await server.call("GET", `/analytics?linkId=${sale.id}`, { key: other.apiKey });
        expect(refusalOf(foreign)).toBe("404 not_found");
      });
    });

    describe("GET /v1/events", () => {
      test("lists clicks newest first, or oldest first, page by page", async () => {
        const all = await events("");
        const links = all.map(({ link_id }) => link_id);

        expect(links).toEqual([titled.id, sale.id, sale.id]);
        expect(await events("sortOrder=asc")).toEqual([...all].reverse());
        expect(await events("order=asc")).toEqual([...all].reverse());
        expect(await events("page=2&limit=2")).toEqual(all.slice(2));
        expect(await events("page=3&limit=2")).toEqual([]);
        expect(await events("event=sales")).toEqual([]);
      });

      test("has the kind of a bot", async () => {
        const [event] = await events("bots=only");

        expect(event?.["click"]).toMatchObject({ bot: "search" });
      });

      test("has all stored fields of a click, flat and as an object, and neither address nor user agent", async () => {
        const [event] = await events(`linkId=${titled.id}`);
        const link = (await server.call("GET", `/links/${titled.id}`)).body;

        const seen = {
          country: "SE",
          continent: "EU",
          city: "Unknown",
          device: "Mobile",
          browser: "Safari",
          os: "iOS",
        };
        const url = "https://example.org/";
        expect<unknown>(event).toEqual({
          event: "click",
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          click: {
            ...{ id: event?.click_id, timestamp: event?.timestamp, url, ...seen, region: "Unknown", ip: "", ua: null },
            ...{ refererGroup: "(direct)", referer: "(direct)", refererUrl: "(direct)" },
            ...{ trigger: "qr", qr: true, bot: null },
          },
          link,
          ...{ click_id: expect.any(String), link_id: titled.id, domain: "localhost", key: titled.key, url },
          ...seen,
          ...{ ip: "", qr: 1 },
        });
      });

      test.each(["page=0", "page=1001", "limit=0", "limit=1001", "sortOrder=up", "sortBy=country", "event=composite"])(
        "%s is refused",
        async (query) => {
          expect(refusalOf(await server.call("GET", `/events?${query}`))).toBe("422 unprocessable_entity");
        },
      );

      test("filters like analytics, and shows no other workspace's clicks", async () => {
        expect(await events("country=-SE")).toHaveLength(1);
        expect(await events("bots=only")).toHaveLength(1);
        expect((await server.call("GET", "/events", { key: other.apiKey })).body).toEqual([]);
        const foreign = await server.call("GET", `/events?linkId=${sale.id}`, { key: other.apiKey });
        expect(refusalOf(foreign)).toBe("404 not_found");
      });
    });

    describe("the Dub SDK", () => {
      test("accepts the count without parameters", async () => {
        expect(await dub.analytics.retrieve()).toEqual({ clicks: 3, ...zeros });
      });

      test.each(known)("accepts groupBy %s", async (groupBy, expected) => {
        const taken: unknown = await dub.analytics.retrieve({ groupBy });

        expect(taken).toEqual(expected.map((row) => ({ ...row, ...zeros })));
      });

      test("accepts top_links and timeseries, also with visitors and a comparison", async () => {
        const taken: unknown = await dub.analytics.retrieve({ groupBy: "top_links", interval: "mtd" });
        const series = await dub.analytics.retrieve({ groupBy: "timeseries", interval: "1y", timezone: "Asia/Tokyo" });

        expect(taken).toEqual(topLinks().map((row) => ({ ...row, createdAt: expect.any(String) })));
        expect(series).toHaveLength(13);
      });

      test.each(["top_folders", "top_link_tags"] as const)("accepts %s without rows", async (groupBy) => {
        expect(await dub.analytics.retrieve({ groupBy })).toEqual([]);
      });

      test("accepts events, also those of a deleted link", async () => {
        const gone = await addLink(server, { url: "https://example.net/", key: "gone" });
        await server.visit("/gone", { headers: { "User-Agent": firefox } });
        await eventually(
          () => count(`linkId=${gone.id}`),
          ({ clicks }) => clicks === 1,
        );
        await dub.links.delete(gone.id);

        const taken = await dub.events.list({ limit: 4 });

        const links = taken.map((event) => ("link" in event ? [event.link?.id, event.link?.archived] : []));
        expect(links).toEqual([
          [gone.id, true],
          [titled.id, false],
          [sale.id, false],
          [sale.id, false],
        ]);
        const [event] = await events(`linkId=${gone.id}`);
        expect(event?.link).toMatchObject({ id: gone.id, deleted: true });
        const exported = await server.call("GET", `/events/export?format=jsonl&linkId=${gone.id}`);
        expect(exported.headers.get("x-clicks")).toBe("1");
        expect(await server.call("GET", `/events?linkId=${gone.id}0`)).toMatchObject({ status: 404 });
        // Two links have one click each, so their ids decide the order.
        const top: unknown = await dub.analytics.retrieve({ groupBy: "top_links" });
        const goneRow = { ...linkFields(gone), title: null, comments: null, clicks: 1, ...zeros };
        expect(top).toEqual([...topLinks(), goneRow]);
        expect(await rows("groupBy=top_links")).toEqual([...topLinks(), { ...goneRow, deleted: true }]);
      });
    });
  });
}

function pair(field: string, more: string, less: string): object[] {
  return [
    { [field]: more, clicks: 2 },
    { [field]: less, clicks: 1 },
  ];
}

function linkFields({ id, domain, key, shortLink, url }: Awaited<ReturnType<typeof addLink>>) {
  return { link: id, id, domain, key, shortLink, url, createdAt: expect.any(String), folderId: null, partnerId: null };
}
