/** API keys from creation to revocation, through HTTP on both engines. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { engines } from "./support/databases.ts";
import { expectExpires } from "./support/expiry.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newMember, newTenant, type Tenant } from "./support/tenants.ts";

const ApiKey = z.strictObject({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.string()).nullable(),
  userId: z.string(),
  workspaceId: z.int(),
  allWorkspaces: z.boolean(),
  lacksSecondFactor: z.boolean(),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  createdAt: z.string(),
});
const NewKey = z.strictObject({ ...ApiKey.shape, key: z.string() });

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    let owner: Tenant;

    beforeAll(async () => {
      server = await startService({ WAYPOST_RATE_LIMIT_PER_MINUTE: "0" }, engine);
      owner = await newTenant(server);
    });

    afterAll(() => server.remove());

    const create = async (body: object, key = owner.apiKey) => await server.call("POST", "/api-keys", { key, body });
    const createKey = async (body: object, key = owner.apiKey) => NewKey.parse((await create(body, key)).body);
    const list = async (key = owner.apiKey) =>
      z.array(ApiKey).parse((await server.call("GET", "/api-keys", { key })).body);
    const statusOf = async (key: string, path = "/links") => (await server.call("GET", path, { key })).status;

    test("a new key has the requested scopes and expiry, and its text is shown once", async () => {
      const { key, ...shown } = await createKey({
        name: " Website ",
        scopes: ["links.write", "links.read"],
        expiresAt: "2999-01-31T12:00:00+02:00",
      });

      expect(key).toMatch(/^wp_[0-9A-Za-z]{38}$/);
      expect(shown).toMatchObject({
        name: "Website",
        prefix: key.slice(0, 8),
        expiresAt: "2999-01-31T10:00:00.000Z",
        lastUsedAt: null,
        userId: owner.userId,
        workspaceId: owner.workspaceId,
        allWorkspaces: false,
      });
      expect([...(shown.scopes ?? [])].sort()).toEqual(["links.read", "links.write"]);
      expect(await list()).toContainEqual(shown);
      const answers = JSON.stringify([await server.call("GET", "/api-keys", { key: owner.apiKey })]);
      expect(answers).not.toContain(key.slice(8));
    });

    test("a key works from its creation until its revocation", async () => {
      for (let round = 0; round < 20; round++) {
        const { id, key } = await createKey({ name: "Short" });
        const before = await statusOf(key);
        const { status, body } = await server.call("DELETE", `/api-keys/${id}`, { key: owner.apiKey });

        expect([before, status, body, await statusOf(key)]).toEqual([200, 200, { id }, 401]);
      }
    });

    test("a key can revoke itself", async () => {
      const { id, key } = await createKey({ name: "Revokes itself" });

      expect((await server.call("DELETE", `/api-keys/${id}`, { key })).status).toBe(200);
      expect(await statusOf(key)).toBe(401);
    });

    test("a key stops working at its expiry", async () => {
      const brief = async (expiresAt: string) => {
        const { status, body } = await create({ name: "Brief", expiresAt });
        return status === 201 ? () => statusOf(NewKey.parse(body).key) : undefined;
      };

      await expectExpires(brief, 401);
    });

    test("a key with scopes can call only the operations of its scopes", async () => {
      const { key } = await createKey({ name: "Reader", scopes: ["links.read"] });

      expect(await statusOf(key, "/links")).toBe(200);
      expect(await statusOf(key, "/domains")).toBe(403);
      expect((await server.call("POST", "/links", { key, body: { url: "https://example.com" } })).status).toBe(403);
    });

    test("a key with scopes cannot create a key with more scopes", async () => {
      const { key } = await createKey({ name: "Limited", scopes: ["workspaces.write", "links.read"] });
      const cases: [unknown, number][] = [
        [undefined, 403],
        [null, 403],
        [["links.write"], 403],
        [["links.read", "domains.read"], 403],
        [["links.read"], 201],
        [["workspaces.write", "links.read"], 201],
      ];
      for (const [scopes, status] of cases) {
        expect([scopes, (await create({ name: "Child", scopes }, key)).status]).toEqual([scopes, status]);
      }
    });

    test("a key cannot be created with a past expiry", async () => {
      for (const expiresAt of ["2020-01-01", new Date().toISOString()]) {
        const { status, body } = await create({ name: "Over", expiresAt });

        expect([status, body]).toEqual([422, { error: expect.objectContaining({ code: "unprocessable_entity" }) }]);
        expect(JSON.stringify(body)).toContain("expiresAt: must be in the future");
      }
    });

    test("a request to change the scopes of a key is refused", async () => {
      const { id, key: _, ...before } = await createKey({ name: "Fixed", scopes: ["links.read"] });
      const body = { name: "Changed", scopes: ["links.write"] };

      const answer = await server.call("PATCH", `/api-keys/${id}`, { key: owner.apiKey, body });

      expect([answer.status, JSON.stringify(answer.body)]).toEqual([
        422,
        expect.stringContaining("scopes: is read-only; leave it out, or send its current value"),
      ]);
      expect(await list()).toContainEqual({ id, ...before });
    });

    test("a key with an expiry cannot create a key that expires later", async () => {
      const end = "2999-01-31T12:00:00.000Z";
      const { key } = await createKey({ name: "Ending", expiresAt: end });
      const cases: [string | null | undefined, number][] = [
        [undefined, 403],
        [null, 403],
        ["2999-01-31T12:00:00.001Z", 403],
        [end, 201],
        ["2998-01-01T00:00:00.000Z", 201],
      ];
      for (const [expiresAt, status] of cases) {
        const answer = await create({ name: "Child", expiresAt }, key);

        expect([expiresAt, answer.status]).toEqual([expiresAt, status]);
        if (status === 403)
          expect(answer.body).toMatchObject({ error: { message: expect.stringMatching(/^expiresAt: /) } });
      }
    });

    test("a key shows the time of its last use", async () => {
      const { id, key } = await createKey({ name: "Used" });
      await statusOf(key);

      const used = (await list()).find((shown) => shown.id === id)?.lastUsedAt;

      expect(used).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });

    test("members see and revoke their own keys, owners see and revoke all keys", async () => {
      const member = await newMember(server, owner.workspaceId, "member");
      const other = await newMember(server, owner.workspaceId, "member");
      const { id } = await createKey({ name: "Mine" }, member.apiKey);
      const revoke = async (key: string) => (await server.call("DELETE", `/api-keys/${id}`, { key })).status;

      expect((await list(member.apiKey)).every(({ userId }) => userId === member.userId)).toBe(true);
      expect((await list()).some((shown) => shown.id === id)).toBe(true);
      expect((await list(other.apiKey)).some((shown) => shown.id === id)).toBe(false);
      expect([await revoke(other.apiKey), await revoke(owner.apiKey), await revoke(owner.apiKey)]).toEqual([
        403, 200, 404,
      ]);
    });

    test("a key of another workspace cannot be seen or revoked", async () => {
      const stranger = await newTenant(server);
      const { id, key } = await createKey({ name: "Mine" });

      expect((await list(stranger.apiKey)).some((shown) => shown.id === id)).toBe(false);
      expect((await server.call("DELETE", `/api-keys/${id}`, { key: stranger.apiKey })).status).toBe(404);
      expect(await statusOf(key)).toBe(200);
    });

    test("a viewer's new key has the role viewer", async () => {
      const viewer = await newMember(server, owner.workspaceId, "viewer");
      const { key } = await createKey({ name: "Broad" }, viewer.apiKey);

      expect((await server.call("POST", "/links", { key, body: { url: "https://example.com" } })).status).toBe(403);
      expect(await statusOf(key)).toBe(200);
    });
  });
}
