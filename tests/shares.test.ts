/** Shared analytics of a link or folder, for anyone with the URL. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { minuteMs } from "../src/base/time.ts";
import { attemptUntilLimited } from "./support/attempts.ts";
import { expectExpires } from "./support/expiry.ts";
import { refusalOf } from "./support/requests.ts";
import { browser, eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newTenant, type Tenant } from "./support/tenants.ts";

let server: TestService;
let owner: Tenant;
let folderId: string;
let shown: z.output<typeof Link>;
let other: z.output<typeof Link>;

const Link = z.object({ id: z.string(), key: z.string(), shortLink: z.string() });
const Share = z.object({ id: z.string(), url: z.string() });
const Count = z.object({ clicks: z.int() });
const Subject = z.looseObject({ shortLink: z.string().optional(), folder: z.string().optional() });
const AuditEntries = z.array(
  z.looseObject({
    type: z.string(),
    object: z.object({ id: z.string(), name: z.string().nullable() }),
    before: Subject.nullable(),
    after: Subject.nullable(),
  }),
);
const secretUrl = "https://example.com/secret-destination?utm_source=mail";

/** A link in a folder with two clicks, and one outside with one click. */
beforeAll(async () => {
  server = await startService({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1" });
  owner = await newTenant(server);
  const post = async (path: string, body: object) =>
    (await server.call("POST", path, { key: owner.apiKey, body })).body;
  folderId = z.object({ id: z.string() }).parse(await post("/folders", { name: "Spring" })).id;
  shown = Link.parse(
    await post("/links", { url: secretUrl, folderId, title: "secret title", comments: "secret note" }),
  );
  other = Link.parse(await post("/links", { url: "https://example.com/other" }));
  for (const { key } of [shown, shown, other]) await server.visit(`/${key}`, { headers: browser });
  await eventually(
    async () => (await server.call("GET", "/analytics", { key: owner.apiKey })).body,
    (body) => Count.parse(body).clicks === 3,
  );
});
afterAll(() => server.remove());

const create = (body: object, key = owner.apiKey) => server.call("POST", "/shares", { key, body });
/** The path of a share below /v1. */
const pathOf = ({ url }: z.output<typeof Share>) => `/shared/${url.split("/").at(-1)}`;
/** Creates a share and returns it with its path. */
async function share(fields: object) {
  const { body } = await create(fields);
  const made = Share.parse(body);
  return { ...made, path: pathOf(made), body };
}
const ask = (path: string, pass?: string) =>
  server.call("GET", path, { key: "", headers: pass === undefined ? {} : { Authorization: `Bearer ${pass}` } });

describe("a share", () => {
  test("of a link shows its clicks to anyone with the URL, and members can see the URL again", async () => {
    const made = await share({ linkId: shown.id });

    const about = await ask(made.path);
    const count = await ask(`${made.path}/analytics`);
    const listed = await server.call("GET", `/shares?linkId=${shown.id}`, { key: owner.apiKey });

    expect(made.url).toMatch(/\/app\/shares\/[0-9A-Za-z]{40}$/);
    expect(about.body).toMatchObject({ needsPassword: false, title: shown.shortLink, kind: "link", folder: null });
    expect(count.body).toMatchObject({ clicks: 2 });
    expect(listed.body).toEqual([made.body]);
  });

  test("is named in the audit log by its own name, or else by its short link or folder", async () => {
    const names = async () => {
      const { body } = await server.call("GET", `/workspaces/${owner.workspaceId}/audit-log?kind=share&pageSize=4`, {
        key: owner.apiKey,
      });
      return AuditEntries.parse(body).map(({ type, object, before, after }) => {
        const { shortLink, folder } = { ...before, ...after };
        return [type, object.name, shortLink ?? folder];
      });
    };
    const ofLink = await share({ linkId: shown.id });
    await server.call("PATCH", `/shares/${ofLink.id}`, { key: owner.apiKey, body: { password: "long enough" } });
    await server.call("DELETE", `/shares/${ofLink.id}`, { key: owner.apiKey });
    await share({ folderId, name: "Our spring" });

    const shortLink = shown.shortLink.replace(/^https?:\/\//, "").replace(/:\d+/, "");
    expect(await names()).toEqual([
      ["share.created", "Our spring", "Spring"],
      ["share.deleted", shortLink, shortLink],
      ["share.updated", shortLink, undefined],
      ["share.created", shortLink, shortLink],
    ]);
  });

  test("shows only its link or folder, and no query selects another", async () => {
    const ofLink = await share({ linkId: shown.id });
    const ofFolder = await share({ folderId, name: "Our spring" });
    const queries = [
      [`linkId=${other.id}`, 422],
      ["domain=localhost", 422],
      [`domain=localhost&key=${other.key}`, 422],
      ["externalId=ext_1", 422],
      ["tagId=x", 422],
      ["event=leads", 422],
      ["workspaceId=1", 200],
    ] as const;

    for (const [query, status] of queries) {
      for (const { path } of [ofLink, ofFolder]) {
        const answer = await ask(`${path}/analytics?${query}`);
        expect([query, answer.status]).toEqual([query, status]);
        if (status === 200) expect(answer.body).toMatchObject({ clicks: 2 });
      }
    }
    expect((await ask(ofFolder.path)).body).toMatchObject({ title: "Our spring", kind: "folder", folder: "Spring" });
  });

  test("filters and groups, and never shows a link's destination or the names that members use", async () => {
    const { path } = await share({ folderId });
    const { groupings } = z.object({ groupings: z.array(z.string()) }).parse((await ask(path)).body);
    const texts = [];

    for (const groupBy of groupings)
      texts.push(JSON.stringify((await ask(`${path}/analytics?groupBy=${groupBy}`)).body));
    const links = await ask(`${path}/analytics?groupBy=top_links`);
    const filtered = await ask(`${path}/analytics?browser=Chrome`);

    expect(texts.join()).not.toContain("secret");
    expect(texts.join()).not.toContain(other.key);
    expect(links.body).toEqual([
      { domain: "localhost", key: shown.key, shortLink: shown.shortLink, clicks: 2, leads: 0, sales: 0, saleAmount: 0 },
    ]);
    expect(filtered.body).toMatchObject({ clicks: 0 });
    for (const query of ["groupBy=top_urls", "groupBy=top_folders", "interval=all", "end=2026-01-01"]) {
      expect([query, refusalOf(await ask(`${path}/analytics?${query}`))]).toEqual([query, "422 unprocessable_entity"]);
    }
  });

  test("opens until it expires", async () => {
    for (const below of ["", "/analytics"]) {
      const brief = async (expiresAt: string) => {
        const { status, body } = await create({ linkId: shown.id, expiresAt });
        if (status !== 201) return undefined;
        const path = `${pathOf(Share.parse(body))}${below}`;
        return async () => (await ask(path)).status;
      };

      await expectExpires(brief, 404);
    }
  });

  test("that was deleted or never existed opens nothing", async () => {
    const revoked = await share({ linkId: shown.id });

    const gone = await server.call("DELETE", `/shares/${revoked.id}`, { key: owner.apiKey });

    expect(gone.body).toEqual({ id: revoked.id });
    for (const path of [revoked.path, `/shared/${"x".repeat(40)}`]) {
      expect(refusalOf(await ask(path))).toBe("404 not_found");
      expect(refusalOf(await ask(`${path}/analytics`))).toBe("404 not_found");
    }
  });

  test("is deleted with its link", async () => {
    const { body } = await server.call("POST", "/links", { key: owner.apiKey, body: { url: "https://example.com/" } });
    const link = Link.parse(body);
    const { path } = await share({ linkId: link.id });

    await server.call("DELETE", `/links/${link.id}`, { key: owner.apiKey });

    expect(refusalOf(await ask(path))).toBe("404 not_found");
  });

  test("has one link or folder of its workspace, and expires in the future", async () => {
    const stranger = await newTenant(server);

    const refused = [
      await create({}),
      await create({ linkId: shown.id, folderId }),
      await create({ linkId: shown.id, expiresAt: "2020-01-01" }),
      await create({ linkId: shown.id }, stranger.apiKey),
      await create({ folderId }, stranger.apiKey),
    ];

    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 404, 404]);
  });
});

describe("the password of a share", () => {
  const unlock = (path: string, password: string, headers = {}) =>
    server.call("POST", `${path}/access`, { key: "", body: { password }, headers });
  const passOf = ({ body }: { body: unknown }) =>
    z.object({ token: z.string(), expiresAt: z.string() }).parse(body).token;

  test("is required before anything is shown, and yields a pass", async () => {
    const made = await share({ linkId: shown.id, name: "secret name", password: "tulips" });

    const hidden = await ask(made.path);
    const refused = await ask(`${made.path}/analytics`);
    const wrong = await unlock(made.path, "roses");
    const pass = passOf(await unlock(made.path, "tulips"));

    expect(JSON.stringify(made.body)).not.toContain("tulips");
    expect(hidden.body).toMatchObject({ needsPassword: true, title: null, kind: null, shortLink: null });
    expect([refused, wrong].map(refusalOf)).toEqual(["401 unauthorized", "422 unprocessable_entity"]);
    expect((await ask(made.path, pass)).body).toMatchObject({ needsPassword: false, title: "secret name" });
    expect((await ask(`${made.path}/analytics`, pass)).body).toMatchObject({ clicks: 2 });
  });

  test("invalidates earlier passes when changed, and opens the share to all when removed", async () => {
    const { id, path } = await share({ linkId: shown.id, password: "tulips" });
    const elsewhere = await share({ linkId: shown.id, password: "tulips" });
    const pass = passOf(await unlock(path, "tulips"));
    const change = (body: object) => server.call("PATCH", `/shares/${id}`, { key: owner.apiKey, body });

    const changed = await change({ password: "daisies" });
    const afterChange = await ask(`${path}/analytics`, pass);
    const removed = await change({ password: null });

    expect([changed.body, removed.body]).toMatchObject([{ hasPassword: true }, { hasPassword: false }]);
    expect(refusalOf(afterChange)).toBe("401 unauthorized");
    expect(refusalOf(await ask(`${elsewhere.path}/analytics`, pass))).toBe("401 unauthorized");
    expect((await ask(`${path}/analytics`)).body).toMatchObject({ clicks: 2 });
  });

  test("costs no attempt when it is right", async () => {
    const { path } = await share({ linkId: shown.id, password: "tulips" });
    const from = { "X-Forwarded-For": "203.0.113.10" };

    const right: number[] = [];
    for (let times = 0; times < 25; times++) right.push((await unlock(path, "tulips", from)).status);

    expect(right).toEqual(right.map(() => 200));
    // All attempts of the address are left.
    await attemptUntilLimited({ callsMax: 20, perMs: 10 * minuteMs }, () => unlock(path, "roses", from));
  });

  test("allows only a few wrong attempts", async () => {
    const { path } = await share({ linkId: shown.id, password: "tulips" });

    // A separate address, so that wrong passwords of other tests do not count.
    const from = { "X-Forwarded-For": "203.0.113.9" };
    const { admitted } = await attemptUntilLimited({ callsMax: 20, perMs: 10 * minuteMs }, () =>
      unlock(path, "roses", from),
    );

    expect(admitted.map(({ status }) => status)).toEqual(admitted.map(() => 422));
  });
});
