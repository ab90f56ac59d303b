/** WAYPOST_PASSWORD_SIGN_IN=off: people sign in with the identity provider only. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { waypost } from "./support/command.ts";
import { openDashboard } from "./support/dashboard.ts";
import { type MailServer, startMailServer } from "./support/mail-server.ts";
import { type OidcProvider, startOidcProvider } from "./support/oidc-provider.ts";
import { signInAt } from "./support/provider-sign-in.ts";
import { newInvite, refusalOf } from "./support/requests.ts";
import { ownerKey, type TestService } from "./support/server.ts";
import { startService, withService } from "./support/service.ts";
import { operate } from "./support/tenants.ts";

const password = "correct horse battery";
const newEmail = () => `${crypto.randomUUID()}@example.com`;
let provider: OidcProvider;
let mail: MailServer;
let server: TestService;
const environment = () => ({
  ...provider.environment,
  WAYPOST_OIDC_NAME: "Acme",
  WAYPOST_PASSWORD_SIGN_IN: "off",
  WAYPOST_SMTP_URL: mail.url,
});
beforeAll(async () => {
  provider = await startOidcProvider();
  mail = await startMailServer();
  server = await startService(environment());
});
afterAll(async () => {
  await server.remove();
  await mail.close();
  await provider.stop();
});

/** A new person at the provider. */
async function newAccount(email = newEmail()): Promise<{ id: string; email: string }> {
  const id = crypto.randomUUID();
  await provider.setAccount(id, { email, email_verified: true });
  return { id, email };
}

const invitePath = async (body: object = {}) => `/invites/${(await newInvite(server, 1, ownerKey, body)).token}`;
const textOf = async (path: string) => await (await openDashboard(server).visit(path)).text();

test("passwords, links by mail and the forms of invites and sign-up are refused", async () => {
  const page = openDashboard(server);
  const person = { email: "owner@example.com", password };

  const answers = [
    await page.send("POST", "/session", person),
    await page.send("POST", "/magic-link", { email: person.email }),
    await page.send("POST", "/password-reset", { email: person.email }),
  ];
  const forms = [];
  for (const path of [await invitePath(), "/sign-up"]) {
    forms.push((await page.visit(path, { name: "Ann", email: newEmail(), password })).status);
  }

  expect(answers.map(refusalOf)).toEqual(Array(3).fill("403 forbidden"));
  expect(forms).toEqual([403, 403]);
  expect(await textOf("/sign-in")).toContain("&quot;hasPasswords&quot;:false");
});

test("an invite offers only the provider, and admits a new person after the sign-in there", async () => {
  const { id, email } = await newAccount();
  const path = await invitePath({ email });
  const page = openDashboard(server);

  const shown = await textOf(path);
  const opened = await signInAt(page, provider, id, path);
  const form = await (await page.visit(path)).text();
  const joined = await page.visit(path, { as: "me" });

  expect(shown).toContain(`<a class="button" href="/app/oidc?next=%2Finvites%2F`);
  expect(shown).toContain("Continue with Acme");
  expect(shown).not.toContain("<form");
  expect(opened).toBe(`/app${path}`);
  expect(form).toContain(`You are signed in as <strong>${email}</strong>`);
  expect(joined.status).toBe(303);
  expect((await server.call("GET", "/links", { key: await page.token() })).status).toBe(200);
});

test("an invite creates no account for a person with another address, nor does a used one", async () => {
  const [invited, other] = [await newAccount(), await newAccount()];
  const path = await invitePath({ email: invited.email });

  const refused = await signInAt(openDashboard(server), provider, other.id, path);
  const unknown = await signInAt(openDashboard(server), provider, other.id, `/invites/${"x".repeat(40)}`);

  expect([refused, unknown]).toEqual(Array(2).fill("/app/sign-in?problem=noAccount"));
});

test("a person without a password cannot set one, and a recent sign-in confirms them", async () => {
  const { id } = await newAccount();
  const page = openDashboard(server);
  await signInAt(page, provider, id, await invitePath());
  const key = await page.token();

  const set = await server.call("PATCH", "/user", { key, body: { password: { current: password, new: password } } });
  const changed = await server.call("PATCH", "/user", { key, body: { email: newEmail() } });

  expect(refusalOf(set)).toBe("403 forbidden");
  expect([changed.status, changed.body]).toEqual([200, expect.objectContaining({ hasPassword: false })]);
});

test("a set-up link of the command line signs in without a password, and a mailed one is closed", async () => {
  const { id } = await newAccount();
  const page = openDashboard(server);
  await signInAt(page, provider, id, await invitePath());
  const email = newEmail();
  await server.call("PATCH", "/user", { key: await page.token(), body: { email } });
  const mailed = await mailedLink(email);
  const verified = await operate(server, "user verify", { email });
  const { setupToken } = z.object({ setupToken: z.string() }).parse(verified);

  const closed = await openDashboard(server).visit(`/setup/${mailed}`);
  const form = await textOf(`/setup/${setupToken}`);
  const done = await openDashboard(server).visit(`/setup/${setupToken}`, {});

  expect(closed.status).toBe(404);
  expect(form).toContain(`You’ll sign in as <strong>${email}</strong>`);
  expect(form).not.toContain("password");
  expect(done.status).toBe(303);
});

/** The token of the mailed link that verifies this address. */
async function mailedLink(email: string): Promise<string> {
  const mailTo = mail.received.find(({ to }) => to.includes(email));
  return /\/app\/verify\/(\w+)/.exec(mailTo?.text ?? "")?.[1] ?? "";
}

test("the commands on users name the provider, and say that a password signs nobody in", async () => {
  const email = newEmail();
  const data = server.data;

  const made = await waypost(["user", "create", "--email", email, "--join", "1"], { data });
  const set = await waypost(["user", "password", "--email", email], { data, input: `${password}\n` });

  expect(made.stderr).toMatch(/^The user signs in to the dashboard at http:\S+\/app with Acme, /);
  expect(set.stderr).toContain("WAYPOST_PASSWORD_SIGN_IN is off: people sign in with Acme only");
});

test("while sign-up is open, its page leads to the provider, which creates accounts", async () => {
  await withService({ ...environment(), WAYPOST_SIGN_UP: "open" }, async (open) => {
    const page = openDashboard(open);
    const { id } = await newAccount();

    const shown = await (await page.visit("/sign-up")).text();
    const shell = await (await page.visit("/sign-in")).text();
    const opened = await signInAt(page, provider, id);

    expect(shown).toContain('<a class="button" href="/app/oidc">Continue with Acme</a>');
    expect(shown).not.toContain("<form");
    expect(shell).toContain("&quot;signUp&quot;:&quot;provider&quot;");
    expect(opened).toBe("/app");
  });
});
