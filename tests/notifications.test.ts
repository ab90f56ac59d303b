/** Reports and alerts by e-mail: the API, a real mail, and the end of a notification without a sign-in. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { type MailServer, startMailServer } from "./support/mail-server.ts";
import { refusalOf } from "./support/requests.ts";
import { browser, eventually, type TestService } from "./support/server.ts";
import { withDatabase } from "./support/server-database.ts";
import { startService } from "./support/service.ts";
import { newMember, newTenant, type Tenant } from "./support/tenants.ts";

const Notification = z.object({
  id: z.string(),
  kind: z.string(),
  folderId: z.string().nullable(),
  shareId: z.string().nullable(),
  nextAt: z.string(),
  lastSentAt: z.string().nullable(),
});
const List = z.object({ delivery: z.string(), notifications: z.array(Notification) });
const Identified = z.object({ id: z.string() });

let mailServer: MailServer;
let server: TestService;
let owner: Tenant;

beforeAll(async () => {
  mailServer = await startMailServer();
  server = await startService({ WAYPOST_SMTP_URL: mailServer.url });
  owner = await newTenant(server);
});
afterAll(async () => {
  await server.remove();
  await mailServer.close();
});

const create = (body: object, { apiKey }: Tenant = owner) =>
  server.call("POST", "/notifications", { key: apiKey, body });
const change = (id: string, body: object, { apiKey }: Tenant = owner) =>
  server.call("PATCH", `/notifications/${id}`, { key: apiKey, body });
const newFolder = async () =>
  Identified.parse(
    (await server.call("POST", "/folders", { key: owner.apiKey, body: { name: crypto.randomUUID() } })).body,
  );
const list = async ({ apiKey }: Tenant = owner) =>
  List.parse((await server.call("GET", "/notifications", { key: apiKey })).body);
const verify = ({ userId }: Tenant, verifiedAt: number | null) =>
  withDatabase(server, ({ db }) => db.updateTable("users").set({ verifiedAt }).where("id", "=", userId).execute());

/** Makes a weekly report due at once, and returns the link of its mail that ends it. */
async function mailedUnsubscribeUrl(reader: Tenant): Promise<string> {
  await verify(reader, Date.now());
  const { id } = Identified.parse((await create({ kind: "weeklyReport" }, reader)).body);
  await withDatabase(server, ({ db }) =>
    db.updateTable("notifications").set({ nextAt: 1 }).where("id", "=", id).execute(),
  );
  const mails = () => mailServer.received.filter(({ to }) => to.includes(reader.email));
  const [mail] = await eventually(
    async () => mails(),
    (found) => found.length > 0,
  );
  return /List-Unsubscribe:\s+<([^>]+)>/.exec(mail?.text ?? "")?.[1] ?? "";
}

test("a test arrives at once, in the notification's language, and leaves its regular mails as they are", async () => {
  const reader = await newMember(server, owner.workspaceId, "viewer");
  const texts: Record<string, string> = {};
  for (const kind of ["weeklyReport", "spike", "failingDomain"]) {
    const { id } = Identified.parse((await create({ kind, language: "de" }, reader)).body);
    const send = () => server.call("POST", `/notifications/${id}/test`, { key: reader.apiKey });
    await verify(reader, null);
    expect(refusalOf(await send())).toBe("409 conflict");
    await verify(reader, Date.now());

    const sent = await send();

    expect(sent.body).toEqual({ to: reader.email });
    const mail = mailServer.received.findLast(({ to }) => to.includes(reader.email));
    texts[kind] = /^(Wochenbericht|Dies ist ein Test)/m.exec(mail?.text ?? "")?.[1] ?? "";
  }
  const { notifications } = await list(reader);

  const alert = "Dies ist ein Test";
  expect(texts).toEqual({ weeklyReport: "Wochenbericht", spike: alert, failingDomain: alert });
  expect(notifications.map(({ lastSentAt }) => lastSentAt)).toEqual([null, null, null]);
});

test("a person can send ten tests an hour, and none of other people's notifications", async () => {
  const [reader, other] = [await newMember(server, owner.workspaceId, "viewer"), await newTenant(server)];
  const { id } = Identified.parse((await create({ kind: "drop" }, reader)).body);
  await verify(reader, Date.now());
  const send = ({ apiKey }: Tenant) => server.call("POST", `/notifications/${id}/test`, { key: apiKey });
  const statuses = [];
  for (let count = 0; count < 11; count++) statuses.push((await send(reader)).status);

  expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
  expect([(await send(owner)).status, (await send(other)).status]).toEqual([404, 404]);
});

test("members and viewers subscribe themselves, and see only their own notifications", async () => {
  const viewer = await newMember(server, owner.workspaceId, "viewer");
  const created = await create({ kind: "weeklyReport", timeZone: "Europe/Berlin", language: "de" }, viewer);
  const { id } = Identified.parse(created.body);

  expect(created.status).toBe(201);
  expect((await list(viewer)).notifications.map((each) => each.id)).toEqual([id]);
  expect((await list()).notifications.map((each) => each.id)).not.toContain(id);
  expect((await server.call("GET", `/notifications/${id}`, { key: owner.apiKey })).status).toBe(404);
  expect((await server.call("DELETE", `/notifications/${id}`, { key: owner.apiKey })).status).toBe(404);
  expect((await server.call("DELETE", `/notifications/${id}`, { key: viewer.apiKey })).status).toBe(200);
  expect((await list(viewer)).notifications).toEqual([]);
});

test("the same notification twice, and one about too much or nothing, is refused", async () => {
  const folder = Identified.parse(
    (await server.call("POST", "/folders", { key: owner.apiKey, body: { name: "Spring" } })).body,
  );
  const other = await newTenant(server);

  expect((await create({ kind: "spike" })).status).toBe(201);
  expect(refusalOf(await create({ kind: "spike" }))).toBe("409 conflict");
  expect((await create({ kind: "spike", folderId: folder.id })).status).toBe(201);
  expect(refusalOf(await create({ kind: "spike", folderId: folder.id }, other))).toBe("404 not_found");
  expect(refusalOf(await create({ kind: "failingDomain", folderId: folder.id }))).toBe("422 unprocessable_entity");
  expect(refusalOf(await create({ kind: "drop", timeZone: "Europe/Berln" }))).toBe("422 unprocessable_entity");
  expect(refusalOf(await create({ kind: "hourlyReport" }))).toBe("422 unprocessable_entity");
});

test("a change replaces the subject and leaves the other fields alone", async () => {
  const reader = await newMember(server, owner.workspaceId, "viewer");
  const folder = await newFolder();
  const { body } = await create({ kind: "weeklyReport", timeZone: "Asia/Tokyo", language: "de" }, reader);
  const { id } = Identified.parse(body);

  const changed = await change(id, { folderId: folder.id }, reader);

  expect(changed.status).toBe(200);
  const fields = { id, kind: "weeklyReport", folderId: folder.id, timeZone: "Asia/Tokyo", language: "de" };
  expect(changed.body).toMatchObject(fields);
  expect((await server.call("GET", `/notifications/${id}`, { key: reader.apiKey })).body).toEqual(changed.body);
});

test("a change cannot make a notification that the member has, and is refused like a new one", async () => {
  const reader = await newMember(server, owner.workspaceId, "viewer");
  const other = await newTenant(server);
  const folder = await newFolder();
  await create({ kind: "weeklyReport" }, reader);
  const { id } = Identified.parse((await create({ kind: "drop", folderId: folder.id }, reader)).body);
  const refusal = async (changes: object, by = reader) => refusalOf(await change(id, changes, by));

  expect(await refusal({ kind: "weeklyReport", folderId: null })).toBe("409 conflict");
  expect(await refusal({ kind: "failingDomain" })).toBe("422 unprocessable_entity");
  expect(await refusal({ timeZone: "Europe/Berln" })).toBe("422 unprocessable_entity");
  expect(await refusal({ shareId: "share_1" })).toBe("404 not_found");
  expect(await refusal({ language: "de" }, owner)).toBe("404 not_found");
  expect(await refusal({ language: "de" }, other)).toBe("404 not_found");
  expect((await change(id, { kind: "failingDomain", folderId: null }, reader)).status).toBe(200);
});

test("a notification ends with its folder, and with the membership", async () => {
  const member = await newMember(server, owner.workspaceId, "member");
  const folder = Identified.parse(
    (await server.call("POST", "/folders", { key: owner.apiKey, body: { name: "Autumn" } })).body,
  );
  await create({ kind: "weeklyReport", folderId: folder.id }, member);
  await create({ kind: "weeklyReport" }, member);

  await server.call("DELETE", `/folders/${folder.id}`, { key: owner.apiKey });
  expect((await list(member)).notifications.map(({ folderId }) => folderId)).toEqual([null]);
  await server.call("DELETE", `/workspaces/${owner.workspaceId}/members/${member.userId}`, { key: owner.apiKey });

  const rows = await withDatabase(server, ({ db }) =>
    db.selectFrom("notifications").select("id").where("userId", "=", member.userId).execute(),
  );
  expect(rows).toEqual([]);
});

test("the list says why no mail would arrive", async () => {
  const reader = await newTenant(server);
  await verify(reader, null);
  expect((await list(reader)).delivery).toBe("unverifiedEmail");

  await verify(reader, Date.now());
  expect((await list(reader)).delivery).toBe("ready");
});

test("a mail program ends a notification with one POST, without a session and from any origin", async () => {
  const reader = await newTenant(server);
  const url = new URL(await mailedUnsubscribeUrl(reader));

  const answer = await fetch(server.url + url.pathname, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: "https://mail.example" },
    body: "List-Unsubscribe=One-Click",
  });

  expect(answer.status).toBe(200);
  expect((await list(reader)).notifications).toEqual([]);
});

test("opening the link only asks; the button ends the notification, and a second press says the same", async () => {
  const reader = await newTenant(server);
  const url = server.url + new URL(await mailedUnsubscribeUrl(reader)).pathname;

  const asked = await fetch(url, { headers: browser });
  expect(asked.status).toBe(200);
  expect(await asked.text()).toContain("You’ll no longer receive this weekly report.");
  expect((await list(reader)).notifications).toHaveLength(1);
  for (const _ of ["first", "second"]) {
    const done = await fetch(url, { method: "POST", headers: browser });
    expect(await done.text()).toContain("You’re unsubscribed");
  }

  expect((await list(reader)).notifications).toEqual([]);
  expect(await (await fetch(url, { headers: { "Accept-Language": "de" } })).text()).toContain("Abbestellt");
});

test("a changed token ends nothing", async () => {
  const reader = await newTenant(server);
  const url = server.url + new URL(await mailedUnsubscribeUrl(reader)).pathname;
  const changed = url.slice(0, -1) + (url.endsWith("A") ? "B" : "A");
  const foreign = url.replace(/ntf_[^.]+/, "ntf_01KAFXV8E3M2Q7N4T9W5Y6Z0AB");

  for (const wrong of [changed, foreign, `${server.url}/app/unsubscribe/x`]) {
    expect((await fetch(wrong, { method: "POST" })).status).toBe(404);
  }

  expect((await list(reader)).notifications).toHaveLength(1);
});
