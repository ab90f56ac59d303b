/** The user's account: its changes and its sessions. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { minuteMs } from "../src/base/time.ts";
import { attemptUntilLimited } from "./support/attempts.ts";
import { newPerson, openDashboard } from "./support/dashboard.ts";
import { allEndpoints, exampleBody, pathOf, refusalOf } from "./support/requests.ts";
import { ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newMember } from "./support/tenants.ts";

const forSessions = allEndpoints.filter(([, { scope }]) => scope === "session");
const administration = forSessions.map(([name]) => name).filter((name) => name.includes(" /admin/"));
const Sessions = z.array(
  z.strictObject({
    id: z.string(),
    label: z.string(),
    method: z.enum(["password", "code", "link"]),
    createdAt: z.string(),
    lastSeenAt: z.string(),
    isCurrent: z.boolean(),
  }),
);

let server: TestService;
beforeAll(async () => {
  server = await startService();
});
afterAll(() => server.remove());

const change = (token: string, body: unknown) => server.call("PATCH", "/user", { key: token, body });

describe("GET /v1/user", () => {
  test("works with an API key without scopes, in any role, and with a session", async () => {
    const { dashboard, email } = await newPerson(server, "viewer");
    const viewer = await newMember(server, 1, "viewer");

    const byToken = await server.call("GET", "/user", { key: await dashboard.token() });
    const byKey = await server.call("GET", "/user", { key: viewer.apiKey });

    expect(byToken.body).toEqual({
      id: expect.stringMatching(/^user_/),
      email,
      emailVerified: true,
      name: "Ann",
      avatarUrl: null,
      createdAt: expect.stringMatching(/Z$/),
      isAdministrator: false,
      hasPassword: true,
    });
    expect(byKey.body).toMatchObject({ id: viewer.userId, hasPassword: false });
  });

  test("is refused for a key with scopes", async () => {
    const body = { name: "Limited", scopes: ["workspaces.read", "workspaces.write"] };
    const made = await server.call("POST", "/api-keys", { body });
    const { key } = z.object({ key: z.string() }).parse(made.body);

    expect(refusalOf(await server.call("GET", "/user", { key }))).toBe("403 forbidden");
  });
});

test("API keys are refused wherever a session is required: credentials, sessions, memberships", async () => {
  expect(forSessions.map(([name]) => name)).toEqual([
    "PATCH /user",
    "PUT /user/avatar",
    "DELETE /user/avatar",
    "POST /user/verification-mail",
    "GET /user/sessions",
    "DELETE /user/sessions/others",
    "DELETE /user/sessions/{id}",
    "GET /user/export",
    "POST /user/deletion",
    "GET /user/one-time-codes",
    "POST /user/one-time-codes",
    "POST /user/one-time-codes/confirm",
    "POST /user/one-time-codes/turn-off",
    "POST /user/recovery-codes",
    "GET /user/identities",
    "POST /user/identities/{id}/disconnect",
    "GET /user/passkeys",
    "POST /user/passkeys/options",
    "POST /user/passkeys",
    "GET /user/passkeys/{id}",
    "PATCH /user/passkeys/{id}",
    "POST /user/passkeys/{id}/removal",
    "GET /user/memberships",
    "POST /user/memberships",
    ...administration,
  ]);
  for (const [name, endpoint] of forSessions) {
    const options = { key: ownerKey, ...exampleBody(endpoint) };
    const answer = await server.call(endpoint.method.toUpperCase(), pathOf(endpoint, "session_x"), options);
    expect([name, refusalOf(answer)]).toEqual([name, "403 forbidden"]);
  }
});

describe("a change of the user's account", () => {
  test("of the name needs no password", async () => {
    const { dashboard } = await newPerson(server);

    const answer = await change(await dashboard.token(), { name: " Ann Lee " });

    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ name: "Ann Lee", hasPassword: true }),
    ]);
  });

  test("of the e-mail needs the password, and an unused address", async () => {
    const { dashboard, email, password } = await newPerson(server);
    const token = await dashboard.token();
    const other = `${crypto.randomUUID()}@example.com`;

    const refused = [
      await change(token, { email: other }),
      await change(token, { email: other, currentPassword: "not this one" }),
      await change(token, { email: "no address", currentPassword: password }),
      await change(token, { email: "owner@example.com", currentPassword: password }),
    ];
    const same = await change(token, { email: email.toUpperCase() });
    const changed = await change(token, { email: other, currentPassword: password });

    expect(refused.map(refusalOf)).toEqual([
      "422 unprocessable_entity",
      "422 unprocessable_entity",
      "422 unprocessable_entity",
      "409 conflict",
    ]);
    expect(same.body).toMatchObject({ email });
    expect(changed.body).toMatchObject({ email: other });
    expect((await openDashboard(server).signIn({ email: other, password })).status).toBe(200);
  });

  test("of the e-mail is refused after five in an hour, so that nobody tries out which addresses have an account", async () => {
    const { dashboard, password } = await newPerson(server);
    const token = await dashboard.token();
    const taken = await newPerson(server);
    const to = (email: string) => change(token, { email, currentPassword: password });

    const answers: string[] = [];
    for (let times = 0; times < 4; times++) answers.push(refusalOf(await to(taken.email)));
    const free = await to(`${crypto.randomUUID()}@example.com`);
    const beyond = [await to(taken.email), await to(`${crypto.randomUUID()}@example.com`)];

    expect([...new Set(answers), free.status]).toEqual(["409 conflict", 200]);
    expect(beyond.map(refusalOf)).toEqual(["429 rate_limit_exceeded", "429 rate_limit_exceeded"]);
  });

  test("of the password ends the user's other sessions, and keeps the calling one", async () => {
    const { dashboard, email, password } = await newPerson(server);
    const [token, elsewhere] = [await dashboard.token(), openDashboard(server)];
    await elsewhere.signIn({ email, password });
    const elsewhereToken = await elsewhere.token();

    const wrong = await change(token, { password: { current: "not this one", new: "a better password" } });
    const short = await change(token, { password: { current: password, new: "short" } });
    const changed = await change(token, { password: { current: password, new: "a better password" } });

    expect([wrong, short].map(refusalOf)).toEqual(["422 unprocessable_entity", "422 unprocessable_entity"]);
    expect(changed.status).toBe(200);
    expect((await change(token, {})).status).toBe(200);
    expect(refusalOf(await change(elsewhereToken, {}))).toBe("401 unauthorized");
    expect((await elsewhere.signIn({ email, password })).status).toBe(401);
    expect((await elsewhere.signIn({ email, password: "a better password" })).status).toBe(200);
  });

  test("costs no attempt with the right password", async () => {
    const { dashboard, password } = await newPerson(server);
    const token = await dashboard.token();
    const changeTo = (current: string) => change(token, { password: { current, new: password } });

    const right: number[] = [];
    for (let times = 0; times < 12; times++) right.push((await changeTo(password)).status);

    expect(right).toEqual(right.map(() => 200));
    // All attempts of the user are left.
    await attemptUntilLimited({ callsMax: 10, perMs: 10 * minuteMs }, () => changeTo("guess"));
  });

  test("is answered 429 after ten wrong passwords", async () => {
    const { dashboard } = await newPerson(server);
    const token = await dashboard.token();

    const { admitted } = await attemptUntilLimited({ callsMax: 10, perMs: 10 * minuteMs }, () =>
      change(token, { password: { current: "guess", new: "a better password" } }),
    );

    expect(admitted.map(({ status }) => status)).toEqual(admitted.map(() => 422));
  });

  test("refuses invalid bodies", async () => {
    const { dashboard } = await newPerson(server);
    const token = await dashboard.token();

    for (const body of [{ name: "" }, { name: 7 }, { email: null }, { password: "x" }, { password: {} }, [], "7"]) {
      expect([body, refusalOf(await change(token, body))]).toEqual([body, "422 unprocessable_entity"]);
    }
    expect(refusalOf(await change(token, "{"))).toBe("400 bad_request");
  });
});

describe("sessions", () => {
  const list = async (token: string) =>
    Sessions.parse((await server.call("GET", "/user/sessions", { key: token })).body);

  test("are listed with their browsers, and can be ended one by one or all but one", async () => {
    const { dashboard, ...as } = await newPerson(server);
    const safari =
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15";
    const [second, third] = [openDashboard(server, safari), openDashboard(server)];
    for (const browser of [second, third]) await browser.signIn(as);
    const [token, secondToken, thirdToken] = [await dashboard.token(), await second.token(), await third.token()];

    const all = await list(token);
    const ofSecond = (await list(secondToken)).find(({ isCurrent }) => isCurrent);
    const ended = await server.call("DELETE", `/user/sessions/${ofSecond?.id}`, { key: token });
    const others = await server.call("DELETE", "/user/sessions/others", { key: token });

    expect(all.map(({ label }) => label).sort()).toEqual(["Firefox on Linux", "Firefox on Linux", "Safari on macOS"]);
    expect(all.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    expect(ofSecond?.label).toBe("Safari on macOS");
    expect([ended.body, others.body]).toEqual([{ id: ofSecond?.id }, { ended: 1 }]);
    for (const dead of [secondToken, thirdToken]) {
      expect(refusalOf(await server.call("GET", "/user", { key: dead }))).toBe("401 unauthorized");
    }
    expect(await list(token)).toHaveLength(1);
  });

  test("cannot be ended by another user, who gets 404", async () => {
    const [ann, eve] = [await newPerson(server), await newPerson(server)];
    const [session] = await list(await ann.dashboard.token());

    const answer = await server.call("DELETE", `/user/sessions/${session?.id}`, { key: await eve.dashboard.token() });

    expect(refusalOf(answer)).toBe("404 not_found");
    expect(await list(await ann.dashboard.token())).toHaveLength(1);
  });
});
