/** Dates without a time mean whole days, and Waypost-Warning reports cut texts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { dayMs } from "../src/base/time.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

const Link = z.looseObject({ id: z.string() });
const url = "https://example.com/";
const rule = (after: string, before: string) => ({ when: { after, before }, url: `${url}rule` });

let server: TestService;
beforeAll(async () => {
  server = await startService();
});
afterAll(() => server.remove());

const call = (method: string, path: string, body: unknown) => server.call(method, path, { body });

describe("a date without a time", () => {
  const dates = {
    startsAt: "2100-01-30",
    expiresAt: "2100-01-31",
    testStartedAt: "2100-01-30",
    testCompletedAt: "2100-01-31",
    rules: [rule("2100-01-30", "2100-01-31")],
  };
  const inUtc = {
    startsAt: "2100-01-30T00:00:00.000Z",
    expiresAt: "2100-02-01T00:00:00.000Z",
    testStartedAt: "2100-01-30T00:00:00.000Z",
    testCompletedAt: "2100-02-01T00:00:00.000Z",
    rules: [rule("2100-01-30T00:00:00.000Z", "2100-02-01T00:00:00.000Z")],
  };
  const inTokyo = {
    startsAt: "2100-01-29T15:00:00.000Z",
    expiresAt: "2100-01-31T15:00:00.000Z",
    testStartedAt: "2100-01-29T15:00:00.000Z",
    testCompletedAt: "2100-01-31T15:00:00.000Z",
    rules: [rule("2100-01-29T15:00:00.000Z", "2100-01-31T15:00:00.000Z")],
  };

  test.each([
    ["UTC", dates, inUtc],
    ["its own time zone", { ...dates, timezone: "Asia/Tokyo" }, inTokyo],
  ])("means the whole day in %s, in every operation that writes links", async (_, body, instants) => {
    const { id } = Link.parse((await call("POST", "/links", { url })).body);
    const answers = [
      await call("POST", "/links", { url, ...body }),
      await call("POST", "/links/bulk", [{ url, ...body }]),
      await call("PUT", "/links/upsert", { url: `${url}${crypto.randomUUID()}`, ...body }),
      await call("PATCH", `/links/${id}`, body),
      await call("PUT", `/links/${id}`, body),
      await call("PATCH", "/links/bulk", { linkIds: [id], data: body }),
    ];

    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect([answer.body].flat()[0]).toMatchObject(instants);
      expect([answer.body].flat()[0]).not.toHaveProperty("timezone");
    }
  });

  test.each([
    ["2100-01-30T23:59:59Z", "otherwise"],
    ["2100-01-31T00:00:00Z", "rule"],
    ["2100-01-31T23:59:59Z", "rule"],
    ["2100-02-01T00:00:00Z", "otherwise"],
  ])("in after and before of a rule means one day: a visitor at %s is redirected to %s", async (at, path) => {
    const rules = [rule("2100-01-31", "2100-01-31")];
    const { id } = Link.parse((await call("POST", "/links", { url: `${url}otherwise`, rules })).body);

    const { body } = await call("POST", `/links/${id}/resolve`, { at });

    expect(body).toMatchObject({ url: url + path });
  });

  test("in startsAt and expiresAt means one day", async () => {
    const { body } = await call("POST", "/links", { url, startsAt: "2100-01-31", expiresAt: "2100-01-31" });

    expect(body).toMatchObject({ startsAt: "2100-01-31T00:00:00.000Z", expiresAt: "2100-02-01T00:00:00.000Z" });
  });

  test("ends a share, a key and an invite at the end of the day in UTC", async () => {
    const { id } = Link.parse((await call("POST", "/links", { url })).body);
    const expiresAt = "2100-01-31";

    const share = await call("POST", "/shares", { linkId: id, expiresAt });
    const key = await call("POST", "/api-keys", { name: "A key", expiresAt });
    // An invite is open for a bounded time.
    const tomorrow = new Date(Date.now() + dayMs).toISOString().slice(0, 10);
    const invite = await call("POST", "/workspaces/1/invites", { role: "viewer", expiresAt: tomorrow });

    for (const { body } of [share, key]) expect(body).toMatchObject({ expiresAt: "2100-02-01T00:00:00.000Z" });
    expect(invite.body).toMatchObject({ expiresAt: new Date(Date.parse(tomorrow) + dayMs).toISOString() });
  });

  test("in the past is accepted as expiresAt, and every operation that writes links warns of it", async () => {
    const { id } = Link.parse((await call("POST", "/links", { url })).body);
    const body = { expiresAt: "2001-01-31" };
    const answers = [
      await call("POST", "/links", { url, ...body }),
      await call("POST", "/links/bulk", [{ url, ...body }]),
      await call("PATCH", `/links/${id}`, body),
      await call("PATCH", "/links/bulk", { linkIds: [id], data: body }),
    ];
    const later = await call("PATCH", `/links/${id}`, { title: "A title" });

    const message = "expiresAt has passed, so visitors do not reach the destination.";
    for (const { status, headers } of answers) {
      expect([status, headers.get("Waypost-Warning")]).toEqual([200, `expired;message="${message}"`]);
    }
    expect(later.headers.get("Waypost-Warning")).toBeNull();
  });

  test.each(["11/12/2026", "24.12.2026", "Jan 31 2027", "tomorrow"])("%s is refused", async (expiresAt) => {
    const answer = await call("POST", "/links", { url, expiresAt });

    const message = "expiresAt: must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z.";
    expect([answer.status, answer.body]).toMatchObject([422, { error: { message } }]);
  });

  test("in an unknown time zone is refused", async () => {
    const answer = await call("POST", "/links", { url, expiresAt: "2100-01-31", timezone: "Mars/Olympus" });

    const message = "timezone: must be an IANA time zone such as Europe/Berlin.";
    expect([answer.status, answer.body]).toMatchObject([422, { error: { message } }]);
  });
});

describe("a title or description that is longer than Dub's maximum", () => {
  const long = { title: "t".repeat(121), description: "d".repeat(241) };
  const cut = { title: "t".repeat(120), description: "d".repeat(240) };
  const warnings =
    'text_cut;message="title was cut to 120 characters.", text_cut;message="description was cut to 240 characters."';

  test("is cut, and the response warns of it, in every operation that writes links", async () => {
    const { id } = Link.parse((await call("POST", "/links", { url })).body);
    const answers = [
      await call("POST", "/links", { url, ...long }),
      await call("POST", "/links/bulk", [{ url, ...long }]),
      await call("PUT", "/links/upsert", { url: `${url}${crypto.randomUUID()}`, ...long }),
      await call("PATCH", `/links/${id}`, long),
      await call("PUT", `/links/${id}`, long),
      await call("PATCH", "/links/bulk", { linkIds: [id], data: long }),
    ];

    for (const answer of answers) {
      expect([answer.status, answer.headers.get("waypost-warning")]).toEqual([200, warnings]);
      expect([answer.body].flat()[0]).toMatchObject(cut);
    }
  });

  test("of the maximum length causes no warning", async () => {
    const answer = await call("POST", "/links", { url, ...cut });

    expect([answer.headers.get("waypost-warning"), answer.body]).toMatchObject([null, cut]);
  });
});
