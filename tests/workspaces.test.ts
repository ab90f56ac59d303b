/** Workspaces over HTTP, from an avatar to their deletion, and the ways to join them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { insertUser } from "../src/access/users.ts";
import { insertMember } from "../src/access/workspaces.ts";
import { transact } from "../src/database/transact.ts";
import { openDashboard } from "./support/dashboard.ts";
import { engines } from "./support/databases.ts";
import { type MailServer, startMailServer } from "./support/mail-server.ts";
import { newInvite, refusalOf } from "./support/requests.ts";
import { eventually, ownerKey, type TestService } from "./support/server.ts";
import { withDatabase } from "./support/server-database.ts";
import { startService } from "./support/service.ts";
import { addLink } from "./support/short-domains.ts";
import { newMember, newTenant, type Tenant } from "./support/tenants.ts";

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const asDataUrl = (bytes: Uint8Array, type = "image/png") =>
  `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
const Details = z.strictObject({
  id: z.int(),
  name: z.string(),
  role: z.string(),
  avatar_url: z.url(),
  clickRetentionDays: z.int().nullable(),
  qrStyle: z.record(z.string(), z.unknown()).nullable(),
  requiresSecondFactor: z.boolean(),
  createdAt: z.iso.datetime(),
});
const linkIn = (text = "") => /http\S+\/app\/invites\/\w{40}/.exec(text)?.[0] ?? "";
const Invited = z.object({ url: z.url(), mailed: z.boolean() });

for (const engine of engines) {
  describe(engine, () => {
    let mail: MailServer;
    let server: TestService;
    let owner: Tenant;
    let path: string;

    beforeAll(async () => {
      mail = await startMailServer();
      const environment = { WAYPOST_SMTP_URL: mail.url, WAYPOST_MAIL_FROM: "Acme <links@example.com>" };
      server = await startService({ ...environment, WAYPOST_RATE_LIMIT_PER_MINUTE: "0" }, engine);
      owner = await newTenant(server);
      path = `/workspaces/${owner.workspaceId}`;
    });

    afterAll(async () => {
      await server.remove();
      await mail.close();
    });

    const call = async (method: string, below: string, body?: object, key = owner.apiKey) =>
      await server.call(method, `${path}${below}`, { key, ...(body === undefined ? {} : { body }) });
    const submit = async (url: string, fields: Record<string, string>) =>
      await fetch(`${server.url}${new URL(url).pathname}`, { method: "POST", body: new URLSearchParams(fields) });

    const mailTo = async (email: string) =>
      (
        await eventually(
          async () => mail.received.filter(({ to }) => to.includes(email)),
          (mails) => mails.length > 0,
        )
      ).at(-1)?.text;

    /** An account that an open invite creates without a mail server: its address is unverified. */
    const unverified = async (email: string, { workspaceId }: Tenant) => {
      const passwordHash = await Bun.password.hash("chosen by an attacker", "argon2id");
      await withDatabase(server, ({ db }) =>
        transact(db, async (tx) => {
          const userId = await insertUser(tx, { email, name: "Eve", passwordHash }, Date.now());
          await insertMember(tx, workspaceId, userId, "owner", Date.now());
        }),
      );
    };

    test("a workspace is shown and renamed by its path, whatever the key's own workspace is", async () => {
      const second = z
        .object({ id: z.int() })
        .parse((await server.call("POST", "/workspaces", { key: owner.apiKey, body: { name: "Second" } })).body);

      const renamed = await server.call("PATCH", `/workspaces/${second.id}`, {
        key: owner.apiKey,
        body: { name: " 2 " },
      });

      expect(Details.parse(renamed.body)).toMatchObject({ id: second.id, name: "2", role: "owner" });
      expect((await server.call("GET", `/workspaces/${second.id}`, { key: owner.apiKey })).body).toEqual(renamed.body);
      expect((await call("GET", "")).body).toMatchObject({ id: owner.workspaceId, name: "Other" });
    });

    test("members save the style of QR codes, viewers only see it, and null removes it", async () => {
      const member = await newMember(server, owner.workspaceId, "member");
      const viewer = await newMember(server, owner.workspaceId, "viewer");
      const colors = { fgColor: "#1d4ed8", bgColor: "#ffffff" };
      const qrStyle = { ...colors, dots: "dots", corners: "circle", frame: "text", frameText: "Go", hideLogo: false };
      const save = (style: object | null, { apiKey }: Tenant) => call("PATCH", "", { qrStyle: style }, apiKey);

      expect((await save(qrStyle, member)).status).toBe(200);
      expect((await call("GET", "", undefined, viewer.apiKey)).body).toMatchObject({ qrStyle });
      expect(refusalOf(await save(null, viewer))).toBe("403 forbidden");
      expect(refusalOf(await save({ ...qrStyle, fgColor: "red" }, member))).toBe("422 unprocessable_entity");
      expect(refusalOf(await save({ ...qrStyle, frameText: "x".repeat(41) }, member))).toBe("422 unprocessable_entity");
      expect(refusalOf(await save(colors, member))).toBe("422 unprocessable_entity");
      expect(Details.parse((await save(null, member)).body).qrStyle).toBeNull();
    });

    test("an avatar is public and served with its detected type, until another replaces it", async () => {
      const { avatar_url } = Details.parse(
        (await call("PUT", "/avatar", { image: asDataUrl(pixel, "text/html") })).body,
      );
      const { pathname } = new URL(avatar_url);
      const image = await fetch(server.url + pathname);

      expect(Buffer.from(await image.arrayBuffer()).equals(pixel)).toBe(true);
      expect(image.headers.get("content-type")).toBe("image/png");
      expect(image.headers.get("x-content-type-options")).toBe("nosniff");
      const { body } = await server.call("GET", "/workspaces", { key: owner.apiKey });
      expect(body).toMatchObject({ workspaces: [{ avatar_url }, {}] });

      const generated = Details.parse((await call("DELETE", "/avatar")).body).avatar_url;
      expect(generated).toEndWith(`/app/avatars/${owner.workspaceId}.svg`);
      expect((await fetch(server.url + pathname)).status).toBe(404);
      expect((await fetch(server.url + new URL(generated).pathname)).status).toBe(200);
    });

    test("an invalid or too large avatar is refused", async () => {
      const large = new Uint8Array(45 * 1024 + 1);
      large.set(pixel);
      const images = [
        asDataUrl(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/svg+xml"),
        asDataUrl(large),
        asDataUrl(new Uint8Array()),
        "https://example.com/a.png",
        pixel.toString("base64"),
      ];
      for (const image of images) {
        const { status, body } = await call("PUT", "/avatar", { image });
        expect({ image: image.slice(0, 50), status }).toEqual({ image: image.slice(0, 50), status: 422 });
        expect(JSON.stringify(body)).toContain("image: ");
      }
    });

    test("an invite with an address is mailed, and its page creates a member with a password", async () => {
      const email = `${crypto.randomUUID()}@example.com`;
      const { url: shownUrl, mailed } = Invited.parse((await call("POST", "/invites", { email, role: "viewer" })).body);

      const [sent] = mail.received.filter(({ to }) => to.includes(email));
      expect(mailed).toBe(true);
      expect(sent?.from).toBe("links@example.com");
      // The link shown to the owner verifies nothing, or an owner could verify every address.
      expect(sent?.text).not.toContain(shownUrl);
      const byOwner = await submit(shownUrl, { name: "Eve", email, password: "correct horse battery" });
      expect([byOwner.status, (await byOwner.text()).includes("<form")]).toEqual([403, false]);
      const url = linkIn(sent?.text);
      const page = await fetch(server.url + new URL(url).pathname);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(await page.text()).toContain(email);
      const bad = await submit(url, { name: "<b>", email, password: "short" });
      expect([bad.status, (await bad.text()).includes("&lt;b&gt;")]).toEqual([422, true]);
      expect((await submit(url, { name: "Grace", email, password: "correct horse battery" })).status).toBe(200);
      expect((await submit(url, { name: "Late", email, password: "correct horse battery" })).status).toBe(404);
      expect((await call("GET", "/members")).body).toContainEqual(
        expect.objectContaining({ name: "Grace", email, role: "viewer" }),
      );
    });

    test("an open invite mails a link to any entered address, and does not reveal which have an account", async () => {
      const known = (await newTenant(server)).email;
      const unknown = `${crypto.randomUUID()}@example.com`;
      const { url } = Invited.parse((await call("POST", "/invites", { role: "viewer" })).body);

      const page = await (await fetch(server.url + new URL(url).pathname)).text();
      const texts: string[] = [];
      for (const email of [known, unknown]) {
        texts.push(await (await submit(url, { email })).text());
        await mailTo(email);
      }

      expect(page).not.toContain('type="password"');
      expect(texts[0]?.replaceAll(known, "x")).toBe(texts[1]?.replaceAll(unknown, "x"));
      await submit(linkIn(await mailTo(unknown)), { name: "Grace", password: "correct horse battery" });
      expect((await call("GET", "/members")).body).toContainEqual(expect.objectContaining({ email: unknown }));
    });

    test("an account with another person's address becomes that person's by the mailed link, with its memberships to review", async () => {
      const email = `${crypto.randomUUID()}@example.com`;
      const attacker = await newTenant(server);
      const session = openDashboard(server);
      await unverified(email, attacker);
      await session.signIn({ email, password: "chosen by an attacker" });
      const made = await server.call("POST", "/api-keys", { key: await session.token(), body: { name: "Back door" } });
      await call("POST", "/invites", { email, role: "owner" });
      const [sent] = mail.received.filter(({ to }) => to.includes(email));

      const page = openDashboard(server);
      const joined = await page.visit(new URL(linkIn(sent?.text)).pathname.slice("/app".length), {
        password: "correct horse battery",
      });
      const review = await (await page.visit("/memberships")).text();
      const forged = await page.visit(
        "/memberships",
        { leave: String(attacker.workspaceId) },
        { Origin: "https://evil.example" },
      );
      const nonsense = ["abc", "-1", "1099511627776"].map((leave) => page.visit("/memberships", { leave }));
      const statuses = (await Promise.all(nonsense)).map(({ status }) => status);
      await page.visit("/memberships", { leave: String(attacker.workspaceId) });

      expect(statuses).toEqual([422, 422, 422]);
      expect([joined.status, joined.headers.get("location")]).toEqual([303, "/app/memberships"]);
      expect(review).toContain(`value="${attacker.workspaceId}"`);
      expect(review).not.toContain(`value="${owner.workspaceId}"`);
      expect(forged.status).toBe(403);
      expect((await server.call("GET", "/user/memberships", { key: await page.token() })).body).toEqual([
        { workspaceId: owner.workspaceId, name: "Other", role: "owner", isConfirmed: true },
      ]);
      const { key } = z.object({ key: z.string() }).parse(made.body);
      expect((await server.call("GET", "/workspaces", { key })).status).toBe(401);
      expect((await session.signIn({ email, password: "chosen by an attacker" })).status).toBe(401);
      expect((await session.send("POST", "/token")).status).toBe(401);
    });

    test("one address gets at most five mails with invites a day, from whatever workspaces", async () => {
      const email = `${crypto.randomUUID()}@example.com`;
      const tenants = [owner, await newTenant(server)];
      const invite = async ({ workspaceId, apiKey: key }: Tenant) => {
        const made = await server.call("POST", `/workspaces/${workspaceId}/invites`, { key, body: { email } });
        const { id } = z.looseObject({ id: z.string().optional() }).parse(made.body);
        if (id !== undefined) await server.call("DELETE", `/workspaces/${workspaceId}/invites/${id}`, { key });
        return made;
      };

      const answers = [];
      for (let round = 0; round < 3; round++) for (const tenant of tenants) answers.push(await invite(tenant));

      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 429]);
      expect(mail.received.filter(({ to }) => to.includes(email))).toHaveLength(5);
    });

    test("a mail that the server refuses does not fail the invite", async () => {
      const email = `refused-${crypto.randomUUID()}@example.com`;

      const { status, body } = await call("POST", "/invites", { email });

      expect(status).toBe(201);
      expect(Invited.parse(body).mailed).toBe(false);
      expect((await fetch(server.url + new URL(Invited.parse(body).url).pathname)).status).toBe(200);
      expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('waypost_mails_total{outcome="failed"} 1');
      expect(server.output()).toContain("A mail could not be sent.");
      expect(server.output()).not.toContain(email);
    });

    test("a key accepts an invite, and a removed member's key ends", async () => {
      const guest = await newTenant(server);
      const { token } = await newInvite(server, owner.workspaceId, owner.apiKey, { role: "member" });

      const accepted = await server.call("POST", `/invites/${token}/accept`, { key: guest.apiKey });

      expect(Details.parse(accepted.body)).toMatchObject({ id: owner.workspaceId, role: "member" });
      const member = await newMember(server, owner.workspaceId, "member");
      expect((await server.call("GET", "/links", { key: member.apiKey })).status).toBe(200);
      expect((await call("DELETE", `/members/${member.userId}`)).status).toBe(200);
      expect((await server.call("GET", "/links", { key: member.apiKey })).status).toBe(401);
    });

    test("a deleted workspace's keys and links stop at once", async () => {
      const tenant = await newTenant(server);
      const links: string[] = [];
      for (let made = 0; made < 3; made++) {
        const { key } = await addLink(server, { url: "https://example.com/" }, { key: tenant.apiKey });
        links.push(key);
      }
      const statuses = async () => await Promise.all(links.map(async (key) => (await server.visit(`/${key}`)).status));
      expect(await statuses()).toEqual([302, 302, 302]);

      const gone = await server.call("DELETE", `/workspaces/${tenant.workspaceId}?confirm=Other`, {
        key: tenant.apiKey,
      });

      expect(gone.body).toEqual({ id: tenant.workspaceId });
      expect(await statuses()).toEqual([410, 410, 410]);
      expect((await server.call("GET", "/links", { key: tenant.apiKey })).status).toBe(401);
    });

    test("the workspace of the instance's domain cannot be deleted", async () => {
      const { name } = Details.parse((await server.call("GET", "/workspaces/1")).body);

      const { status } = await server.call("DELETE", `/workspaces/1?confirm=${encodeURIComponent(name)}`, {
        key: ownerKey,
      });

      expect(status).toBe(409);
    });

    test("a key can be renamed and shortened, but never extended", async () => {
      const made = await server.call("POST", "/api-keys", { key: owner.apiKey, body: { name: "Old" } });
      const { id, key } = z.object({ id: z.string(), key: z.string() }).parse(made.body);
      const change = async (body: object) => await server.call("PATCH", `/api-keys/${id}`, { key: owner.apiKey, body });
      const inHour = new Date(Date.now() + 3_600_000).toISOString();

      expect((await change({ name: "New", expiresAt: inHour })).body).toMatchObject({ name: "New", expiresAt: inHour });
      expect((await change({ expiresAt: "2999-01-01" })).status).toBe(422);
      expect((await change({ expiresAt: null })).status).toBe(422);
      expect((await change({ name: "Newer" })).body).toMatchObject({ name: "Newer", expiresAt: inHour });
      expect((await server.call("GET", "/links", { key })).status).toBe(200);
      expect((await change({ expiresAt: "2020-01-01" })).status).toBe(200);
      expect((await server.call("GET", "/links", { key })).status).toBe(401);
      const member = await newMember(server, owner.workspaceId, "member");
      const foreign = await server.call("PATCH", `/api-keys/${id}`, { key: member.apiKey, body: { name: "Mine" } });
      expect(foreign.status).toBe(403);
    });
  });
}
