/** What a form asks before it creates a link: whether a key is taken, and what the page is called. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "./support/databases.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newTenant } from "./support/tenants.ts";

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    beforeAll(async () => {
      server = await startService({}, engine);
    });
    afterAll(() => server.remove());

    test("a key is taken if a link of any workspace has it, in any spelling", async () => {
      const other = await newTenant(server);
      await server.call("POST", "/links", { body: { url: "https://example.com", key: "Taken" } });
      const asked = async (key: string) =>
        (await server.call("GET", `/links/exists?domain=localhost&key=${key}`, { key: other.apiKey })).body;

      expect([await asked("taken"), await asked("/TAKEN"), await asked("free")]).toEqual([
        { exists: true },
        { exists: true },
        { exists: false },
      ]);
    });

    test("the key of a deleted link is taken for other workspaces only", async () => {
      const other = await newTenant(server);
      const { body } = await server.call("POST", "/links", { body: { url: "https://example.com", key: "held" } });
      await server.call("DELETE", `/links/${(body as { id: string }).id}`);

      expect((await server.call("GET", "/links/exists?key=held", { key: other.apiKey })).body).toEqual({
        exists: true,
      });
      expect((await server.call("GET", "/links/exists?key=held")).body).toEqual({ exists: false });
    });

    test("an impossible key and a reserved one are refused as in a creation, and a foreign domain is not found", async () => {
      const status = async (query: string) => (await server.call("GET", `/links/exists?${query}`)).status;

      expect([
        await status("key=a%20b"),
        await status("key=robots.txt"),
        await status("key=a&domain=foreign.example.com"),
        await status("domain=localhost"),
      ]).toEqual([422, 403, 404, 422]);
    });

    test("a page on the service's own network has no tags", async () => {
      const answer = await server.call("GET", `/metatags?url=${encodeURIComponent(server.url)}`);

      expect(answer).toMatchObject({ status: 200, body: { title: null, description: null, image: null } });
    });
  });
}
