import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { browser, eventually } from "./support/server.ts";
import { withService } from "./support/service.ts";

test("the click store's process starts with the first click", async () => {
  await withService({}, async (service) => {
    const store = join(service.data, "clicks.duckdb");
    await service.call("POST", "/links", { body: { url: "https://example.com", key: "first" } });
    // By then, each background task has run at least once.
    await eventually(
      async () => String(await (await fetch(`${service.url}/metrics`)).text()),
      (text) => text.includes("waypost_domains{"),
    );
    const before = existsSync(store);

    await service.visit("/first", { headers: browser });
    const { body } = await eventually(
      () => service.call("GET", "/analytics?event=clicks&groupBy=count"),
      ({ body }) => JSON.stringify(body).includes('"clicks":1'),
    );

    expect({ before, after: existsSync(store), body }).toMatchObject({
      before: false,
      after: true,
      body: { clicks: 1 },
    });
  });
});
