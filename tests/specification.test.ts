/**
 * The operations of the specification on workspaces, links and domains, checked exactly, through HTTP on both engines.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { engines } from "./support/databases.ts";
import { type DnsServer, startDnsServer } from "./support/dns-server.ts";
import { Points, Report, refusalOf } from "./support/requests.ts";
import { eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { addDomain, addLink, addVerifiedDomain } from "./support/short-domains.ts";
import { newMember, newTenant, type Tenant } from "./support/tenants.ts";

const human = { "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:100.0) Gecko/20100101 Firefox/100.0" };

const Created = z.strictObject({ success: z.literal(true), id: z.int() });
const Workspaces = z.strictObject({
  workspaces: z.array(z.strictObject({ id: z.int(), name: z.string(), role: z.string(), avatar_url: z.url() })),
});
const Verification = z.strictObject({ success: z.boolean(), message: z.string().min(1) });
for (const engine of engines) {
  describe(engine, () => {
    let dns: DnsServer;
    let server: TestService;
    let other: Tenant;

    beforeAll(async () => {
      dns = await startDnsServer();
      server = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0", WAYPOST_RESOLVERS: dns.address }, engine);
      other = await newTenant(server);
    });

    afterAll(async () => {
      await server.remove();
      await dns.close();
    });

    const create = (name: unknown) => server.call("POST", "/workspaces", { body: { name } });
    const list = async (key?: string) =>
      Workspaces.parse((await server.call("GET", "/workspaces", key === undefined ? {} : { key })).body).workspaces;
    const report = async (query: string, key?: string) =>
      Report.parse((await server.call("GET", `/analytics/clicks?${query}`, key === undefined ? {} : { key })).body);
    const series = async (query: string, key?: string) =>
      Points.parse((await server.call("GET", `/analytics/timeseries?${query}`, key === undefined ? {} : { key })).body);

    describe("POST /v1/workspaces", () => {
      test("returns 201 with success and an integer id, and no other field", async () => {
        const answer = await create("Acme");

        expect([answer.status, answer.headers.get("content-type")]).toEqual([201, "application/json"]);
        expect(Created.safeParse(answer.body).error).toBeUndefined();
      });

      test("makes the caller the owner, and trims the name", async () => {
        const { id } = Created.parse((await create("  Trimmed & \u{1f525} \n")).body);

        const made = (await list()).find((workspace) => workspace.id === id);
        expect(made).toMatchObject({ name: "Trimmed & \u{1f525}", role: "owner" });
      });

      const names: [string, unknown, string][] = [
        ["1 character", "a", "201"],
        ["190 characters", "a".repeat(190), "201"],
        ["190 characters between spaces", ` ${"a".repeat(190)} `, "201"],
        ["190 characters of two units each", "\u{1f525}".repeat(190), "201"],
        ["191 characters", "a".repeat(191), "422 unprocessable_entity"],
        ["191 characters of two units each", "\u{1f525}".repeat(191), "422 unprocessable_entity"],
        ["no character", "", "422 unprocessable_entity"],
        ["spaces alone", " \t\n", "422 unprocessable_entity"],
        ["null", null, "422 unprocessable_entity"],
        ["a number", 7, "422 unprocessable_entity"],
        ["a list", ["Acme"], "422 unprocessable_entity"],
        ["nothing", undefined, "422 unprocessable_entity"],
      ];
      for (const [description, name, expected] of names) {
        test(`a name of ${description} gives ${expected}`, async () => {
          const answer = await create(name);

          const outcome = answer.status === 201 ? "201" : refusalOf(answer);
          expect({ name, outcome }).toEqual({ name, outcome: expected });
          if (answer.status === 422) expect(JSON.stringify(answer.body)).toContain("name");
        });
      }

      test("an unknown field is refused", async () => {
        expect((await server.call("POST", "/workspaces", { body: { name: "A", slug: 1, id: "x" } })).status).toBe(422);
      });
    });

    describe("GET /v1/workspaces", () => {
      test("lists only the caller's workspaces, by id, with the role in each", async () => {
        const owner = await newTenant(server);
        const viewer = await newMember(server, owner.workspaceId, "viewer");
        const second = Created.parse(
          (await server.call("POST", "/workspaces", { key: viewer.apiKey, body: { name: "Own" } })).body,
        );

        const answer = await list(viewer.apiKey);

        expect(answer.map(({ id, name, role }) => ({ id, name, role }))).toEqual([
          { id: owner.workspaceId, name: "Other", role: "viewer" },
          { id: second.id, name: "Own", role: "owner" },
        ]);
        expect((await list(owner.apiKey)).map(({ id, role }) => ({ id, role }))).toEqual([
          { id: owner.workspaceId, role: "owner" },
        ]);
      });

      test("every avatar_url returns an image", async () => {
        for (const { avatar_url } of await list()) {
          const { pathname } = new URL(avatar_url);
          const image = await fetch(server.url + pathname);

          expect([avatar_url, image.status]).toEqual([avatar_url, 200]);
          expect(image.headers.get("content-type")).toStartWith("image/");
          expect(await image.text()).toStartWith("<svg");
        }
      });
    });

    describe("DELETE /v1/links/{linkId}", () => {
      test("returns only the id and stops the short link at once; a repetition is 404", async () => {
        const { id, key } = await addLink(server, { url: "https://example.com/" });
        expect((await server.visit(`/${key}`)).status).toBe(302);

        const answer = await server.call("DELETE", `/links/${id}`);

        expect([answer.status, answer.body]).toEqual([200, { id }]);
        expect((await server.visit(`/${key}`)).status).toBe(410);
        expect(refusalOf(await server.call("DELETE", `/links/${id}`))).toBe("404 not_found");
        expect(refusalOf(await server.call("GET", `/links/${id}`))).toBe("404 not_found");
      });

      test("ext_ selects a link by its externalId, and the response has the link's id", async () => {
        const externalId = `no ${crypto.randomUUID()}/ä`;
        const { id } = await addLink(server, { url: "https://example.com/", externalId });

        const answer = await server.call("DELETE", `/links/${encodeURIComponent(`ext_${externalId}`)}`);

        expect([answer.status, answer.body]).toEqual([200, { id }]);
      });

      test("a link of another workspace is 404, and is not deleted", async () => {
        const { id, key } = await addLink(server, { url: "https://example.com/" });

        const answer = await server.call("DELETE", `/links/${id}`, { key: other.apiKey });

        expect(refusalOf(answer)).toBe("404 not_found");
        expect((await server.visit(`/${key}`)).status).toBe(302);
      });

      test("a deleted link's clicks stay in the workspace's totals", async () => {
        const { apiKey: key } = await newTenant(server);
        const link = await addLink(server, { url: "https://example.com/" }, { key });
        await server.visit(`/${link.key}`, { headers: human });
        await eventually(
          () => report("", key),
          ({ clicks }) => clicks === 1,
        );

        await server.call("DELETE", `/links/${link.id}`, { key });

        expect(await report("", key)).toMatchObject({ clicks: 1 });
        expect((await series("", key)).reduce((sum, { clicks }) => sum + clicks, 0)).toBe(1);
        expect(await report(`linkId=${link.id}`, key)).toMatchObject({ clicks: 1 });
      });
    });

    describe("POST /v1/domains-v2/{id}/verify", () => {
      const verify = async (id: string) => {
        const { status, body } = await server.call("POST", `/domains-v2/${id}/verify`);
        return { status, ...Verification.parse(body) };
      };
      const isVerified = async (slug: string) =>
        z.object({ verified: z.boolean() }).parse((await server.call("GET", `/domains/${slug}`)).body).verified;

      test("a pending domain becomes verified once its record exists", async () => {
        const { id, slug, record } = await addDomain(server);
        expect(await isVerified(slug)).toBe(false);
        const before = await verify(id);
        dns.answer(record.name, { kind: "txt", records: ["something else", record.value] });

        const after = await verify(id);

        expect(before).toMatchObject({ status: 200, success: false });
        expect(after).toMatchObject({ status: 200, success: true });
        expect(await isVerified(slug)).toBe(true);
      });

      test("with a wrong value, the message has the expected record and the found value", async () => {
        const { id, slug, record } = await addDomain(server);
        dns.answer(record.name, { kind: "txt", records: ["waypost-verify=wrong"] });

        const { success, message } = await verify(id);

        expect(success).toBe(false);
        for (const part of ["TXT", record.name, record.value, '"waypost-verify=wrong"'])
          expect(message).toContain(part);
        expect(await isVerified(slug)).toBe(false);
      });

      test("an unknown or foreign id is 404", async () => {
        const foreign = await addDomain(server, {}, { key: other.apiKey });

        for (const id of ["dom_01JD4X0Q3M8Y7RZ5V2K6T9W1AB", "x", foreign.id]) {
          expect([id, refusalOf(await server.call("POST", `/domains-v2/${id}/verify`))]).toEqual([id, "404 not_found"]);
        }
      });

      test("a domain without its record is success: false, and its links keep working", async () => {
        const { id, slug, record } = await addVerifiedDomain(server, dns);
        const { key } = await addLink(server, { url: "https://example.com/", domain: slug });
        dns.answer(record.name, { kind: "nxdomain" });

        const { success, message } = await verify(id);

        expect(success).toBe(false);
        expect(message).toContain(record.value);
        expect((await server.visit(`/${key}`, { host: slug })).status).toBe(302);
      });

      test("without a reachable resolver, a pending domain stays pending, and the message says why", async () => {
        const closed = await startDnsServer();
        await closed.close();
        const alone = await startService({ WAYPOST_RESOLVERS: closed.address }, engine);
        try {
          const { id, slug, record } = await addDomain(alone);

          const answer = await alone.call("POST", `/domains-v2/${id}/verify`);

          expect(answer.status).toBe(200);
          const { success, message } = Verification.parse(answer.body);
          expect(success).toBe(false);
          for (const part of [record.name, record.value, "the check failed"]) expect(message).toContain(part);
          expect((await alone.call("GET", `/domains/${slug}`)).body).toMatchObject({ verified: false });
        } finally {
          await alone.remove();
        }
      });

      test("a refusing resolver is success: false with a reason, and changes no state", async () => {
        const { id, slug, record } = await addVerifiedDomain(server, dns);
        dns.answer(record.name, { kind: "refused" });

        const { success, message } = await verify(id);

        expect(success).toBe(false);
        expect(message).toContain("the check failed");
        expect(message).toContain(record.value);
        expect(await isVerified(slug)).toBe(true);
      });
    });

    test("the body of an operation without a body schema is ignored", async () => {
      const { id } = await addLink(server, { url: "https://example.com/" });
      const domain = await addDomain(server);

      for (const body of ["", "{}", "{broken"]) {
        const answer = await server.call("POST", `/domains-v2/${domain.id}/verify`, { body });
        expect([body, answer.status]).toEqual([body, 200]);
      }
      expect((await server.call("DELETE", `/links/${id}`, { body: "{broken" })).status).toBe(200);
    });
  });
}
