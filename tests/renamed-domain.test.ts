/** Clicks of a renamed domain keep the name that their visitors used. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { browser, eventually, type TestService } from "./support/server.ts";
import { withService } from "./support/service.ts";

const Events = z.array(z.object({ domain: z.string(), click: z.object({ trigger: z.string(), url: z.string() }) }));

async function visits(server: TestService, host: string, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    const { status } = await server.visit(path, { host, headers: browser });
    expect(`${host}${path} ${status}`).toBe(`${host}${path} 302`);
  }
}

test("each click has the domain name that its visitor used, even with a bare question mark", async () => {
  await withService({ WAYPOST_UNVERIFIED_REDIRECTS: "true" }, async (server) => {
    await server.call("POST", "/domains", { body: { slug: "before.example" } });
    await server.call("POST", "/links", {
      body: { domain: "before.example", key: "k", url: "https://example.com/there" },
    });
    await visits(server, "before.example", "/k", "/k?");

    const renamed = await server.call("PATCH", "/domains/before.example", { body: { slug: "after.example" } });
    await visits(server, "after.example", "/k?", "/k");

    expect(renamed.status).toBe(200);
    // While the domain exists, its clicks appear under its current name.
    await server.call("DELETE", "/domains/after.example");
    const events = await eventually(
      async () => Events.parse((await server.call("GET", "/events?sortOrder=asc")).body),
      ({ length }) => length >= 4,
    );
    const click = { trigger: "link", url: "https://example.com/there" };
    expect(events).toEqual(
      ["before.example", "before.example", "after.example", "after.example"].map((domain) => ({ domain, click })),
    );
  });
});
