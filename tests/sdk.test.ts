/** The generated client: its types match the API, and it works with a running server. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { answerOf, createWaypost, type Waypost, WaypostError } from "../sdk/client.ts";
import { generateSchema, schemaFile } from "../sdk/generate.ts";
import { ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

test("sdk/schema.d.ts is what `npm run sdk` writes", async () => {
  expect(await Bun.file(schemaFile).text()).toBe(await generateSchema());
});

describe("the client", () => {
  let server: TestService;
  let waypost: Waypost;

  beforeAll(async () => {
    server = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0" });
    waypost = createWaypost({ url: server.url, apiKey: ownerKey });
  });

  afterAll(() => server.remove());

  test("creates, finds, changes, lists and deletes a link", async () => {
    const made = await answerOf(waypost.POST("/links", { body: { url: "https://example.com/sale", key: "spring" } }));
    const changed = await answerOf(
      waypost.PATCH("/links/{linkId}", { params: { path: { linkId: made.id } }, body: { title: "Sale" } }),
    );
    const found = await answerOf(
      waypost.GET("/links/info", { params: { query: { domain: made.domain, key: "spring" } } }),
    );
    const listed = await answerOf(waypost.GET("/links", { params: { query: { search: "spring" } } }));
    const deleted = await answerOf(waypost.DELETE("/links/{linkId}", { params: { path: { linkId: made.id } } }));

    expect(made).toMatchObject({ key: "spring", url: "https://example.com/sale" });
    expect(changed.title).toBe("Sale");
    expect(found).toEqual(changed);
    expect(listed.map(({ id }) => id)).toEqual([made.id]);
    expect(deleted).toEqual({ id: made.id });
  });

  test("throws a problem with its status, code and the request's id", async () => {
    const missing = answerOf(waypost.GET("/links/{linkId}", { params: { path: { linkId: "link_none" } } }));
    const error = await missing.catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(WaypostError);
    expect(error).toMatchObject({ status: 404, code: "not_found", requestId: expect.any(String) });
  });

  test("asks for a key before each request, where it is given a function", async () => {
    let calls = 0;
    const client = createWaypost({
      url: server.url,
      async apiKey() {
        calls++;
        return calls === 1 ? ownerKey : "wp_wrong_key_0123456789_abcdef";
      },
    });

    const first = await client.GET("/workspaces");
    const second = await client.GET("/workspaces");

    expect([first.response.status, second.response.status]).toEqual([200, 401]);
  });
});
