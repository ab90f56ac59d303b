/** A link's UTM parameters apply to all of its destinations, and its clicks have those of the visited destination. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "./support/databases.ts";
import { browser, eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    beforeAll(async () => {
      server = await startService({}, engine);
    });
    afterAll(() => server.remove());

    test("variants and rule targets get the link's utm parameters; responses show them as sent; clicks record the result", async () => {
      const variants = ["a", "b"].map((name) => ({ url: `https://example.com/${name}`, percentage: 50 }));
      const rule = { when: { query: { ad: "1" } }, url: "https://example.com/rule?utm_source=ad" };
      const body = { url: "https://example.com/", key: "utm", testVariants: variants, rules: [rule] };
      const utm = { utm_source: "mail", utm_medium: "email" };
      const made = await server.call("POST", "/links", { body: { ...body, ...utm } });
      const visit = async (query: string) =>
        (await server.visit(`/utm${query}`, { headers: browser })).headers.get("location") ?? "";

      const variant = await visit("");
      const ruled = await visit("?ad=1");
      const resolved = await server.call("POST", `/links/${(made.body as { id: string }).id}/resolve`, {
        body: { query: "?ad=1", userAgent: browser["User-Agent"] },
      });

      expect(made.status).toBe(200);
      expect(made.body).toMatchObject({ testVariants: variants, rules: [rule], trackConversion: false });
      expect(variant).toMatch(/^https:\/\/example\.com\/[ab]\?utm_source=mail&utm_medium=email$/);
      expect(ruled).toBe("https://example.com/rule?utm_source=ad&utm_medium=email&ad=1");
      expect(resolved.body).toMatchObject({ url: ruled, matched: { kind: "rule", index: 0 } });
      const rows = await eventually(
        async () => (await server.call("GET", "/analytics?groupBy=utm_sources&interval=24h")).body as object[],
        (found) => found.length === 2,
      );
      expect(rows).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ utm_source: "mail", clicks: 1 }),
          expect.objectContaining({ utm_source: "ad", clicks: 1 }),
        ]),
      );
    });
  });
}
