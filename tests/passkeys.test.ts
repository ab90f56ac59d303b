/** Passkeys through HTTP, with a software authenticator. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { newAuthenticator } from "./support/authenticator.ts";
import { newPerson, openDashboard, ownerPassword, ownerSignIn } from "./support/dashboard.ts";
import { type MailServer, startMailServer } from "./support/mail-server.ts";
import { codeOf } from "./support/one-time-codes.ts";
import { refusalOf } from "./support/requests.ts";
import { eventually, type TestService } from "./support/server.ts";
import { withDatabase } from "./support/server-database.ts";
import { startService, withService } from "./support/service.ts";
import { operate } from "./support/tenants.ts";

const page = { origin: "https://links.example.com", host: "links.example.com" };
let mail: MailServer;
let server: TestService;
beforeAll(async () => {
  mail = await startMailServer();
  server = await startService({ ...ownerPassword, WAYPOST_URL: page.origin, WAYPOST_SMTP_URL: mail.url });
});
afterAll(async () => {
  await server.remove();
  await mail.close();
});

const NewOptions = z.looseObject({
  challenge: z.string(),
  user: z.looseObject({ id: z.string() }),
  excludeCredentials: z.array(z.looseObject({ id: z.string() })),
});
const Options = z.strictObject({
  challenge: z.string(),
  rpId: z.literal(page.host),
  timeout: z.int(),
  userVerification: z.literal("required"),
});
const Passkey = z.strictObject({
  id: z.string(),
  name: z.string(),
  host: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
});
type Person = { email: string; password: string };

const ask = (key: string, path: string, body: object) => server.call("POST", `/user/${path}`, { key, body });

/** Adds a passkey in the session of this token. */
async function addPasskey(key: string, { password }: Person, authenticator = newAuthenticator(page)) {
  const begun = await ask(key, "passkeys/options", { currentPassword: password });
  const options = NewOptions.parse(begun.body);
  const answer = await ask(key, "passkeys", { name: "Phone", ...authenticator.create(options) });
  return { authenticator, options, answer };
}

/** Signs in with a new browser. */
async function signIn(authenticator: ReturnType<typeof newAuthenticator>) {
  const dashboard = openDashboard(server);
  const options = Options.parse((await dashboard.send("POST", "/passkey/options")).body);
  const answer = await dashboard.send("POST", "/passkey", authenticator.get(options));
  return { dashboard, answer };
}

async function personWithPasskey() {
  const person = await newPerson(server);
  const key = await person.dashboard.token();
  return { person, key, ...(await addPasskey(key, person)) };
}

describe("a passkey", () => {
  test("is added with the password, signs in without it, and is listed, renamed and removed", async () => {
    const { person, key, authenticator, answer } = await personWithPasskey();
    const { id } = Passkey.parse(answer.body);

    const signedIn = await signIn(authenticator);
    const list = await server.call("GET", "/user/passkeys", { key });
    const renamed = await server.call("PATCH", `/user/passkeys/${id}`, { key, body: { name: " Laptop " } });
    const wrong = await ask(key, `passkeys/${id}/removal`, { currentPassword: "not this one" });
    const removed = await ask(key, `passkeys/${id}/removal`, { currentPassword: person.password });

    expect([answer.status, signedIn.answer.status]).toEqual([201, 204]);
    expect(z.array(Passkey).parse(list.body)).toMatchObject([{ id, name: "Phone", host: page.host }]);
    expect(z.array(Passkey).parse(list.body)[0]?.lastUsedAt).not.toBeNull();
    expect(renamed.body).toMatchObject({ id, name: "Laptop" });
    expect([refusalOf(wrong), removed.body]).toEqual(["422 unprocessable_entity", { id }]);
    expect(refusalOf((await signIn(authenticator)).answer)).toBe("401 unauthorized");
    expect((await signedIn.dashboard.send("POST", "/token")).status).toBe(401);
  });

  test("is not added without the password, and the browser learns which ones exist", async () => {
    const { person, key, authenticator } = await personWithPasskey();

    const without = await ask(key, "passkeys/options", {});
    const again = await ask(key, "passkeys/options", { currentPassword: person.password });

    expect(refusalOf(without)).toBe("422 unprocessable_entity");
    expect(NewOptions.parse(again.body).excludeCredentials.map(({ id }) => id)).toEqual([authenticator.id]);
  });

  test("replaces the password and the code of a person with one-time codes", async () => {
    const { person, key, authenticator } = await personWithPasskey();
    const begun = await ask(key, "one-time-codes", { currentPassword: person.password });
    const { secret } = z.object({ secret: z.string() }).parse(begun.body);
    const code = codeOf(secret);
    await ask(key, "one-time-codes/confirm", { code });

    const withPassword = await openDashboard(server).signIn(person);
    const { dashboard, answer } = await signIn(authenticator);
    const own = await dashboard.token();
    const sessions = await server.call("GET", "/user/sessions", { key: own });
    const off = await ask(own, "one-time-codes/turn-off", { currentPassword: person.password });

    expect([withPassword.status, answer.status]).toEqual([202, 204]);
    expect(sessions.body).toContainEqual(expect.objectContaining({ isCurrent: true, method: "passkey" }));
    expect(off.body).toMatchObject({ isOn: false });
  });

  test("opens a workspace that requires a second factor, which the password alone does not", async () => {
    const { person, authenticator } = await personWithPasskey();
    const workspace = await server.call("POST", "/workspaces", { body: { name: "Strict" } });
    const { id } = z.object({ id: z.int() }).parse(workspace.body);
    await withDatabase(server, async ({ db }) => {
      const user = await db
        .selectFrom("users")
        .select("id")
        .where("email", "=", person.email)
        .executeTakeFirstOrThrow();
      await db
        .insertInto("members")
        .values({ workspaceId: id, userId: user.id, role: "member", createdAt: Date.now() })
        .execute();
      await db.updateTable("workspaces").set({ requiresSecondFactor: 1 }).where("id", "=", id).execute();
    });
    const links = async (dashboard: ReturnType<typeof openDashboard>) =>
      await server.call("GET", `/links?workspaceId=${id}`, { key: await dashboard.token() });

    const byPassword = openDashboard(server);
    await byPassword.signIn(person);
    const { dashboard } = await signIn(authenticator);

    expect(refusalOf(await links(byPassword))).toBe("403 forbidden");
    expect((await links(dashboard)).status).toBe(200);
  });

  test("opens the administration area, which needs a second factor", async () => {
    const needed = { WAYPOST_URL: page.origin, WAYPOST_ADMINISTRATORS_NEED_SECOND_FACTOR: "true" };
    await withService({ ...ownerPassword, ...needed }, async (own) => {
      await operate(own, "user administrator", { user: ownerSignIn.email, isAdministrator: true });
      const dashboard = openDashboard(own);
      await dashboard.signIn();
      const key = await dashboard.token();
      const before = await own.call("GET", "/admin/users", { key });
      const post = (path: string, body: object) => own.call("POST", `/user/${path}`, { key, body });
      const begun = await post("passkeys/options", { currentPassword: ownerSignIn.password });
      await post("passkeys", { name: "Key", ...newAuthenticator(page).create(NewOptions.parse(begun.body)) });

      const after = await own.call("GET", "/admin/users", { key });

      expect(refusalOf(before)).toBe("403 forbidden");
      expect(after.body).toMatchObject([{ hasOneTimeCodes: false, hasPasskeys: true }]);
    });
  });

  test("is mailed to its verified owner when it is added and removed", async () => {
    const { person, key, answer } = await personWithPasskey();
    const { id } = Passkey.parse(answer.body);
    await ask(key, `passkeys/${id}/removal`, { currentPassword: person.password });

    const mails = await eventually(
      async () => mail.received.filter(({ to }) => to.includes(person.email)),
      ({ length }) => length === 2,
    );

    const texts = mails.map(({ text }) => text).join("\n");
    expect(texts).toContain("The passkey =E2=80=9CPhone=E2=80=9D was added to your Waypost account.");
    expect(texts).toContain("The passkey =E2=80=9CPhone=E2=80=9D was removed from your Waypost account");
    expect(texts).toContain(`${page.origin}/app/account/security`);
  });

  test("is removed by the operator together with the codes, for a person who lost them", async () => {
    const { person, authenticator } = await personWithPasskey();

    await operate(server, "user remove-codes", { user: person.email });

    expect(refusalOf((await signIn(authenticator)).answer)).toBe("401 unauthorized");
    expect((await openDashboard(server).signIn(person)).status).toBe(200);
  });

  test("of a disabled account signs nobody in", async () => {
    const { person, authenticator } = await personWithPasskey();

    await operate(server, "user disable", { user: person.email });

    expect(refusalOf((await signIn(authenticator)).answer)).toBe("403 forbidden");
  });

  test("signs in from the service's own pages only", async () => {
    const { authenticator } = await personWithPasskey();
    const dashboard = openDashboard(server);
    const foreign = { Origin: "https://evil.example" };
    const options = Options.parse((await dashboard.send("POST", "/passkey/options")).body);

    const begun = await dashboard.send("POST", "/passkey/options", undefined, foreign);
    const finished = await dashboard.send("POST", "/passkey", authenticator.get(options), foreign);

    expect([refusalOf(begun), refusalOf(finished)]).toEqual(["403 forbidden", "403 forbidden"]);
  });

  test("is refused in malformed requests with the reason", async () => {
    const { person, key } = await personWithPasskey();
    const options = NewOptions.parse((await ask(key, "passkeys/options", { currentPassword: person.password })).body);
    const made = newAuthenticator(page).create(options);
    const dashboard = openDashboard(server);

    const answers = [
      await ask(key, "passkeys", { ...made, name: "" }),
      await ask(key, "passkeys", { ...made, name: "n".repeat(101) }),
      await ask(key, "passkeys", { ...made, name: "Key", attestationObject: "no base64url!" }),
      await ask(key, "passkeys", { ...made, name: "Key", attestationObject: "AAAA" }),
      await dashboard.send("POST", "/passkey", {}),
      await dashboard.send("POST", "/passkey", { ...made, userHandle: 7 }),
    ];

    expect(answers.map(refusalOf)).toEqual(answers.map(() => "422 unprocessable_entity"));
  });
});

describe("without passkeys", () => {
  test.each([
    ["needsHttps", { WAYPOST_URL: "http://links.example.com" }, "422 unprocessable_entity"],
    ["needsHostName", { WAYPOST_URL: "https://192.0.2.1" }, "422 unprocessable_entity"],
  ])("the page of the dashboard and the API say why: %s", async (reason, environment, refused) => {
    await withService({ ...ownerPassword, ...environment }, async (own) => {
      const dashboard = openDashboard(own);
      await dashboard.signIn();
      const key = await dashboard.token();
      const body = { currentPassword: ownerSignIn.password };

      expect(await (await dashboard.visit("/sign-in")).text()).toContain(`&quot;passkeys&quot;:&quot;${reason}&quot;`);
      expect(refusalOf(await dashboard.send("POST", "/passkey/options"))).toBe(refused);
      expect(refusalOf(await own.call("POST", "/user/passkeys/options", { key, body }))).toBe(refused);
      expect((await own.call("GET", "/user/passkeys", { key })).body).toEqual([]);
    });
  });
});
