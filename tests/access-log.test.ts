/** The access log: what it says about requests, and what it never contains. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { eventually, ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

const Line = z.strictObject({
  time: z.iso.datetime(),
  method: z.string(),
  route: z.string().nullable(),
  status: z.int(),
  durationMs: z.int(),
  bytes: z.int().nullable(),
  workspaceId: z.int().nullable(),
  requestId: z.string().nullable(),
});

let folder: string;
let file: string;
let server: TestService;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waypost-access-log-"));
  file = join(folder, "access.jsonl");
  server = await startService({ WAYPOST_ACCESS_LOG: file });
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true });
});

const fetchPath = (path: string, options: RequestInit = {}) =>
  fetch(server.url + path, { redirect: "manual", ...options });

/** The lines of the log, once there is one with this status and route. */
async function linesWith(route: string | null, status: number) {
  const read = async () => {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => Line.parse(JSON.parse(line)));
  };
  return await eventually(read, (lines) => lines.some((line) => line.route === route && line.status === status));
}

test("a call is logged with route, status, bytes, workspace and request id, and without key, query or address", async () => {
  const response = await fetchPath("/v1/links?search=secret-words", {
    headers: { Authorization: `Bearer ${ownerKey}`, "X-Request-Id": "request-one" },
  });
  const { byteLength } = await response.arrayBuffer();

  const lines = await linesWith("/v1/links", 200);

  expect(lines.find(({ requestId }) => requestId === "request-one")).toEqual({
    time: expect.any(String),
    method: "GET",
    route: "/v1/links",
    status: 200,
    durationMs: expect.any(Number),
    bytes: byteLength,
    workspaceId: 1,
    requestId: "request-one",
  });
  const text = readFileSync(file, "utf8");
  for (const secret of [ownerKey, "secret-words", "127.0.0.1", "::1"]) expect(text).not.toContain(secret);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("parameters of paths are logged as names, and unknown paths without a route", async () => {
  await fetchPath("/app/setup/secret-token");
  await fetchPath("/v1/secret-path");
  await fetchPath("/app/secret-page");
  await fetchPath("/v1/links/secret-link");

  await linesWith("/app/setup/:token", 404);
  await linesWith(null, 404);
  await linesWith("/app/*", 200);
  await linesWith("/v1/links/{linkId}", 401);
  expect(readFileSync(file, "utf8")).not.toContain("secret-");
});

test("visits and health checks are not logged", async () => {
  await fetchPath("/healthz");
  await fetchPath("/no-such-link");
  await fetchPath("/v1/tags");

  const lines = await linesWith("/v1/tags", 401);

  expect(lines.filter(({ route }) => route === "/healthz")).toEqual([]);
});
