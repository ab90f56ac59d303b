/** The body limits of each operation: one more byte or value is refused. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { bodyLimits } from "../src/api/http/json-body.ts";
import {
  allEndpoints,
  ask,
  expectRefusal,
  makeTargets,
  namedEndpoints,
  pathOf,
  type Targets,
} from "./support/requests.ts";
import { startServer, type TestServer } from "./support/server.ts";

let server: TestServer;
let targets: Targets;

beforeAll(async () => {
  server = await startServer();
  targets = await makeTargets(server);
});
afterAll(async () => await server.remove());

test("each operation has the limit of its kind", () => {
  const kinds = Map.groupBy(
    allEndpoints.filter(([, { bodySchema }]) => bodySchema !== undefined),
    ([, { bodyLimit }]) => bodyLimit.bytesMax,
  );
  const named = (bytesMax: number) => kinds.get(bytesMax)?.map(([name]) => name) ?? [];

  expect(named(4 * 1024)).toEqual(["POST /shared/{shareToken}/access"]);
  expect(named(256 * 1024)).toEqual([
    "POST /domains",
    "PATCH /domains/{slug}",
    "POST /links",
    "PUT /links/upsert",
    "PATCH /links/{linkId}",
    "PUT /links/{linkId}",
  ]);
  expect(named(4 * 1024 ** 2)).toEqual(["POST /links/bulk", "PATCH /links/bulk"]);
  expect(named(64 * 1024)).not.toBeEmpty();
  expect([...kinds.keys()].toSorted((a, b) => a - b)).toEqual([4, 64, 256, 4096].map((kibibytes) => kibibytes * 1024));
});

describe("beyond its limit, a body is refused", () => {
  for (const [name, endpoint] of namedEndpoints.filter(([, { bodySchema }]) => bodySchema !== undefined)) {
    const { bytesMax, valuesMax } = endpoint.bodyLimit;
    const call = async (body: string) => await ask(server, endpoint.method, pathOf(endpoint, targets), { body });

    test(`of ${name}, by one byte`, async () => {
      const refused = await call(" ".repeat(bytesMax + 1));
      const read = await call(" ".repeat(bytesMax));

      expectRefusal(name, refused, [413]);
      expect(refused.text).toContain(`at most ${bytesMax} bytes`);
      expectRefusal(name, read, [400]);
    });

    test(`of ${name}, by its values`, async () => {
      const answer = await call(`[${"0,".repeat(valuesMax)}0]`);

      expectRefusal(name, answer, [413]);
      expect(answer.text).toContain(`at most ${valuesMax} values`);
    });
  }
});

describe("operations without authentication accept 4 KiB", () => {
  const headers = () => ({ Origin: server.url, "Content-Type": "application/json" });
  for (const path of ["/app/session", "/app/password-reset"]) {
    test(path, async () => {
      const body = JSON.stringify({ email: "a@example.com", password: "x".repeat(bodyLimits.public.bytesMax) });
      const answer = await fetch(`${server.url}${path}`, { method: "POST", headers: headers(), body });

      expect(answer.status).toBe(413);
    });
  }
});
