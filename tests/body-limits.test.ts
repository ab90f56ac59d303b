/** The body limits of each operation and of the forms of pages: one more byte or value is refused. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { bodyLimits } from "../src/api/http/json-body.ts";
import { newPerson } from "./support/dashboard.ts";
import {
  allEndpoints,
  ask,
  expectRefusal,
  makeTargets,
  namedEndpoints,
  newInvite,
  pathOf,
  type Targets,
} from "./support/requests.ts";
import { ownerKey, type TestService } from "./support/server.ts";
import { withDatabase } from "./support/server-database.ts";
import { startService } from "./support/service.ts";

let server: TestService;
let targets: Targets;

beforeAll(async () => {
  server = await startService();
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
  for (const path of ["/app/session", "/app/password-reset", "/app/magic-link"]) {
    test(path, async () => {
      const body = JSON.stringify({ email: "a@example.com", password: "x".repeat(bodyLimits.public.bytesMax) });
      const answer = await fetch(`${server.url}${path}`, { method: "POST", headers: headers(), body });

      expect(answer.status).toBe(413);
    });
  }
});

describe("a form of a page", () => {
  const post = async (path: string, cookie: string, fields: URLSearchParams) => {
    const headers = { Origin: server.url, Cookie: cookie };
    const init = { method: "POST", headers, body: fields, redirect: "manual" } as const;
    const answer = await fetch(`${server.url}/app${path}`, init);
    return { status: answer.status, location: answer.headers.get("location"), text: await answer.text() };
  };

  test("is accepted with the longest ASCII password, and refused with 413 beyond 4 KiB", async () => {
    const { token } = await newInvite(server, 1, ownerKey);
    const email = `${crypto.randomUUID()}@example.com`;
    const join = (password: string) =>
      post(`/invites/${token}`, "", new URLSearchParams({ name: "語".repeat(190), email, password }));

    const refused = await join("x".repeat(4 * 1024));
    const joined = await join("x".repeat(1_000));

    expect(refused).toMatchObject({ status: 413, text: "The form must have at most 4096 bytes.\n" });
    expect(joined).toMatchObject({ status: 303, location: "/app" });
  });

  // A form that was read as empty would keep every workspace that the person wants to leave.
  test("that leaves workspaces is accepted with a thousand of them, and changes nothing beyond 16 KiB", async () => {
    const { dashboard, email } = await newPerson(server);
    const { id } = await withDatabase(server, async ({ db }) => {
      const user = await db.selectFrom("users").select("id").where("email", "=", email).executeTakeFirstOrThrow();
      await db.updateTable("members").set({ isConfirmed: 0 }).where("userId", "=", user.id).execute();
      return user;
    });
    const memberships = () =>
      withDatabase(server, ({ db }) =>
        db.selectFrom("members").select("isConfirmed").where("userId", "=", id).execute(),
      );
    const leave = (times: number) =>
      post("/memberships", dashboard.cookie(), new URLSearchParams(Array(times).fill(["leave", "000000001"])));

    const refused = await leave(2_000);
    const before = await memberships();
    const accepted = await leave(1_000);

    expect([refused.status, before]).toEqual([413, [{ isConfirmed: 0 }]]);
    expect([accepted.status, accepted.location, await memberships()]).toEqual([303, "/app", []]);
  });
});
