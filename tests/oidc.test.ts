/** Signing in with an OpenID Connect provider, against a real one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { type Dashboard, newPerson, openDashboard } from "./support/dashboard.ts";
import { type OidcProvider, startOidcProvider } from "./support/oidc-provider.ts";
import { codeOf } from "./support/one-time-codes.ts";
import { authorize as authorizeAt, begin, locationOf, signInAt } from "./support/provider-sign-in.ts";
import { refusalOf } from "./support/requests.ts";
import type { TestService } from "./support/server.ts";
import { startService, withService } from "./support/service.ts";
import { operate } from "./support/tenants.ts";

const hourMs = 3_600_000;
let provider: OidcProvider;
let server: TestService;
beforeAll(async () => {
  provider = await startOidcProvider();
  server = await startService({
    ...provider.environment,
    WAYPOST_OIDC_ROLES: "staff=1:member,ops=1:owner,lost=999:member",
  });
});
afterAll(async () => {
  await server.remove();
  await provider.stop();
});

const newEmail = () => `${crypto.randomUUID()}@example.com`;
const authorize = (page: Dashboard, id: string, at = provider) => authorizeAt(page, at, id);
const signIn = (page: Dashboard, id: string, next?: string) => signInAt(page, provider, id, next);

const Role = z.object({ workspaces: z.array(z.object({ id: z.int(), role: z.string() })) });
async function roleOf(page: Dashboard): Promise<string | undefined> {
  const { body } = await server.call("GET", "/workspaces", { key: await page.token() });
  return Role.parse(body).workspaces.find(({ id }) => id === 1)?.role;
}

describe("a person whom the provider signs in", () => {
  test("gets an account and a role by their group, and opens the requested page", async () => {
    const [id, email] = [crypto.randomUUID(), newEmail()];
    await provider.setAccount(id, { email, email_verified: true, name: "Ann Lee", groups: ["staff"] });
    const page = openDashboard(server);

    const opened = await signIn(page, id, "/w/1/links?search=a");

    expect(opened).toBe("/app/w/1/links?search=a");
    expect(await roleOf(page)).toBe("member");
    const user = await server.call("GET", "/user", { key: await page.token() });
    expect(user.body).toMatchObject({ email, name: "Ann Lee", emailVerified: true });
    const sessions = await server.call("GET", "/user/sessions", { key: await page.token() });
    expect(sessions.body).toEqual([expect.objectContaining({ method: "provider" })]);
  });

  test("keeps the account after the provider changes their address, and follows their groups", async () => {
    const id = crypto.randomUUID();
    const claims = { email: newEmail(), email_verified: true };
    await provider.setAccount(id, { ...claims, groups: ["staff"] });
    const page = openDashboard(server);
    await signIn(page, id);
    const roles = [await roleOf(page)];

    for (const groups of [["staff", "ops"], ["staff"], ["unknown", "lost"], ["ops"]]) {
      await provider.setAccount(id, { email: newEmail(), email_verified: false, groups });
      expect(await signIn(page, id)).toBe("/app");
      roles.push(await roleOf(page));
    }

    expect(roles).toEqual(["member", "owner", "member", undefined, "owner"]);
  });

  test("keeps a membership made by hand", async () => {
    const person = await newPerson(server, "viewer");
    const id = crypto.randomUUID();
    await provider.setAccount(id, { email: person.email, email_verified: true, groups: ["ops"] });
    const page = openDashboard(server);

    await signIn(page, id);
    const withGroup = await roleOf(page);
    await provider.setAccount(id, { email: person.email, email_verified: true, groups: [] });
    await signIn(page, id);

    expect([withGroup, await roleOf(page)]).toEqual(["viewer", "viewer"]);
  });

  test("joins the account with their address only if both have verified it", async () => {
    const person = await newPerson(server);
    const id = crypto.randomUUID();
    await provider.setAccount(id, { email: person.email, email_verified: false });
    const unverified = await signIn(openDashboard(server), id);
    await provider.setAccount(id, { email: person.email, email_verified: true });
    const verified = await signIn(openDashboard(server), id);
    const other = await newPerson(server);
    const changed = newEmail();
    const change = { email: changed, currentPassword: other.password };
    await server.call("PATCH", "/user", { key: await other.dashboard.token(), body: change });
    const secondId = crypto.randomUUID();
    await provider.setAccount(secondId, { email: changed, email_verified: true });
    const unverifiedAccount = await signIn(openDashboard(server), secondId);

    expect(unverified).toBe("/app/sign-in?problem=unverifiedEmail");
    expect(verified).toBe("/app");
    expect(unverifiedAccount).toBe("/app/sign-in?problem=unverifiedAccount");
  });

  test("does not get the account of an earlier person with the same address", async () => {
    const person = await newPerson(server);
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
    for (const id of [first, second]) await provider.setAccount(id, { email: person.email, email_verified: true });

    expect(await signIn(openDashboard(server), first)).toBe("/app");
    expect(await signIn(openDashboard(server), second)).toBe("/app/sign-in?problem=otherIdentity");
  });

  test("loses an account that the owner of its new address takes over", async () => {
    const person = await newPerson(server);
    const id = crypto.randomUUID();
    await provider.setAccount(id, { email: person.email, email_verified: true });
    await signIn(openDashboard(server), id);
    const victim = newEmail();
    const key = await person.dashboard.token();
    await server.call("PATCH", "/user", { key, body: { email: victim, currentPassword: person.password } });
    await operate(server, "user verify", { email: victim });

    expect(await signIn(openDashboard(server), id)).toBe("/app/sign-in?problem=noAccount");
  });

  test("gets an account whatever their name is at the provider", async () => {
    const id = crypto.randomUUID();
    const name = `A${"😀".repeat(200)}`;
    await provider.setAccount(id, { email: newEmail(), email_verified: true, name, groups: ["staff"] });

    expect(await signIn(openDashboard(server), id)).toBe("/app");
  });

  test("finds the identity in the export of their data", async () => {
    const id = crypto.randomUUID();
    await provider.setAccount(id, { email: newEmail(), email_verified: true, groups: ["staff"] });
    const page = openDashboard(server);
    await signIn(page, id);

    const exported = await server.call("GET", "/user/export", { key: await page.token() });

    expect(exported.body).toMatchObject({ identities: [{ issuer: provider.issuer, subject: id }] });
  });

  test("gets no account without a mapped group, and none is created", async () => {
    const [id, email] = [crypto.randomUUID(), newEmail()];
    await provider.setAccount(id, { email, email_verified: true, groups: ["unknown"] });

    expect(await signIn(openDashboard(server), id)).toBe("/app/sign-in?problem=noAccount");
    expect(JSON.stringify(await operate(server, "user list", {}))).not.toContain(email);
  });

  test("stays out while the account is disabled", async () => {
    const person = await newPerson(server);
    const id = crypto.randomUUID();
    await provider.setAccount(id, { email: person.email, email_verified: true });
    await signIn(openDashboard(server), id);
    await operate(server, "user disable", { user: person.email });
    const page = openDashboard(server);

    expect(await signIn(page, id)).toBe("/app/sign-in?problem=disabled");
    expect(refusalOf(await page.send("POST", "/token"))).toBe("401 unauthorized");
  });

  test("enters a one-time code if they have turned codes on, in the same browser", async () => {
    const person = await newPerson(server);
    const key = await person.dashboard.token();
    const ask = (path: string, body: object) => server.call("POST", `/user/${path}`, { key, body });
    const begun = await ask("one-time-codes", { currentPassword: person.password });
    const { secret } = z.object({ secret: z.string() }).parse(begun.body);
    await ask("one-time-codes/confirm", { code: codeOf(secret) });
    const id = crypto.randomUUID();
    await provider.setAccount(id, { email: person.email, email_verified: true });
    const page = openDashboard(server);

    const path = (await signIn(page, id)).replace(/^\/app/, "");
    const elsewhere = await openDashboard(server).visit(path);
    const form = await (await page.visit(path)).text();
    const done = await page.visit(path, { code: codeOf(secret, 1) });

    expect(path).toStartWith("/link/");
    expect(elsewhere.status).toBe(404);
    expect(form).toContain('name="code"');
    expect(done.status).toBe(303);
    const sessions = await server.call("GET", "/user/sessions", { key: await page.token() });
    expect(sessions.body).toContainEqual(expect.objectContaining({ isCurrent: true, method: "provider" }));
  });
});

test("a sign-in at another host than that of WAYPOST_URL begins there, once, and keeps the requested page", async () => {
  const own = `localhost:${new URL(server.url).port}`;
  const page = openDashboard(server);

  const elsewhere = await page.visit("/oidc?next=/w/1/links");
  const there = await page.visit("/oidc?next=/w/1/links", undefined, { Host: own });
  const behindProxy = await page.visit("/oidc?next=/w/1/links&redirected=1");

  expect(locationOf(elsewhere)).toBe(`http://${own}/app/oidc?next=%2Fw%2F1%2Flinks&redirected=1`);
  for (const response of [there, behindProxy]) expect(locationOf(response)).toStartWith(provider.issuer);
});

test("the start names the workspaces of WAYPOST_OIDC_ROLES that do not exist", () => {
  const lines = server.output().split("\n");

  expect(lines.filter((line) => line.includes("WAYPOST_OIDC_ROLES names workspaces"))).toEqual([
    expect.stringContaining("999"),
  ]);
});

describe("a sign-in is refused", () => {
  const newAccount = async (at = provider) => {
    const id = crypto.randomUUID();
    await at.setAccount(id, { email: newEmail(), email_verified: true, groups: ["staff"] });
    return id;
  };

  test("in another browser than the one that began it, and with another state", async () => {
    const page = openDashboard(server);
    const path = await authorize(page, await newAccount());

    const elsewhere = await openDashboard(server).visit(path);
    const wrongState = await page.visit(path.replace(/state=[^&]+/, "state=forged"));

    expect([locationOf(elsewhere), locationOf(wrongState)]).toEqual(Array(2).fill("/app/sign-in?problem=expired"));
  });

  test("with a code that was used, even in the browser that began it", async () => {
    const page = openDashboard(server);
    const path = await authorize(page, await newAccount());
    const pending = page.cookie();

    const first = await page.visit(path);
    const again = await page.visit(path);
    const replayed = await page.visit(path, undefined, { Cookie: pending });

    expect(locationOf(first)).toBe("/app");
    expect(locationOf(again)).toBe("/app/sign-in?problem=expired");
    expect(locationOf(replayed)).toBe("/app/sign-in?problem=refused");
  });

  test("with the code of another sign-in", async () => {
    const [own, other] = [openDashboard(server), openDashboard(server)];
    const ownPath = await authorize(own, await newAccount());
    const otherPath = await authorize(other, await newAccount());
    const code = /code=([^&]+)/.exec(otherPath)?.[1] ?? "";

    const injected = await own.visit(ownPath.replace(/code=[^&]+/, `code=${code}`));

    expect(locationOf(injected)).toBe("/app/sign-in?problem=refused");
  });

  test("when the person cancels at the provider", async () => {
    const page = openDashboard(server);
    const begun = await begin(page);
    const state = new URL(begun).searchParams.get("state");

    const cancelled = await page.visit(`/oidc/callback?error=access_denied&state=${state}&iss=${provider.issuer}`);

    expect(locationOf(cancelled)).toBe("/app/sign-in?problem=refused");
  });

  test("with an expired ID token", async () => {
    const late = await startOidcProvider({ shiftMs: -3 * hourMs });
    try {
      await withService({ ...late.environment, WAYPOST_OIDC_CREATE_ACCOUNTS: "true" }, async (own) => {
        const page = openDashboard(own);
        const path = await authorize(page, await newAccount(late), late);

        expect(locationOf(await page.visit(path))).toBe("/app/sign-in?problem=refused");
      });
    } finally {
      await late.stop();
    }
  });

  test("by a provider that says it is another one", async () => {
    const false_ = await startOidcProvider({ claimsToBe: "http://127.0.0.1:1" });
    try {
      await withService(false_.environment, async (own) => {
        const begun = await begin(openDashboard(own));

        expect(begun).toBe("/app/sign-in?problem=unreachable");
      });
    } finally {
      await false_.stop();
    }
  });
});

test("while the provider is down, passwords still work, and signing in with it works once it is back", async () => {
  const own = await startOidcProvider();
  await own.stop();
  try {
    await withService({ ...own.environment, WAYPOST_OIDC_CREATE_ACCOUNTS: "true" }, async (lonely) => {
      const person = await newPerson(lonely);
      const page = openDashboard(lonely);
      const down = await begin(page);
      const byPassword = await openDashboard(lonely).signIn(person);
      await own.start();
      const id = crypto.randomUUID();
      await own.setAccount(id, { email: newEmail(), email_verified: true });
      const path = await authorize(page, id, own);
      await own.stop();
      const lost = await page.visit(path);

      expect(down).toBe("/app/sign-in?problem=unreachable");
      expect(byPassword.status).toBe(200);
      expect(locationOf(lost)).toBe("/app/sign-in?problem=unreachable");
    });
  } finally {
    await own.stop();
  }
});
