/** Requests for unknown hosts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askRaw, fieldOf } from "./support/raw-connection.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addLink } from "./support/short-domains.ts";

async function statusOf(url: string, host: string, path: string): Promise<number> {
  return (await askRaw(url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status;
}

describe("with WAYPOST_URL set", () => {
  let server: TestService;
  beforeAll(async () => {
    server = await startService({ WAYPOST_URL: "https://links.example.com" });
  });
  afterAll(() => server.remove());

  test("an unknown host gets 404 for links and pages, and reaches the API and the health checks", async () => {
    await addLink(server, { url: "https://example.com/", domain: "links.example.com", key: "here" });
    const statuses = async (host: string, paths: string[]) =>
      await Promise.all(paths.map((path) => statusOf(server.url, host, path)));

    const pages = ["/here", "/", "/app", "/docs", "/nothing"];
    expect(await statuses("links.example.com", pages)).toEqual([302, 302, 200, 200, 404]);
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      expect(await statuses(host, pages)).toEqual([302, 302, 200, 200, 404]);
    }
    expect(await statuses("unknown.example", pages)).toEqual([404, 404, 404, 404, 404]);
    expect(await statuses("unknown.example", ["/healthz", "/readyz", "/v1/links", "/metrics"])).toEqual([
      200, 200, 401, 200,
    ]);
  });

  test("every host answers a path below /internal that does not exist with the API's own 404", async () => {
    const refusalOf = async (host: string, path: string) => {
      const answer = await askRaw(server.url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      return [answer.status, fieldOf(answer, "content-type"), JSON.parse(answer.body.toString())];
    };

    for (const host of ["unknown.example", "links.example.com", "127.0.0.1"]) {
      for (const path of ["/internal/anything", "/internal/", "/internal"]) {
        const message = "There is no such path in this API. See /docs.";
        const error = { code: "not_found", message, doc_url: "https://links.example.com/docs#not_found" };
        expect([host, path, await refusalOf(host, path)]).toEqual([host, path, [404, "application/json", { error }]]);
      }
    }
  });
});
