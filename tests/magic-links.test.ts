/** Links by mail that sign a person in. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { newPerson, openDashboard } from "./support/dashboard.ts";
import { type MailServer, startMailServer } from "./support/mail-server.ts";
import { codeOf } from "./support/one-time-codes.ts";
import { refusalOf } from "./support/requests.ts";
import { eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { operate } from "./support/tenants.ts";

let mail: MailServer;
let server: TestService;
beforeAll(async () => {
  mail = await startMailServer();
  server = await startService({ WAYPOST_SMTP_URL: mail.url });
});
afterAll(async () => {
  await server.remove();
  await mail.close();
});

type Person = { email: string };
const mailsTo = (email: string) => mail.received.filter(({ to }) => to.includes(email));

/** Requests a link with a new browser, and returns the path below /app of the link. */
async function requestLink({ email }: Person, next?: string) {
  const before = mailsTo(email).length;
  const page = openDashboard(server);
  const answer = await page.send("POST", "/magic-link", { email, ...(next === undefined ? {} : { next }) });
  const mails = await eventually(
    async () => mailsTo(email),
    (received) => received.length > before,
  );
  const path = /\/app(\/link\/\w{40}\S*)/.exec(mails.at(-1)?.text ?? "")?.[1] ?? "";
  return { page, answer, path };
}

test("a link signs in once, and only by the button on its page", async () => {
  const person = await newPerson(server);
  const { page, answer, path } = await requestLink(person);

  const opened = await (await page.visit(path)).text();
  const openedAgain = await (await page.visit(path)).text();
  const done = await page.visit(path, {});
  const again = await openDashboard(server).visit(path, {});

  expect([answer.status, answer.body]).toEqual([202, undefined]);
  expect(opened).toContain(`<strong>${person.email}</strong>`);
  expect(openedAgain).toBe(opened);
  expect([done.status, done.headers.get("location")]).toEqual([303, "/app"]);
  expect((await server.call("GET", "/links", { key: await page.token() })).status).toBe(200);
  expect(again.status).toBe(404);
});

test("a link opens the requested page of the dashboard, and no other site", async () => {
  const person = await newPerson(server);
  const inside = await requestLink(person, "/w/1/links?search=a");
  const first = await inside.page.visit(inside.path, {});
  const outside = await requestLink(person, "//evil.example");
  const second = await outside.page.visit(outside.path, {});
  const filtered = await requestLink(person, `/w/1/analytics?url=${"a".repeat(1_500)}`);

  expect(first.headers.get("location")).toBe("/app/w/1/links?search=a");
  expect(second.headers.get("location")).toBe("/app");
  expect(filtered.answer.status).toBe(202);
});

test("another browser is asked whether the person requested the link, and can sign in", async () => {
  const person = await newPerson(server);
  const { page, path } = await requestLink(person);
  const other = openDashboard(server);

  const own = await (await page.visit(path)).text();
  const elsewhere = await (await other.visit(path)).text();
  const done = await other.visit(path, {});

  expect(own).not.toContain("requested in another browser");
  expect(elsewhere).toContain("requested in another browser");
  expect(done.status).toBe(303);
});

test("a form of another site, or without an origin, does not sign in", async () => {
  const { page, path } = await requestLink(await newPerson(server));

  const foreign = await page.visit(path, {}, { Origin: "https://evil.example" });
  const unknown = await page.visit(path, {}, { Origin: "" });
  const own = await page.visit(path, {});

  expect([foreign.status, unknown.status, own.status]).toEqual([403, 403, 303]);
});

test("a person with one-time codes must enter one, and the session has the second factor", async () => {
  const person = await newPerson(server);
  const key = await person.dashboard.token();
  const ask = (path: string, body: object) => server.call("POST", `/user/${path}`, { key, body });
  const begun = await ask("one-time-codes", { currentPassword: person.password });
  const { secret } = z.object({ secret: z.string() }).parse(begun.body);
  await ask("one-time-codes/confirm", { code: codeOf(secret) });
  const { page, path } = await requestLink(person);

  const form = await (await page.visit(path)).text();
  const none = await page.visit(path, {});
  const wrong = await page.visit(path, { code: "000000" });
  const right = await page.visit(path, { code: codeOf(secret, 1) });

  expect(form).toContain('name="code"');
  expect([none.status, wrong.status, right.status]).toEqual([422, 422, 303]);
  expect(await wrong.text()).toContain("This code is wrong or was already used.");
  const sessions = await server.call("GET", "/user/sessions", { key: await page.token() });
  expect(sessions.body).toContainEqual(expect.objectContaining({ isCurrent: true, method: "link" }));
});

test("an unknown address and a disabled account get the same response, and no mail", async () => {
  const known = await newPerson(server);
  const disabled = await newPerson(server);
  await operate(server, "user disable", { user: disabled.email });
  const page = openDashboard(server);
  const ask = (email: string) => page.send("POST", "/magic-link", { email });

  const answers = [await ask("nobody-here@example.com"), await ask(disabled.email), await ask("no address")];
  const { answer } = await requestLink(known);

  for (const each of answers) expect([each.status, each.body]).toEqual([answer.status, answer.body]);
  const cookies = [...answers, answer].map(({ headers }) => headers.get("set-cookie")?.split("=")[0]);
  expect(new Set(cookies)).toEqual(new Set(["waypost_link"]));
  expect([...mailsTo("nobody-here@example.com"), ...mailsTo(disabled.email)]).toEqual([]);
});

test("links are mailed at most five times an hour, and only the latest works", async () => {
  const person = await newPerson(server);
  const first = await requestLink(person);
  const second = await requestLink(person);
  for (let times = 0; times < 3; times++) await requestLink(person);

  const limited = await openDashboard(server).send("POST", "/magic-link", { email: person.email });

  expect((await first.page.visit(first.path)).status).toBe(404);
  expect((await second.page.visit(second.path)).status).toBe(404);
  expect(refusalOf(limited)).toBe("429 rate_limit_exceeded");
});

test("a new password and a disabled account end a link", async () => {
  const changed = await newPerson(server);
  const disabled = await newPerson(server);
  const links = [await requestLink(changed), await requestLink(disabled)];

  await operate(server, "user password", { email: changed.email, password: "something quite new" });
  await operate(server, "user disable", { user: disabled.email });

  for (const { page, path } of links) expect((await page.visit(path, {})).status).toBe(404);
});

test("an unverified account is taken over by the person who reads its mail", async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const password = "a squatter's password";
  const squatter = openDashboard(server);
  await operate(server, "user create", { email, name: "Squatter", join: 1, role: "member" });
  await operate(server, "user password", { email, password });
  await squatter.signIn({ email, password });
  const key = await squatter.token();
  await server.call("PATCH", "/user", { key, body: { email: `x${email}`, currentPassword: password } });
  const { page, path } = await requestLink({ email: `x${email}` });

  const form = await (await page.visit(path)).text();
  const done = await page.visit(path, {});

  expect(form).toContain("ends the account’s earlier password");
  expect([done.status, done.headers.get("location")]).toEqual([303, "/app/memberships"]);
  expect(refusalOf(await server.call("GET", "/links", { key }))).toBe("401 unauthorized");
  const again = await openDashboard(server).signIn({ email: `x${email}`, password });
  expect(refusalOf(again)).toBe("401 unauthorized");
});
