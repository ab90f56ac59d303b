/** Identities of a provider: joined, listed, disconnected, and what API keys gain from their second factor. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { newAuthenticator } from "./support/authenticator.ts";
import { newPerson, openDashboard } from "./support/dashboard.ts";
import { type MailServer, startMailServer } from "./support/mail-server.ts";
import { type OidcProvider, startOidcProvider } from "./support/oidc-provider.ts";
import { signInAt } from "./support/provider-sign-in.ts";
import { refusalOf } from "./support/requests.ts";
import { eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newMember, operate } from "./support/tenants.ts";

let provider: OidcProvider;
let mail: MailServer;
let server: TestService;
beforeAll(async () => {
  provider = await startOidcProvider();
  mail = await startMailServer();
  server = await startService({
    ...provider.environment,
    WAYPOST_OIDC_NAME: "Acme",
    WAYPOST_OIDC_CREATE_ACCOUNTS: "true",
    WAYPOST_OIDC_TRUST_SECOND_FACTOR: "true",
    WAYPOST_SMTP_URL: mail.url,
  });
});
afterAll(async () => {
  await server.remove();
  await mail.close();
  await provider.stop();
});

const Options = z.looseObject({ challenge: z.string(), user: z.looseObject({ id: z.string() }) });

const newEmail = () => `${crypto.randomUUID()}@example.com`;
const Identities = z.array(z.looseObject({ id: z.string() }));

/** A person with a password whom the provider also signs in, in `page`. */
async function newJoined() {
  const person = await newPerson(server);
  const id = crypto.randomUUID();
  await provider.setAccount(id, { email: person.email, email_verified: true });
  const page = openDashboard(server);
  await signInAt(page, provider, id);
  return { ...person, id, page };
}

async function identitiesOf(key: string) {
  return Identities.parse((await server.call("GET", "/user/identities", { key })).body);
}

async function disconnect(key: string, id: string, currentPassword?: string) {
  return await server.call("POST", `/user/identities/${id}/disconnect`, { key, body: { currentPassword } });
}

/** The mails to an address with this subject, once there are any. */
async function mailsTo(email: string, subject: string) {
  return await eventually(
    async () => mail.received.filter(({ to, text }) => to.includes(email) && text.includes(`Subject: ${subject}`)),
    ({ length }) => length > 0,
  );
}

/** The types of entries about a person in the audit log of the first workspace. */
async function entriesAbout(userId: string): Promise<string[]> {
  const { body } = await server.call("GET", "/workspaces/1/audit-log?kind=member");
  const entries = z.array(z.looseObject({ type: z.string(), object: z.looseObject({ id: z.string() }) })).parse(body);
  return entries.filter(({ object }) => object.id === userId).map(({ type }) => type);
}

const userIdOf = async (key: string) =>
  z.looseObject({ id: z.string() }).parse((await server.call("GET", "/user", { key })).body).id;

describe("an identity that joins an account", () => {
  test("is listed, mailed to the address and recorded in the audit log, once", async () => {
    const { email, id, page } = await newJoined();
    const mails = await mailsTo(email, "Acme now signs you in to Waypost");
    await signInAt(page, provider, id);
    const key = await page.token();

    const identities = await identitiesOf(key);

    const issuer = provider.issuer;
    expect(identities).toEqual([
      expect.objectContaining({
        provider: "Acme",
        issuer,
        email,
        isActive: true,
        id: expect.stringMatching(/^identity_/),
      }),
    ]);
    expect(mails.length).toBe(1);
    const types = await entriesAbout(await userIdOf(key));
    expect(types.filter((type) => type === "member.identityConnected").length).toBe(1);
  });

  test("is disconnected with the password, which ends its other sessions; the next sign-in joins again", async () => {
    const { email, password, id, page, dashboard } = await newJoined();
    const key = await dashboard.token();
    const [identity] = await identitiesOf(key);

    const wrong = await disconnect(key, identity?.id ?? "", "not this one");
    const right = await disconnect(key, identity?.id ?? "", password);
    const again = await disconnect(key, identity?.id ?? "", password);

    expect(refusalOf(wrong)).toBe("422 unprocessable_entity");
    expect([right.status, right.body]).toEqual([200, { id: identity?.id }]);
    expect(refusalOf(again)).toBe("404 not_found");
    expect(await identitiesOf(key)).toEqual([]);
    expect(refusalOf(await page.send("POST", "/token"))).toBe("401 unauthorized");
    expect((await mailsTo(email, "Acme no longer signs you in to Waypost")).length).toBe(1);
    expect(await entriesAbout(await userIdOf(key))).toContain("member.identityDisconnected");
    expect(await signInAt(openDashboard(server), provider, id)).toBe("/app");
    expect(await identitiesOf(key)).toEqual([expect.objectContaining({ id: identity?.id })]);
  });

  test("stays connected while it is the only way to sign in", async () => {
    const id = crypto.randomUUID();
    await provider.setAccount(id, { email: newEmail(), email_verified: true });
    const page = openDashboard(server);
    await signInAt(page, provider, id);
    const key = await page.token();
    const [identity] = await identitiesOf(key);

    const refused = await disconnect(key, identity?.id ?? "");

    expect(refusalOf(refused)).toBe("409 conflict");
    expect(await identitiesOf(key)).toEqual([expect.objectContaining({ id: identity?.id })]);
  });

  test("is disconnected by a person with a passkey, which then stays", async () => {
    const id = crypto.randomUUID();
    await provider.setAccount(id, { email: newEmail(), email_verified: true });
    const page = openDashboard(server);
    await signInAt(page, provider, id);
    const key = await page.token();
    const [identity] = await identitiesOf(key);
    const origin = `http://localhost:${new URL(server.url).port}`;
    const ask = (path: string, body: object) => server.call("POST", `/user/passkeys${path}`, { key, body });
    const options = Options.parse((await ask("/options", {})).body);
    const passkey = await ask("", {
      name: "Phone",
      ...newAuthenticator({ origin, host: "localhost" }).create(options),
    });

    const right = await disconnect(key, identity?.id ?? "");
    const last = await ask(`/${z.looseObject({ id: z.string() }).parse(passkey.body).id}/removal`, {});

    expect([right.status, await identitiesOf(key)]).toEqual([200, []]);
    expect(last.status).toBe(200);
  });

  test("of another person looks like none", async () => {
    const [mine, theirs] = [await newJoined(), await newJoined()];
    const [identity] = await identitiesOf(await theirs.dashboard.token());

    const refused = await disconnect(await mine.dashboard.token(), identity?.id ?? "", mine.password);

    expect(refusalOf(refused)).toBe("404 not_found");
  });

  test("is listed and disconnected by the command line", async () => {
    const { email, page } = await newJoined();

    const listed = await operate(server, "user identities", { user: email });
    const disconnected = await operate(server, "user disconnect", { user: email });

    expect(listed).toEqual([expect.objectContaining({ provider: "Acme", email })]);
    expect(disconnected).toMatchObject({ disconnected: 1 });
    expect(refusalOf(await page.send("POST", "/token"))).toBe("401 unauthorized");
    expect(operate(server, "user disconnect", { user: email })).rejects.toThrow("signs in with no identity provider");
  });

  test("is listed and disconnected by an administrator, but not the administrator's own", async () => {
    const [administrator, person] = [await newJoined(), await newJoined()];
    await operate(server, "user administrator", { user: administrator.email, isAdministrator: true });
    const key = await administrator.page.token();
    const idOf = async (email: string) =>
      z
        .array(z.looseObject({ id: z.string(), hasIdentities: z.boolean() }))
        .length(1)
        .parse((await server.call("GET", `/admin/users?search=${email}`, { key })).body)[0];
    const before = await idOf(person.email);
    const path = `/admin/users/${before?.id}/identities`;

    const listed = await server.call("GET", path, { key });
    const disconnected = await server.call("DELETE", path, { key });
    const own = await server.call("DELETE", `/admin/users/${(await idOf(administrator.email))?.id}/identities`, {
      key,
    });

    expect(listed.body).toEqual([expect.objectContaining({ provider: "Acme", email: person.email, isActive: true })]);
    expect(disconnected.body).toEqual({ id: before?.id, disconnected: 1 });
    expect([before?.hasIdentities, (await idOf(person.email))?.hasIdentities]).toEqual([true, false]);
    expect(refusalOf(await person.page.send("POST", "/token"))).toBe("401 unauthorized");
    expect(await mailsTo(person.email, "Acme no longer signs you in to Waypost")).toHaveLength(1);
    expect(refusalOf(await server.call("DELETE", path, { key }))).toBe("409 conflict");
    expect(refusalOf(own)).toBe("409 conflict");
  });
});

test("a key of a person whose provider checks a second factor works where one is required, while connected", async () => {
  const { page, password, dashboard } = await newJoined();
  const key = await page.token();
  const made = await server.call("POST", "/workspaces", { key, body: { name: "Safe" } });
  const { id } = z.looseObject({ id: z.int() }).parse(made.body);
  const member = await newMember(server, id, "member");
  const at = `?workspaceId=${id}`;
  const own = await server.call("POST", `/api-keys${at}`, { key, body: { name: "Own" } });
  const { key: ownKey } = z.looseObject({ key: z.string() }).parse(own.body);

  const required = await server.call("PATCH", `/workspaces/${id}`, { key, body: { requiresSecondFactor: true } });

  expect(required.status).toBe(200);
  expect((await server.call("GET", `/links${at}`, { key: ownKey })).status).toBe(200);
  expect(refusalOf(await server.call("GET", `/links${at}`, { key: member.apiKey }))).toBe("403 forbidden");
  const listed = await server.call("GET", `/api-keys${at}`, { key });
  const keys = z.array(z.looseObject({ userId: z.string(), lacksSecondFactor: z.boolean() })).parse(listed.body);
  expect(keys.map(({ userId, lacksSecondFactor }) => [userId === member.userId, lacksSecondFactor])).toEqual(
    expect.arrayContaining([
      [true, true],
      [false, false],
    ]),
  );
  const passwordKey = await dashboard.token();
  const [identity] = await identitiesOf(passwordKey);
  expect((await disconnect(passwordKey, identity?.id ?? "", password)).status).toBe(200);
  expect(refusalOf(await server.call("GET", `/links${at}`, { key: ownKey }))).toBe("403 forbidden");
});

describe("the person is mailed", () => {
  test("at the earlier address about a new address", async () => {
    const { email, password, dashboard } = await newPerson(server);
    const next = newEmail();

    await server.call("PATCH", "/user", {
      key: await dashboard.token(),
      body: { email: next, currentPassword: password },
    });

    const [about] = await mailsTo(email, "The e-mail address of your Waypost account was changed");
    expect(about?.text).toContain(next);
  });

  test("about another password, whether they or the operator has set it", async () => {
    const { email, password, dashboard } = await newPerson(server);
    const subject = "The password of your Waypost account was changed";
    const body = { password: { current: password, new: "another good password" } };

    await server.call("PATCH", "/user", { key: await dashboard.token(), body });
    const own = await mailsTo(email, subject);
    await operate(server, "user password", { email, password });

    const both = await eventually(
      () => mailsTo(email, subject),
      ({ length }) => length > own.length,
    );
    expect([own.length, both.length]).toEqual([1, 2]);
  });

  test("not at an address that nobody has verified", async () => {
    const { password, dashboard } = await newPerson(server);
    const [first, second] = [newEmail(), newEmail()];
    const key = await dashboard.token();

    for (const email of [first, second]) {
      await server.call("PATCH", "/user", { key, body: { email, currentPassword: password } });
    }

    await mailsTo(second, "Verify your e-mail address for Waypost");
    const subjects = mail.received.filter(({ to }) => to.includes(first)).map(({ text }) => text);
    expect(subjects.filter((text) => text.includes("was changed"))).toEqual([]);
  });
});
