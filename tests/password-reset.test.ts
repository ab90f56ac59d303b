/** A forgotten password: a mailed link that sets a new one. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { newPerson, openDashboard } from "./support/dashboard.ts";
import { type MailServer, startMailServer } from "./support/mail-server.ts";
import { refusalOf } from "./support/requests.ts";
import { eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

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

const mailsTo = (email: string) => mail.received.filter(({ to }) => to.includes(email));
/** The path below /app of the link in the latest mail, after `count` mails have arrived. */
async function mailedPath(email: string, count = 1): Promise<string> {
  const mails = await eventually(
    async () => mailsTo(email),
    (received) => received.length >= count,
  );
  return /\/app(\/setup\/\w{40})/.exec(mails.at(-1)?.text ?? "")?.[1] ?? "";
}

test("a mailed link sets a new password, signs in, ends all other sessions, and works once", async () => {
  const { email, dashboard } = await newPerson(server);
  const oldToken = await dashboard.token();
  const page = openDashboard(server);

  const requested = await page.send("POST", "/password-reset", { email: email.toUpperCase() });
  const path = await mailedPath(email);
  const form = await (await page.visit(path)).text();
  const done = await page.visit(path, { password: "something quite new" });

  expect([requested.status, requested.body]).toEqual([202, undefined]);
  expect(form).toContain(`<strong>${email}</strong>`);
  expect(form).not.toContain('type="email"');
  expect([done.status, done.headers.get("location")]).toEqual([303, "/app"]);
  expect((await server.call("GET", "/links", { key: await page.token() })).status).toBe(200);
  expect(refusalOf(await server.call("GET", "/links", { key: oldToken }))).toBe("401 unauthorized");
  expect((await openDashboard(server).signIn({ email, password: "something quite new" })).status).toBe(200);
  expect((await page.visit(path)).status).toBe(404);
});

test("an unknown address gets the same response, and no mail", async () => {
  const { email } = await newPerson(server);
  const page = openDashboard(server);

  const known = await page.send("POST", "/password-reset", { email });
  const unknown = await page.send("POST", "/password-reset", { email: "nobody@example.com" });
  await mailedPath(email);

  expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
  expect(mailsTo("nobody@example.com")).toEqual([]);
});

test("a link is mailed at most three times an hour, and only the latest link works", async () => {
  const { email } = await newPerson(server);
  const page = openDashboard(server);
  const ask = () => page.send("POST", "/password-reset", { email });

  const answers = [await ask()];
  const first = await mailedPath(email);
  answers.push(await ask());
  const second = await mailedPath(email, 2);
  answers.push(await ask(), await ask());

  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 429]);
  expect(first).not.toBe(second);
  expect((await page.visit(first)).status).toBe(404);
});
