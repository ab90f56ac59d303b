/** Who may create an account: WAYPOST_SIGN_UP. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { metric } from "./support/counted-once.ts";
import { openDashboard } from "./support/dashboard.ts";
import { type MailServer, startMailServer } from "./support/mail-server.ts";
import { refusalOf } from "./support/requests.ts";
import { eventually, type TestService, withServer } from "./support/server.ts";
import { startService, withService } from "./support/service.ts";

const password = "a password of mine";
const newEmail = () => `${crypto.randomUUID()}@example.com`;
const invite = async (server: TestService, body: object) => {
  const made = await server.call("POST", "/workspaces/1/invites", { body: { role: "member", ...body } });
  const { url } = z.object({ url: z.string() }).parse(made.body);
  return new URL(url).pathname.replace(/^\/app/, "");
};

describe("open", () => {
  let mail: MailServer;
  let server: TestService;
  beforeAll(async () => {
    mail = await startMailServer();
    server = await startService({ WAYPOST_SIGN_UP: "open", WAYPOST_SMTP_URL: mail.url });
  });
  afterAll(async () => {
    await server.remove();
    await mail.close();
  });
  async function mailTo(email: string): Promise<string> {
    const mails = await eventually(
      async () => mail.received.filter(({ to }) => to.includes(email)),
      ({ length }) => length > 0,
    );
    return mails.at(-1)?.text ?? "";
  }
  const linkIn = (text: string) => /\/app(\/sign-up\/[\w.-]+)/.exec(text)?.[1] ?? "";

  test("a mailed link creates a verified account, which creates a workspace; the link works once", async () => {
    const email = newEmail();
    const dashboard = openDashboard(server);

    const asked = await dashboard.visit("/sign-up", { email });
    const path = linkIn(await mailTo(email));
    const before = await openDashboard(server).signIn({ email, password });
    const form = await (await dashboard.visit(path)).text();
    const short = await dashboard.visit(path, { name: "Ann", password: "short" });
    const made = await dashboard.visit(path, { name: "Ann", password });
    const again = await openDashboard(server).visit(path, { name: "Eve", password: "another password" });

    expect([asked.status, refusalOf(before), short.status]).toEqual([200, "401 unauthorized", 422]);
    expect(form).toContain(`<strong>${email}</strong>`);
    expect([made.status, made.headers.get("location"), again.status]).toEqual([303, "/app", 404]);
    expect(await metric(server, 'waypost_sign_ups_total{step="created"}')).toEqual([1]);
    const key = await dashboard.token();
    expect((await server.call("GET", "/user", { key })).body).toMatchObject({ email, emailVerified: true });
    expect((await server.call("POST", "/workspaces", { key, body: { name: "Mine" } })).status).toBe(201);
  });

  test("an address with an account gets the same page, and a mail that says so", async () => {
    const fresh = await (await openDashboard(server).visit("/sign-up", { email: newEmail() })).text();

    const answer = await openDashboard(server).visit("/sign-up", { email: "owner@example.com" });

    const address = /<strong>.*<\/strong>/;
    expect((await answer.text()).replace(address, "")).toBe(fresh.replace(address, ""));
    expect(await mailTo("owner@example.com")).toContain("already have a Waypost account");
  });

  test("an invalid address, a forged link and a form of another site are refused", async () => {
    const dashboard = openDashboard(server);

    expect((await dashboard.visit("/sign-up", { email: "no address" })).status).toBe(422);
    expect((await dashboard.visit("/sign-up/v1.forged")).status).toBe(404);
    const foreign = { Origin: "https://evil.example" };
    expect((await dashboard.visit("/sign-up", { email: newEmail() }, foreign)).status).toBe(403);
  });

  test("at most three mails an hour are sent to an address, which may still reset its password", async () => {
    const email = newEmail();

    const statuses = [];
    for (let count = 0; count < 4; count++) {
      statuses.push((await openDashboard(server).visit("/sign-up", { email })).status);
    }

    const reset = await openDashboard(server).send("POST", "/password-reset", { email });
    expect(statuses).toEqual([200, 200, 200, 422]);
    expect(reset.status).toBe(202);
  });
});

test("open without a mail server creates accounts by invitation only, and the start says so", async () => {
  await withServer({ WAYPOST_SIGN_UP: "open" }, async (server) => {
    const dashboard = openDashboard(server);

    expect(await (await dashboard.visit("/sign-up")).text()).toContain("open an invitation to a workspace");
    expect((await dashboard.visit("/sign-up", { email: newEmail() })).status).toBe(403);
    expect(server.output()).toContain("WAYPOST_SIGN_UP=open needs a mail server");
    const joined = await dashboard.visit(await invite(server, {}), { name: "Ann", email: newEmail(), password });
    expect(joined.status).toBe(303);
  });
});

test("closed lets an invitation admit accounts, and creates none", async () => {
  await withService({ WAYPOST_SIGN_UP: "closed" }, async (server) => {
    const email = newEmail();
    const path = await invite(server, {});
    const dashboard = openDashboard(server);

    const page = await (await dashboard.visit(path)).text();
    const refused = await dashboard.visit(path, { name: "Ann", email, password });
    const signUp = await dashboard.visit("/sign-up");
    const shell = await (await dashboard.visit("/sign-in")).text();

    expect(page).toContain("Only the operator of this service creates new accounts.");
    expect(page).not.toContain('name="name"');
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("Only the operator of this service creates accounts.");
    expect(await signUp.text()).toContain("Only the operator of this service creates accounts.");
    expect(shell).toContain("&quot;signUp&quot;:&quot;closed&quot;");
  });
});
