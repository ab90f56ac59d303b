/** Verified e-mail addresses and what they protect, over HTTP: each sentence of the rule in docs/api.md. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { newPerson, openDashboard, ownerPassword } from "./support/dashboard.ts";
import { type MailServer, startMailServer } from "./support/mail-server.ts";
import { newInvite, refusalOf } from "./support/requests.ts";
import { eventually, ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newMember, newTenant, operate, type Tenant } from "./support/tenants.ts";

const Created = z.object({ id: z.string(), key: z.string() });
const newEmail = () => `${crypto.randomUUID()}@example.com`;

let mail: MailServer;
let server: TestService;
beforeAll(async () => {
  mail = await startMailServer();
  const limits = { WAYPOST_RATE_LIMIT_PER_MINUTE: "0" };
  server = await startService({ ...ownerPassword, ...limits, WAYPOST_SMTP_URL: mail.url });
});
afterAll(async () => {
  await server.remove();
  await mail.close();
});

const mailsTo = (email: string) => mail.received.filter(({ to }) => to.includes(email));
/** The path below /app of the link in the latest mail to an address. */
const mailedPath = (email: string) => /\/app(\/\w+\/\w{40})/.exec(mailsTo(email).at(-1)?.text ?? "")?.[1] ?? "";
const user = async (key: string, at = server) => (await at.call("GET", "/user", { key })).body;
const newKey = async (key: string, body: object = {}) =>
  Created.parse((await server.call("POST", "/api-keys", { key, body: { name: "Key", ...body } })).body);
const status = async (path: string, key: string) => (await server.call("GET", path, { key })).status;

/** A user with a changed address, which is not verified yet. */
async function unverifiedPerson() {
  const person = await newPerson(server);
  const email = newEmail();
  const token = await person.dashboard.token();
  const { key } = await newKey(token, { allWorkspaces: true });
  const body = { email, currentPassword: person.password };
  const changed = await server.call("PATCH", "/user", { key: token, body });
  return { ...person, email, token, key, changed };
}

describe("a changed address", () => {
  test("is not verified, and a link that verifies it is mailed there at once", async () => {
    const { email, changed } = await unverifiedPerson();

    expect(changed.body).toMatchObject({ email, emailVerified: false });
    expect(changed.headers.get("Waypost-Warning")).toBeNull();
    expect(mailsTo(email)).toHaveLength(1);
    expect(mailedPath(email)).toStartWith("/verify/");
  });

  test("is verified by the link where the account is signed in, and no session or key ends", async () => {
    const { email, token, key, password, dashboard } = await unverifiedPerson();
    const path = mailedPath(email);

    const page = await dashboard.visit(path);
    const verified = await dashboard.visit(path, {});

    expect([page.status, (await page.text()).includes("<form")]).toEqual([200, true]);
    expect([verified.status, verified.headers.get("location")]).toEqual([303, "/app"]);
    expect(await user(token)).toMatchObject({ email, emailVerified: true });
    expect(await status("/links", key)).toBe(200);
    expect((await openDashboard(server).signIn({ email, password })).status).toBe(200);
    expect((await server.call("GET", "/user/memberships", { key: token })).body).toMatchObject([{ isConfirmed: true }]);
    expect((await dashboard.visit(path, {})).status).toBe(404);
  });

  test("is not verified by opening the link elsewhere, in another account, or from another site", async () => {
    const { email, token, dashboard } = await unverifiedPerson();
    const other = await newPerson(server);
    const path = mailedPath(email);

    const signedOut = await openDashboard(server).visit(path, {});
    const stranger = await other.dashboard.visit(path, {});
    const forged = await dashboard.visit(path, {}, { Origin: "https://evil.example" });

    expect([signedOut.status, (await signedOut.text()).includes("<form")]).toEqual([200, false]);
    expect([stranger.status, forged.status]).toEqual([404, 403]);
    expect(await user(token)).toMatchObject({ emailVerified: false });
    expect((await dashboard.visit(path, {})).status).toBe(303);
  });

  test("is taken over by the owner of the mailbox, and all earlier access ends", async () => {
    const { email, token, key, password } = await unverifiedPerson();
    const page = openDashboard(server);
    const setUp = mailedPath(email).replace("/verify/", "/setup/");

    const shown = await (await page.visit(mailedPath(email))).text();
    const takenOver = await page.visit(setUp, { password: "chosen by the person with the mailbox" });

    expect(shown).toContain(`href="/app${setUp}"`);
    expect(takenOver.headers.get("location")).toBe("/app/memberships");
    expect(await user(await page.token())).toMatchObject({ email, emailVerified: true });
    expect([await status("/links", key), await status("/user", token)]).toEqual([401, 401]);
    expect((await openDashboard(server).signIn({ email, password })).status).toBe(401);
  });

  test("is not verified by a link that was mailed to an earlier address", async () => {
    const { email, token, dashboard, password } = await unverifiedPerson();
    const path = mailedPath(email);
    await server.call("PATCH", "/user", { key: token, body: { email: newEmail(), currentPassword: password } });

    expect((await dashboard.visit(path, {})).status).toBe(404);
    expect(await user(token)).toMatchObject({ emailVerified: false });
  });

  test("is mailed another link three times an hour at most, none once it is verified, and none for a key", async () => {
    const { email, token, key, dashboard } = await unverifiedPerson();
    const first = mailedPath(email);
    const again = () => server.call("POST", "/user/verification-mail", { key: token });

    const answers = [await again(), await again(), await again()];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[0]?.body).toEqual({ email });
    expect(mailsTo(email)).toHaveLength(3);
    expect((await dashboard.visit(first)).status).toBe(404);
    await dashboard.visit(mailedPath(email), {});
    const verified = await newPerson(server);
    const refusal = await server.call("POST", "/user/verification-mail", { key: await verified.dashboard.token() });
    expect(refusalOf(refusal)).toBe("409 conflict");
    expect(refusalOf(await server.call("POST", "/user/verification-mail", { key }))).toBe("403 forbidden");
  });

  test("stays changed when the mail server refuses the mail, and the response says so", async () => {
    const { dashboard, password } = await newPerson(server);
    const key = await dashboard.token();
    const email = `refused-${newEmail()}`;

    const changed = await server.call("PATCH", "/user", { key, body: { email, currentPassword: password } });

    expect([changed.status, changed.body]).toEqual([200, expect.objectContaining({ email, emailVerified: false })]);
    expect(changed.headers.get("Waypost-Warning")).toStartWith("link_not_mailed;");
    expect(refusalOf(await server.call("POST", "/user/verification-mail", { key }))).toBe("503 unavailable");
  });
});

describe("an address", () => {
  test("of the first start, and of a user whom the command line creates, is verified", async () => {
    const dashboard = openDashboard(server);
    await dashboard.signIn();
    const created = await newPerson(server);

    for (const key of [ownerKey, await dashboard.token(), await created.dashboard.token()]) {
      expect(await user(key)).toMatchObject({ emailVerified: true });
    }
  });

  test("is verified by the command line, which ends earlier keys, sessions and the password", async () => {
    const { email, token, key, password } = await unverifiedPerson();

    const { setupToken } = z.object({ setupToken: z.string() }).parse(await operate(server, "user verify", { email }));

    expect([await status("/links", key), await status("/user", token)]).toEqual([401, 401]);
    expect((await openDashboard(server).signIn({ email, password })).status).toBe(401);
    const page = openDashboard(server);
    await page.visit(`/setup/${setupToken}`, { password: "chosen by the person with the mailbox" });
    expect(await user(await page.token())).toMatchObject({ emailVerified: true });
  });

  test("is verified by a mailed link for a new password, which ends earlier keys and sessions", async () => {
    const { email, token, key } = await unverifiedPerson();
    await operate(server, "user password", { email, password: "so that only the link is left" });
    const before = mailsTo(email).length;
    const page = openDashboard(server);
    await page.send("POST", "/password-reset", { email });
    await eventually(
      async () => mailsTo(email).length,
      (count) => count > before,
    );

    await page.visit(mailedPath(email), { password: "chosen by the person with the mailbox" });

    expect(await user(await page.token())).toMatchObject({ emailVerified: true });
    expect([await status("/links", key), await status("/user", token)]).toEqual([401, 401]);
  });
});

describe("an account whose address is not verified", () => {
  test("signs in, and accepts an invite that names no address", async () => {
    const { email, password } = await unverifiedPerson();
    const host = await newTenant(server);
    const { token: invite } = await newInvite(server, host.workspaceId, host.apiKey, { role: "member" });
    const dashboard = openDashboard(server);

    const signedIn = await dashboard.signIn({ email, password });
    const accepted = await server.call("POST", `/invites/${invite}/accept`, { key: await dashboard.token() });

    expect([signedIn.status, accepted.status]).toEqual([200, 200]);
  });

  test("accepts an invite that names its address only through the mailed link", async () => {
    const { email, token, key } = await unverifiedPerson();
    const host = await newTenant(server);
    const { token: inviteToken } = await newInvite(server, host.workspaceId, host.apiKey, { role: "owner", email });
    const mailed = mailedPath(email);

    for (const secret of [token, key]) {
      const refused = await server.call("POST", `/invites/${inviteToken}/accept`, { key: secret });
      expect(refusalOf(refused)).toBe("403 forbidden");
    }
    expect(mailed).toStartWith("/invites/");
    const page = openDashboard(server);
    const joined = await page.visit(mailed, { password: "chosen by the person with the mailbox" });

    expect(joined.headers.get("location")).toBe("/app/memberships");
    expect(await status(`/links?workspaceId=${host.workspaceId}`, await page.token())).toBe(200);
    expect([await status("/links", key), await status("/user", token)]).toEqual([401, 401]);
  });

  test("after its first verification keeps or leaves each workspace, but never one without another owner", async () => {
    const { email, token } = await unverifiedPerson();
    const soleOwned = z
      .object({ id: z.int() })
      .parse((await server.call("POST", "/workspaces", { key: token, body: { name: "Mine" } })).body);
    const page = openDashboard(server);
    await page.visit(mailedPath(email).replace("/verify/", "/setup/"), { password: "chosen by the real person" });
    const key = await page.token();
    const review = (leave: number[]) => server.call("POST", "/user/memberships", { key, body: { leave } });

    const refused = await review([1, soleOwned.id]);
    const accepted = await review([1]);

    expect(refusalOf(refused)).toBe("409 conflict");
    expect(accepted.body).toEqual([{ workspaceId: soleOwned.id, name: "Mine", role: "owner", isConfirmed: true }]);
    expect(await status("/links?workspaceId=1", key)).toBe(404);
  });
});

describe("an API key", () => {
  /** A user with a workspace who is also a member of the owner's workspace. */
  async function guestOf(host: Tenant) {
    const guest = await newTenant(server);
    const { token } = await newInvite(server, host.workspaceId, host.apiKey, { role: "member" });
    await server.call("POST", `/invites/${token}/accept`, { key: guest.apiKey });
    return guest;
  }

  test("acts only in the workspace where it was created, unless it was created for all", async () => {
    const host = await newTenant(server);
    const guest = await guestOf(host);
    const bound = await newKey(guest.apiKey);
    const everywhere = await newKey(guest.apiKey, { allWorkspaces: true });
    const there = `/links?workspaceId=${host.workspaceId}`;

    expect([await status("/links", bound.key), await status(there, bound.key)]).toEqual([200, 403]);
    expect([await status("/links", everywhere.key), await status(there, everywhere.key)]).toEqual([200, 200]);
  });

  test("of the first start and of the command line acts in all workspaces of its user", async () => {
    const host = await newTenant(server);
    const { token } = await newInvite(server, host.workspaceId, host.apiKey, { role: "member" });
    await server.call("POST", `/invites/${token}/accept`, { key: ownerKey });
    const guest = await guestOf(host);

    for (const key of [ownerKey, guest.apiKey]) {
      expect(await status(`/links?workspaceId=${host.workspaceId}`, key)).toBe(200);
    }
  });

  test("lists and creates workspaces of its user wherever it acts", async () => {
    const host = await newTenant(server);
    const guest = await guestOf(host);
    const { key } = await newKey(guest.apiKey);

    const listed = await server.call("GET", "/workspaces", { key });
    const created = await server.call("POST", "/workspaces", { key, body: { name: "Another" } });

    const { workspaces } = z.object({ workspaces: z.array(z.object({ id: z.int() })) }).parse(listed.body);
    expect(workspaces.map(({ id }) => id).sort()).toEqual([guest.workspaceId, host.workspaceId].sort());
    expect(created.status).toBe(201);
  });

  test("with access to a workspace is seen and revoked by its owners, and not by its members", async () => {
    const host = await newTenant(server);
    const guest = await guestOf(host);
    const bound = await newKey(guest.apiKey);
    const everywhere = await newKey(guest.apiKey, { allWorkspaces: true });
    const member = await newMember(server, host.workspaceId, "member");
    const revoke = (id: string, key: string) => server.call("DELETE", `/api-keys/${id}`, { key });

    const seen = z
      .array(z.object({ id: z.string() }))
      .parse((await server.call("GET", "/api-keys", { key: host.apiKey })).body);
    const refused = [await revoke(everywhere.id, member.apiKey), await revoke(bound.id, host.apiKey)];
    const revoked = await revoke(everywhere.id, host.apiKey);

    const ids = seen.map(({ id }) => id);
    expect([ids.includes(everywhere.id), ids.includes(bound.id)]).toEqual([true, false]);
    expect(refused.map(({ status }) => status)).toEqual([403, 404]);
    expect([revoked.status, await status("/links", everywhere.key)]).toEqual([200, 401]);
  });
});
