/** The language of mails about accounts and invitations. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newPerson, openDashboard } from "./support/dashboard.ts";
import { type MailServer, startMailServer } from "./support/mail-server.ts";
import { newInvite } from "./support/requests.ts";
import { eventually, ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

let mail: MailServer;
let server: TestService;
beforeAll(async () => {
  mail = await startMailServer();
  server = await startService({ WAYPOST_SMTP_URL: mail.url, WAYPOST_SIGN_UP: "open" });
});
afterAll(async () => {
  await server.remove();
  await mail.close();
});

const german = { "Accept-Language": "de-AT,de;q=0.9,en;q=0.5" };
const newEmail = () => `${crypto.randomUUID()}@example.com`;

/** The language of the only mail to an address, and its text. */
async function mailTo(email: string): Promise<{ language: string; text: string }> {
  const received = async () => mail.received.filter(({ to }) => to.includes(email));
  const [first] = await eventually(received, (mails) => mails.length > 0);
  const text = first?.text ?? "";
  return { language: /<html lang="([\w-]+)"/.exec(text)?.[1] ?? "none", text };
}

/** Signs a new person in on a German page. */
async function germanPerson() {
  const { email, password, dashboard } = await newPerson(server, "owner");
  await dashboard.send("POST", "/session", { email, password }, german);
  return { email, password, dashboard };
}

describe("a mail that a page requests has the language of the page", () => {
  test("for a link that signs in", async () => {
    const { email } = await newPerson(server);

    await openDashboard(server).send("POST", "/magic-link", { email }, german);

    expect(await mailTo(email)).toMatchObject({ language: "de" });
  });

  test("for a new password", async () => {
    const { email } = await newPerson(server);

    await openDashboard(server).send("POST", "/password-reset", { email }, german);

    expect(await mailTo(email)).toMatchObject({ language: "de" });
  });

  test("for a new account, also when the address already has one", async () => {
    const [unused, { email: used }] = [newEmail(), await newPerson(server)];

    for (const email of [unused, used]) await openDashboard(server).visit("/sign-up", { email }, german);

    expect(await mailTo(unused)).toMatchObject({ language: "de" });
    expect(await mailTo(used)).toMatchObject({ language: "de" });
  });
});

test("a mail about a change of an account has the language in which the person last signed in", async () => {
  const { email, password, dashboard } = await germanPerson();
  const key = await dashboard.token();

  const body = { password: { current: password, new: "another password" } };
  expect((await server.call("PATCH", "/user", { key, body })).body).toMatchObject({ email });

  const { language, text } = await mailTo(email);
  expect(language).toBe("de");
  expect(text).toContain("Andere Browser wurden abgemeldet.");
  // An intruder who signs in chooses the language, so warnings are in English too.
  expect(text).toContain("Other browsers were signed out.");
});

test("an invitation has the language of the person who sends it; English for one who never signed in", async () => {
  const { dashboard } = await germanPerson();
  const [fromGerman, fromOwner] = [newEmail(), newEmail()];

  await newInvite(server, 1, await dashboard.token(), { email: fromGerman });
  await newInvite(server, 1, ownerKey, { email: fromOwner });

  expect((await mailTo(fromGerman)).language).toBe("de");
  expect((await mailTo(fromOwner)).language).toBe("en");
});
