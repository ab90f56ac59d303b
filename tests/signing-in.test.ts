/** Signing in to the dashboard, and the permissions of sessions. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { minuteMs } from "../src/base/time.ts";
import { attemptUntilLimited, expectCountedDown } from "./support/attempts.ts";
import { waypost } from "./support/command.ts";
import { newPerson, openDashboard, ownerPassword, ownerSignIn } from "./support/dashboard.ts";
import { splitUpload } from "./support/raw-http.ts";
import { newInvite, refusalOf } from "./support/requests.ts";
import { ownerKey, type TestService, withServer } from "./support/server.ts";
import { startService, withService } from "./support/service.ts";
import { newTenant, operate } from "./support/tenants.ts";

let server: TestService;
beforeAll(async () => {
  server = await startService({ ...ownerPassword, WAYPOST_TRUSTED_PROXIES: "127.0.0.1" });
});
afterAll(() => server.remove());

const Workspaces = z.object({ workspaces: z.array(z.object({ id: z.int(), role: z.string() })) });
const listLinks = (key: string, query = "") => server.call("GET", `/links${query}`, { key });

describe("a session", () => {
  test("begins with e-mail and password, and its cookie is exchanged for access tokens with the user's role", async () => {
    const page = openDashboard(server);

    const signedIn = await page.signIn({ ...ownerSignIn, email: " Owner@Example.com" });
    const token = await page.token();
    const made = await server.call("POST", "/links", { key: token, body: { url: "https://example.com" } });

    expect([signedIn.status, signedIn.body]).toEqual([
      200,
      {
        user: {
          id: expect.stringMatching(/^user_/),
          email: "owner@example.com",
          name: "owner",
          emailVerified: true,
          createdAt: expect.stringMatching(/Z$/),
        },
      },
    ]);
    const [attributes, ofBrowser] = signedIn.headers.getSetCookie().map((cookie) => cookie.split("; ").slice(1));
    expect(attributes).toEqual(["Path=/app", "Max-Age=2592000", "HttpOnly", "SameSite=Lax"]);
    expect(ofBrowser).toEqual(["Path=/app", "Max-Age=31536000", "HttpOnly", "SameSite=Lax"]);
    expect(signedIn.headers.has("access-control-allow-origin")).toBe(false);
    expect(token).toMatch(/^wps_[0-9A-Za-z]{38}$/);
    expect(made.status).toBe(200);
  });

  test("has a Secure cookie when the service's URL is https", async () => {
    await withService({ ...ownerPassword, WAYPOST_URL: "https://links.example.com" }, async (secure) => {
      const page = openDashboard(secure);

      const answer = await page.send("POST", "/session", ownerSignIn, { Origin: "https://links.example.com" });

      expect(answer.headers.get("set-cookie")).toMatch(/^waypost_session=\w{40}; .*; Secure$/);
    });
  });

  test("has the same response for an unknown address and a wrong password", async () => {
    const page = openDashboard(server);

    const wrong = await page.signIn({ ...ownerSignIn, password: "not this one" });
    const unknown = await page.signIn({ ...ownerSignIn, email: "nobody@example.com" });

    expect(wrong.status).toBe(401);
    expect(unknown.body).toEqual(wrong.body);
    expect(wrong.headers.has("set-cookie")).toBe(false);
  });

  test("ends at sign-out, with its row, its cookie and its access tokens", async () => {
    const page = openDashboard(server);
    await page.signIn();
    const token = await page.token();
    const cookie = page.cookie();

    const out = await page.send("DELETE", "/session");
    const again = await page.send("POST", "/token", undefined, { Cookie: cookie });

    expect([out.status, page.cookie()]).toEqual([204, ""]);
    expect(refusalOf(again)).toBe("401 unauthorized");
    expect(refusalOf(await listLinks(token))).toBe("401 unauthorized");
    expect((await page.send("DELETE", "/session")).status).toBe(204);
  });

  test("is refused for pages of other origins and for requests without an origin", async () => {
    const page = openDashboard(server);
    await page.signIn();

    for (const Origin of ["https://evil.example", "null", ""]) {
      for (const [method, path, body] of [
        ["POST", "/session", ownerSignIn],
        ["DELETE", "/session"],
        ["POST", "/token"],
        ["POST", "/password-reset", { email: "owner@example.com" }],
        ["POST", "/magic-link", { email: "owner@example.com" }],
      ] as const) {
        const answer = await page.send(method, path, body, { Origin });
        expect([Origin, path, refusalOf(answer)]).toEqual([Origin, path, "403 forbidden"]);
      }
    }
    expect(await page.token()).toStartWith("wps_");
  });

  test("does not give access to the API by its cookie or the token in it", async () => {
    const page = openDashboard(server);
    await page.signIn();
    const [, token = ""] = page.cookie().split("=");

    const byCookie = await server.call("GET", "/links", { key: "", headers: { Cookie: page.cookie() } });

    expect(refusalOf(byCookie)).toBe("401 unauthorized");
    expect(refusalOf(await listLinks(token))).toBe("401 unauthorized");
  });

  test("survives a restart of the service, and stores no cookie, token or address on the disk", async () => {
    await withServer(ownerPassword, async (first) => {
      const page = openDashboard(first);
      await page.signIn();
      const token = await page.token();
      await first.call("GET", "/links", { key: token });
      const secrets = [token, page.cookie().split("=")[1] ?? "", "127.0.0.1"];

      await first.end("SIGTERM");
      const files = readdirSync(first.data).filter((name) => name.includes("sqlite"));
      const bytes = files.map((name) => readFileSync(join(first.data, name)).toString("latin1")).join("");
      const second = await first.restart();
      const { status } = await second.call("GET", "/links", { key: token });
      await second.end("SIGTERM");

      expect(status).toBe(200);
      expect(files.length).toBeGreaterThan(0);
      expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([]);
    });
  });
});

test("a call whose session ends while its body arrives changes nothing", async () => {
  const person = await newPerson(server, "owner");
  const key = await person.dashboard.token();
  const body = JSON.stringify({ name: "A name that is too late" });
  const fields = { Host: "localhost", Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const all = Object.entries({ ...fields, "Content-Length": String(body.length), Connection: "close" });
  const head = `PATCH /v1/workspaces/1 HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;

  const answer = await splitUpload(server.url, { head, part: body.slice(0, 5), rest: body.slice(5) }, async () => {
    await person.dashboard.send("DELETE", "/session");
  });

  expect(answer?.status).toBe(401);
  expect((await server.call("GET", "/workspaces/1")).body).not.toMatchObject({ name: "A name that is too late" });
});

describe("a token", () => {
  test("acts in the user's first workspace, or in that of workspaceId", async () => {
    const { dashboard } = await newPerson(server, "viewer");
    const key = await dashboard.token();
    const own = z.object({ id: z.int() });

    const { body } = await server.call("POST", "/workspaces", { key, body: { name: "Mine" } });
    const { id } = own.parse(body);
    const inFirst = await server.call("POST", "/tags", { key, body: { name: "no" } });
    const inMine = await server.call("POST", `/tags?workspaceId=${id}`, { key, body: { name: "yes" } });
    const stranger = await newTenant(server);
    const foreign = await listLinks(key, `?workspaceId=${stranger.workspaceId}`);

    const { workspaces } = Workspaces.parse((await server.call("GET", "/workspaces", { key })).body);
    expect(workspaces).toEqual([
      { id: 1, role: "viewer" },
      { id, role: "owner" },
    ]);
    expect(refusalOf(inFirst)).toBe("403 forbidden");
    expect(inMine.status).toBe(201);
    expect(refusalOf(foreign)).toBe("404 not_found");
  });

  test("of a user without a workspace can create one, and nothing else", async () => {
    const { dashboard, email } = await newPerson(server);
    const key = await dashboard.token();
    const members = z.array(z.object({ userId: z.string(), email: z.string().nullable() }));
    const all = members.parse((await server.call("GET", "/workspaces/1/members")).body);
    const userId = all.find((member) => member.email === email)?.userId;
    await server.call("DELETE", `/workspaces/1/members/${userId}`);

    const refused = [await listLinks(key), await server.call("POST", "/api-keys", { key, body: { name: "No" } })];
    const repeatable = { key, body: { name: "Mine" }, headers: { "Idempotency-Key": "once" } };
    refused.push(await server.call("POST", "/workspaces", repeatable));
    const made = await server.call("POST", "/workspaces", { key, body: { name: "Mine" } });

    expect(refused.map(refusalOf)).toEqual(["403 forbidden", "403 forbidden", "400 bad_request"]);
    expect(made.status).toBe(201);
    expect((await listLinks(key)).status).toBe(200);
  });

  test("shares the rate limit of its session with the session's other tokens", async () => {
    const allowance = { callsMax: 6, perMs: minuteMs };
    await withService({ ...ownerPassword, WAYPOST_RATE_LIMIT_PER_MINUTE: "6" }, async (limited) => {
      const page = openDashboard(limited);
      await page.signIn();
      const remaining = async (key: string) => {
        const { headers } = await limited.call("GET", "/links", { key });
        return Number(headers.get("ratelimit-remaining"));
      };

      const [first, second] = [await page.token(), await page.token()];
      const since = Date.now();
      const left = [await remaining(first), await remaining(second), await remaining(first), await remaining(second)];

      expectCountedDown(left, allowance, since);
    });
  });
});

describe("attempts to sign in", () => {
  const perAccount = { callsMax: 10, perMs: 10 * minuteMs };
  const perAddress = { callsMax: 20, perMs: 10 * minuteMs };

  test("are limited per account, from any address, and whether or not the account exists", async () => {
    for (const email of [(await newPerson(server)).email, "nobody-at-all@example.com"]) {
      const page = openDashboard(server);

      const { admitted, refused } = await attemptUntilLimited(perAccount, (attempt) => {
        const from = { "X-Forwarded-For": `198.51.100.${attempt}` };
        return page.send("POST", "/session", { email, password: "guess" }, from);
      });

      expect(admitted.map(({ status }) => status)).toEqual(admitted.map(() => 401));
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });

  test("are limited per address, and a success does not count", async () => {
    const page = openDashboard(server);
    const from = { "X-Forwarded-For": "203.0.113.9" };
    const attempt = (email: string, password: string) => page.send("POST", "/session", { email, password }, from);
    const person = await newPerson(server);

    for (let times = 0; times < 11; times++) expect((await attempt(person.email, person.password)).status).toBe(200);
    const { admitted } = await attemptUntilLimited(perAddress, (times) => attempt(`${times}@example.com`, "guess"));

    expect(admitted.map(({ status }) => status)).toEqual(admitted.map(() => 401));
    expect((await page.signIn()).status).toBe(200);
  }, 240_000);

  test("are counted by outcome", async () => {
    const counted = async () => {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      return ["succeeded", "refused", "limited"].map((outcome) =>
        Number(new RegExp(`waypost_sign_ins_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0),
      );
    };
    const nobody = { email: `${crypto.randomUUID()}@example.com`, password: "not the password" };
    const disabled = await newPerson(server);
    await operate(server, "user disable", { user: disabled.email });
    const before = await counted();

    const succeeded = await openDashboard(server).signIn();
    const refused = await openDashboard(server).signIn({ email: disabled.email, password: disabled.password });
    const { admitted } = await attemptUntilLimited(perAccount, () =>
      openDashboard(server).send("POST", "/session", nobody, { "X-Forwarded-For": "203.0.113.77" }),
    );

    const after = await counted();
    expect([succeeded.status, refused.status]).toEqual([200, 403]);
    expect(admitted.map(({ status }) => status)).toEqual(admitted.map(() => 401));
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, admitted.length + 1, 1]);
  });
});

test("a new password from the command line ends the sessions the user has", async () => {
  const person = await newPerson(server);
  const token = await person.dashboard.token();

  const { code } = await waypost(["user", "password", "--email", person.email], {
    data: server.data,
    input: "another one altogether\n",
  });

  expect(code).toBe(0);
  expect(refusalOf(await listLinks(token))).toBe("401 unauthorized");
  expect(refusalOf(await person.dashboard.send("POST", "/token"))).toBe("401 unauthorized");
  const again = await person.dashboard.signIn({ email: person.email, password: "another one altogether" });
  expect(again.status).toBe(200);
});

test("an account under attack stays open to browsers that have signed in before, which have their own attempts", async () => {
  const { email, password } = await newPerson(server);
  const signIn = async (given: string, headers: Record<string, string>) =>
    await openDashboard(server).send("POST", "/session", { email, password: given }, headers);
  const first = await signIn(password, { "X-Forwarded-For": "192.0.2.77" });
  const browser = first.headers.getSetCookie().find((cookie) => cookie.startsWith("waypost_browser="));
  const Cookie = browser?.split(";")[0] ?? "";
  const ten = { callsMax: 10, perMs: 10 * minuteMs };
  await attemptUntilLimited(ten, (host) => signIn("a wrong one", { "X-Forwarded-For": `198.51.100.${host}` }));

  const known = await signIn(password, { Cookie });
  const unknown = await signIn(password, {});
  const forged = await signIn(password, { Cookie: Cookie.replace(/.$/, (end) => (end === "0" ? "1" : "0")) });
  const { admitted } = await attemptUntilLimited(ten, () => signIn("a wrong one", { Cookie }));

  expect([known.status, unknown.status, forged.status]).toEqual([200, 429, 429]);
  expect(new Set(admitted.map(({ status }) => status))).toEqual(new Set([401]));
});

describe("an invite", () => {
  const invite = async (body: object = {}) => {
    const owner = await newTenant(server);
    const { token } = await newInvite(server, owner.workspaceId, owner.apiKey, body);
    return { path: `/invites/${token}`, workspaceId: owner.workspaceId };
  };

  test("accepted with a form signs the person in", async () => {
    const { path } = await invite();
    const page = openDashboard(server);

    const answer = await page.visit(path, {
      name: "Ann",
      email: `${crypto.randomUUID()}@example.com`,
      password: "long enough",
    });

    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/app"]);
    expect((await listLinks(await page.token())).status).toBe(200);
  });

  test("accepted with the right password of an account costs no attempt to sign in", async () => {
    const { email, password } = await newPerson(server);
    const from = { "X-Forwarded-For": "203.0.113.11" };

    const joined: [number, string | null][] = [];
    for (let times = 0; times < 12; times++) {
      const { path } = await invite();
      const { status, headers } = await openDashboard(server).visit(path, { name: "", email, password }, from);
      joined.push([status, headers.get("location")]);
    }

    expect(joined).toEqual(joined.map(() => [303, "/app"]));
    // All attempts of the account are left.
    await attemptUntilLimited({ callsMax: 10, perMs: 10 * minuteMs }, () =>
      openDashboard(server).send("POST", "/session", { email, password: "guess" }, from),
    );
  });

  test("is accepted with one button by a signed-in user", async () => {
    const { path, workspaceId } = await invite();
    const { dashboard, email } = await newPerson(server);

    const form = await (await dashboard.visit(path)).text();
    const answer = await dashboard.visit(path, { as: "me" });

    expect(form).toContain(`You are signed in as <strong>${email}</strong>`);
    expect(form).not.toContain('type="password"');
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/app"]);
    expect((await listLinks(await dashboard.token(), `?workspaceId=${workspaceId}`)).status).toBe(200);
  });

  test("to a full workspace lets a member of it in, and nobody else", async () => {
    const owner = await newTenant(server);
    const first = await newInvite(server, owner.workspaceId, owner.apiKey);
    const { token } = await newInvite(server, owner.workspaceId, owner.apiKey);
    const { dashboard, email, password } = await newPerson(server);
    await dashboard.visit(`/invites/${first.token}`, { as: "me" });
    await operate(server, "workspace limits", { workspaceId: owner.workspaceId, members: 2 });
    const path = `/invites/${token}`;

    const signedIn = [await dashboard.visit(path), await dashboard.visit(path, { as: "me" })];
    const byPassword = await openDashboard(server).visit(path, { name: "", email, password });
    const stranger = { name: "Ben", email: `${crypto.randomUUID()}@example.com`, password };
    const refused = await openDashboard(server).visit(path, stranger);

    const home = `/app/w/${owner.workspaceId}`;
    expect(signedIn.map(({ headers }) => headers.get("location"))).toEqual([home, home]);
    expect(byPassword.status).toBe(303);
    expect(refused.status).toBe(422);
  });

  test("is not accepted by a form of another site, nor by a form without a session", async () => {
    const { path } = await invite();
    const { dashboard } = await newPerson(server);

    const foreign = await dashboard.visit(path, { as: "me" }, { Origin: "https://evil.example" });
    const withoutOrigin = await dashboard.visit(path, { as: "me" }, { Origin: "" });
    const signedOut = await openDashboard(server).visit(path, { as: "me" });

    expect([foreign.status, withoutOrigin.status, signedOut.status]).toEqual([403, 422, 422]);
    expect((await dashboard.visit(path)).status).toBe(200);
  });

  test("for an address shows no form to a user with another address", async () => {
    const { path } = await invite({ email: `${crypto.randomUUID()}@example.com` });
    const { dashboard } = await newPerson(server);

    const form = await (await dashboard.visit(path)).text();
    const answer = await dashboard.visit(path, { as: "me" });

    expect(form).toContain("This service doesn’t send e-mail.");
    expect(form).not.toContain("e-mail sent to that address");
    expect(form).not.toContain("<form");
    expect(answer.status).toBe(403);
  });

  test("is shown in the browser's language and theme, errors too", async () => {
    const { path } = await invite();
    const page = openDashboard(server);
    const look = { "Accept-Language": "de-AT,en;q=0.5", Cookie: "waypost_theme=dark" };

    const form = await page.visit(path, undefined, look);
    const refused = await page.visit(path, { name: "Ann", email: "<b>", password: "long enough" }, look);
    const closed = await page.visit(`/invites/${"x".repeat(40)}`, undefined, { "Accept-Language": "zh" });

    const texts = [await form.text(), await refused.text(), await closed.text()];
    expect([form.status, refused.status, closed.status]).toEqual([200, 422, 404]);
    expect(texts[0]).toContain('<html lang="de" data-theme="dark">');
    expect(texts[0]).toContain('<button type="submit">Beitreten</button>');
    expect(texts[1]).toContain("Geben Sie eine gültige E-Mail-Adresse ein, etwa you@example.com.");
    expect(texts[1]).toContain('value="&lt;b&gt;"');
    expect(texts[2]).toContain('<html lang="zh-Hans">');
    expect(texts[2]).toContain("此邀请已失效");
  });
});

test("a missing page says so in the browser's language", async () => {
  const headers = { "Accept-Language": "de", Accept: "text/html" };

  for (const path of ["/docs/no/such", "/docs/nowhere"]) {
    const answer = await fetch(`${server.url}${path}`, { headers });

    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-language")).toBe("de");
    expect(await answer.text()).toContain("<h1>Seite nicht gefunden</h1>");
  }
});

test("the dashboard's operations list their methods", async () => {
  const page = openDashboard(server);

  expect((await page.visit("/token")).headers.get("allow")).toBe("POST, OPTIONS");
  expect((await page.visit("/session")).status).toBe(405);
  expect((await server.call("GET", "/links", { key: ownerKey })).status).toBe(200);
});
