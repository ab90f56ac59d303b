/** The two analytics operations of the specification, checked exactly, through HTTP. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { z } from "zod";
import { engines } from "./support/databases.ts";
import { Points, Report, refusalOf } from "./support/requests.ts";
import { eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addLink } from "./support/short-domains.ts";
import { newTenant, type Tenant } from "./support/tenants.ts";

const human = { "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:100.0) Gecko/20100101 Firefox/100.0" };
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    let other: Tenant;

    beforeAll(async () => {
      server = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0" }, engine);
      other = await newTenant(server);
    });

    afterAll(() => server.remove());

    const report = async (query: string, key?: string) =>
      Report.parse((await server.call("GET", `/analytics/clicks?${query}`, key === undefined ? {} : { key })).body);
    const series = async (query: string, key?: string) =>
      Points.parse((await server.call("GET", `/analytics/timeseries?${query}`, key === undefined ? {} : { key })).body);

    describe("GET /v1/analytics/timeseries", () => {
      const cases: [string, number, number][] = [
        ["24h", 25, hourMs],
        ["7d", 8, dayMs],
        ["30d", 31, dayMs],
        ["90d", 91, dayMs],
      ];
      for (const [interval, count, stepMs] of cases) {
        test(`${interval} has every bucket, zeros included, ascending, up to the current one`, async () => {
          const bucket = (time: number) => Math.floor(time / stepMs) * stepMs;
          const { apiKey: key } = await newTenant(server);
          const { key: path } = await addLink(server, { url: "https://example.com/" }, { key });
          const before = bucket(Date.now());
          await server.visit(`/${path}`, { headers: human });
          const clicked = [before, bucket(Date.now())];
          const isCounted = (found: z.output<typeof Points>) => found.some(({ clicks }) => clicks === 1);

          const points = await eventually(() => series(`interval=${interval}`, key), isCounted);

          const starts = points.map(({ start }) => Date.parse(start));
          const last = starts.at(-1) ?? 0;
          expect([before, bucket(Date.now())]).toContain(last);
          expect(starts).toEqual(Array.from({ length: count }, (_, index) => last - (count - 1 - index) * stepMs));
          expect(points.filter(({ clicks }) => clicks > 0)).toEqual([{ start: expect.any(String), clicks: 1 }]);
          expect(clicked).toContain(starts[points.findIndex(({ clicks }) => clicks > 0)] ?? 0);
        });
      }

      test("the default interval is 30d, and a link without clicks has zeros", async () => {
        const { id } = await addLink(server, { url: "https://example.com/" });

        expect(await series(`linkId=${id}`)).toEqual(await series(`linkId=${id}&interval=30d`));
        expect((await series(`linkId=${id}`)).map(({ clicks }) => clicks)).toEqual(Array(31).fill(0));
      });

      for (const interval of ["1h", "ytd", "all", "30D", "", "24h,7d"]) {
        test(`the interval "${interval}" is refused`, async () => {
          expect(refusalOf(await server.call("GET", `/analytics/timeseries?interval=${interval}`))).toBe(
            "422 unprocessable_entity",
          );
        });
      }
    });

    describe("GET /v1/analytics/clicks", () => {
      test("without parameters it is the count of 30 days, with only the specified fields", async () => {
        const { apiKey: key } = await newTenant(server);
        const today = Math.floor(Date.now() / dayMs) * dayMs;

        expect(await report("", key)).toEqual({
          groupBy: "count",
          interval: "30d",
          start: new Date(today - 30 * dayMs).toISOString(),
          end: new Date(today + dayMs).toISOString(),
          clicks: 0,
          data: [],
        });
      });

      const groupings = ["browser", "os", "referer", "country", "device"] as const;
      const first = { browser: "Firefox", os: "Windows", referer: "(direct)", country: "Unknown", device: "Desktop" };
      for (const groupBy of groupings) {
        test(`groupBy=${groupBy} has rows of ${groupBy} and clicks that add up to the total, for every interval`, async () => {
          const { apiKey: key } = await newTenant(server);
          const { id, key: path } = await addLink(server, { url: "https://example.com/" }, { key });
          await server.visit(`/${path}`, { headers: human });
          await eventually(
            () => report("", key),
            ({ clicks }) => clicks === 1,
          );

          for (const interval of ["24h", "7d", "30d", "90d", "ytd", "all"]) {
            for (const scope of ["", `&linkId=${id}`]) {
              const answer = await report(`groupBy=${groupBy}&interval=${interval}${scope}`, key);

              expect(answer).toMatchObject({ groupBy, interval, clicks: 1 });
              expect(answer.data).toEqual([{ [groupBy]: first[groupBy], clicks: 1 }]);
            }
          }
        });
      }

      for (const query of ["groupBy=city", "groupBy=Browser", "groupBy=", "interval=1y", "interval=", "interval=24"]) {
        test(`${query} is refused`, async () => {
          expect(refusalOf(await server.call("GET", `/analytics/clicks?${query}`))).toBe("422 unprocessable_entity");
        });
      }
    });

    for (const path of ["/analytics/clicks", "/analytics/timeseries"]) {
      test(`${path} of a link is the same for every way to identify it, and invalid ones are refused`, async () => {
        const key = `named-${path.split("/").at(-1)}`;
        const { id } = await addLink(server, { url: "https://example.com/", key, externalId: key });
        await addLink(server, { url: "https://example.com/", key: `${key}-2` });
        await server.visit(`/${key}`, { headers: human });
        await server.visit(`/${key}-2`, { headers: human });
        const sum = async (query: string) => {
          const { body } = await server.call("GET", `${path}?${query}`);
          const { clicks } = Report.safeParse(body).data ?? { clicks: undefined };
          return clicks ?? Points.parse(body).reduce((total, point) => total + point.clicks, 0);
        };
        const isCounted = (clicks: number) => clicks === 1;
        await eventually(() => sum(`linkId=${id}`), isCounted);
        await eventually(() => sum(`domain=localhost&key=${key}-2`), isCounted);

        const names = [`linkId=ext_${key}`, `externalId=ext_${key}`, `domain=localhost&key=${key.toUpperCase()}`];
        for (const name of names) expect([name, await sum(name)]).toEqual([name, 1]);
        const refusals: [string, string][] = [
          [`key=${key}`, "422 unprocessable_entity"],
          ["linkId=", "422 unprocessable_entity"],
          [`externalId=${key}`, "400 bad_request"],
          ["domain=nobody.example.com", "404 not_found"],
          [`domain=nobody.example.com&key=${key}`, "404 not_found"],
          ["domain=localhost&key=nothing", "404 not_found"],
        ];
        for (const [query, expected] of refusals) {
          expect([query, refusalOf(await server.call("GET", `${path}?${query}`))]).toEqual([query, expected]);
        }
      });

      test(`${path} of an unknown or foreign link is 404`, async () => {
        const { id } = await addLink(server, { url: "https://example.com/" }, { key: other.apiKey });

        for (const linkId of ["link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB", "nonsense", id, "ext_none"]) {
          expect([linkId, refusalOf(await server.call("GET", `${path}?linkId=${linkId}`))]).toEqual([
            linkId,
            "404 not_found",
          ]);
        }
      });
    }
  });
}
