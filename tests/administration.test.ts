/** Administrators of the instance through the API, and persons who delete their own accounts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { newPerson, openDashboard } from "./support/dashboard.ts";
import { engines } from "./support/databases.ts";
import { codeOf } from "./support/one-time-codes.ts";
import { allEndpoints, exampleBody, pathOf, refusalOf } from "./support/requests.ts";
import { eventually, type TestService } from "./support/server.ts";
import { withDatabase } from "./support/server-database.ts";
import { startService, withService } from "./support/service.ts";
import { newMember, newTenant, operate } from "./support/tenants.ts";

const administration = allEndpoints.filter(([, { path }]) => path.startsWith("/admin/"));
const Users = z.array(z.looseObject({ id: z.string(), email: z.string().nullable() }));

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    let token: string;
    let administratorId: string;
    beforeAll(async () => {
      server = await startService({}, engine);
      const { dashboard, email } = await newPerson(server);
      const made = await operate(server, "user administrator", { user: email, isAdministrator: true });
      administratorId = z.looseObject({ id: z.string() }).parse(made).id;
      token = await dashboard.token();
    });
    afterAll(() => server.remove());

    const call = (method: string, path: string, body?: unknown) =>
      server.call(method, path, { key: token, ...(body === undefined ? {} : { body }) });

    test("every operation is refused for owners who are no administrators, and for a former administrator", async () => {
      const { dashboard, email } = await newPerson(server, "owner");
      const key = await dashboard.token();
      await operate(server, "user administrator", { user: email, isAdministrator: true });
      await operate(server, "user administrator", { user: email, isAdministrator: false });

      expect(administration).toHaveLength(21);
      for (const [name, endpoint] of administration) {
        const [path, query] = [pathOf(endpoint, "7"), endpoint.method === "delete" ? "?confirm=Acme" : ""];
        const asked = path.replace("/blocks/7/7", "/blocks/host/evil.example");
        const options = { key, ...exampleBody(endpoint) };
        const withQuery = endpoint.operationId === "deleteWorkspaceAsAdministrator" ? `${asked}${query}` : asked;
        const answer = await server.call(endpoint.method.toUpperCase(), withQuery, options);
        expect([name, refusalOf(answer)]).toEqual([name, "403 forbidden"]);
      }
    });

    test("an administrator finds, disables, enables, signs out and deletes a person", async () => {
      const { dashboard, email, password } = await newPerson(server);
      const [person] = Users.parse((await call("GET", `/admin/users?search=${email}`)).body);
      const path = `/admin/users/${person?.id}`;

      expect((await call("GET", `${path}/sessions`)).body).toHaveLength(1);
      expect((await call("POST", `${path}/disable`)).body).toMatchObject({ id: person?.id, state: "disabled" });
      expect((await dashboard.send("POST", "/token")).status).toBe(401);
      expect((await openDashboard(server).signIn({ email, password })).body).toMatchObject({
        error: { code: "forbidden", message: "The operator of this service has disabled this account." },
      });
      expect((await call("POST", `${path}/enable`)).body).toMatchObject({ state: "active" });
      expect((await openDashboard(server).signIn({ email, password })).status).toBe(200);
      expect((await call("POST", `${path}/sign-out`)).body).toEqual({ ended: 1 });
      expect((await call("GET", `${path}/export`)).body).toMatchObject({ profile: { email } });
      expect((await call("DELETE", path)).body).toEqual({ id: person?.id });
      expect(refusalOf(await call("GET", `${path}/export`))).toBe("404 not_found");
    });

    test("an administrator removes lost one-time codes once, which the audit log records", async () => {
      const { dashboard, email, password } = await newPerson(server);
      const own = await dashboard.token();
      const begun = z
        .looseObject({ secret: z.string() })
        .parse(
          (await server.call("POST", "/user/one-time-codes", { key: own, body: { currentPassword: password } })).body,
        );
      const code = codeOf(begun.secret);
      await server.call("POST", "/user/one-time-codes/confirm", { key: own, body: { code } });
      const [person] = Users.parse((await call("GET", `/admin/users?search=${email}`)).body);
      const path = `/admin/users/${person?.id}/one-time-codes`;

      expect(person).toMatchObject({ hasOneTimeCodes: true });
      expect((await openDashboard(server).signIn({ email, password })).status).toBe(202);
      expect((await call("DELETE", path)).body).toEqual({ id: person?.id, isMailed: false });
      expect((await openDashboard(server).signIn({ email, password })).status).toBe(200);
      expect(refusalOf(await call("DELETE", path))).toBe("409 conflict");
      expect(refusalOf(await call("DELETE", `/admin/users/${administratorId}/one-time-codes`))).toBe("409 conflict");
      expect((await server.call("GET", "/workspaces/1/audit-log?kind=member")).body).toContainEqual(
        expect.objectContaining({
          type: "member.codesRemoved",
          user: expect.objectContaining({ id: administratorId }),
          object: expect.objectContaining({ id: person?.id }),
        }),
      );
    });

    test("administrators cannot disable, block or delete their own account, or delete an only owner", async () => {
      const { userId } = await newTenant(server);
      const own = { kind: "user", target: administratorId, reason: "Test" };

      expect(refusalOf(await call("POST", "/admin/blocks", own))).toBe("409 conflict");
      expect((await call("GET", "/admin/blocks")).body).toEqual([]);
      expect(refusalOf(await call("POST", `/admin/users/${administratorId}/disable`))).toBe("409 conflict");
      expect(refusalOf(await call("DELETE", `/admin/users/${administratorId}`))).toBe("409 conflict");
      expect(refusalOf(await call("DELETE", `/admin/users/${userId}`))).toBe("409 conflict");
    });

    test("an administrator transfers and deletes workspaces, but reads nothing inside them", async () => {
      const { workspaceId } = await newTenant(server);
      const heir = await newMember(server, workspaceId, "viewer");

      expect(refusalOf(await call("GET", `/links?workspaceId=${workspaceId}`))).toBe("404 not_found");
      expect(refusalOf(await call("GET", `/analytics/clicks?workspaceId=${workspaceId}`))).toBe("404 not_found");
      expect((await call("POST", `/admin/workspaces/${workspaceId}/transfer`, { to: heir.email })).body).toEqual({
        id: workspaceId,
        owner: heir.email,
      });
      expect((await call("GET", `/admin/workspaces?after=${workspaceId - 1}&limit=1`)).body).toMatchObject([
        { id: workspaceId, owners: [heir.email], members: 2 },
      ]);
      expect(refusalOf(await call("DELETE", `/admin/workspaces/${workspaceId}?confirm=No`))).toBe(
        "422 unprocessable_entity",
      );
      expect((await call("DELETE", `/admin/workspaces/${workspaceId}?confirm=Other`)).status).toBe(200);
    });

    test("an administrator lists domains and nodes, and blocks and unblocks a host", async () => {
      expect((await call("GET", "/admin/domains")).body).toMatchObject([{ slug: "localhost", isInstance: true }]);
      expect((await call("GET", "/admin/nodes")).body).toEqual([]);

      const made = await call("POST", "/admin/blocks", { kind: "host", target: "Evil.example", reason: "Malware" });

      expect([made.status, made.body]).toEqual([
        201,
        expect.objectContaining({ kind: "host", target: "evil.example" }),
      ]);
      expect((await call("GET", "/admin/blocks")).body).toHaveLength(1);
      expect((await call("DELETE", "/admin/blocks/host/evil.example")).status).toBe(200);
      expect((await call("GET", "/admin/blocks")).body).toEqual([]);
    });

    test("an account that is blocked and disabled shows both", async () => {
      const { userId } = await newMember(server, 1, "viewer");
      await call("POST", "/admin/blocks", { kind: "user", target: userId, reason: "Spam" });

      const made = (await call("POST", `/admin/users/${userId}/disable`)).body;

      expect(made).toMatchObject({ id: userId, state: "blocked", isDisabled: true });
      await call("DELETE", `/admin/blocks/user/${userId}`);
      expect((await call("POST", `/admin/users/${userId}/enable`)).body).toMatchObject({
        state: "active",
        isDisabled: false,
      });
    });

    test("a list of blocks names users by their address and workspaces by their name", async () => {
      const { email, userId, workspaceId } = await newTenant(server);
      await call("POST", "/admin/blocks", { kind: "user", target: email, reason: "Spam" });
      await call("POST", "/admin/blocks", { kind: "workspace", target: String(workspaceId), reason: "Spam" });

      expect((await call("GET", "/admin/blocks")).body).toMatchObject([
        { kind: "user", target: userId, name: email },
        { kind: "workspace", target: String(workspaceId), name: "Other" },
      ]);
      await call("DELETE", `/admin/blocks/user/${userId}`);
      await call("DELETE", `/admin/blocks/workspace/${workspaceId}`);
    });

    test("the log names operation, administrator and object, but no address", async () => {
      const { email, userId } = await newMember(server, 1, "viewer");

      await call("POST", "/admin/blocks", { kind: "user", target: email, reason: "Spam" });
      await call("DELETE", `/admin/blocks/user/${userId}`);
      await call("GET", `/admin/users/${userId}/export`);
      await call("POST", `/admin/users/${userId}/disable`);

      // The output arrives after the response, and in pieces: the last line may be incomplete.
      const about = await eventually(
        async () =>
          server
            .output()
            .split("\n")
            .slice(0, -1)
            .filter((text) => text.includes(userId)),
        ({ length }) => length >= 4,
      );
      expect(about.map((text): unknown => JSON.parse(text))).toMatchObject([
        { operation: "block", by: administratorId, kind: "user", target: userId },
        { operation: "unblock", by: administratorId, kind: "user", target: userId },
        { operation: "user export", by: administratorId, user: userId },
        { operation: "user disable", by: administratorId, user: userId },
      ]);
      expect(server.output()).not.toContain(email);
    });

    test("a person deletes their account with address and password, unless they are an only owner", async () => {
      const { dashboard, email, password } = await newPerson(server);
      const key = await dashboard.token();
      const remove = (body: object) => server.call("POST", "/user/deletion", { key, body });

      expect(refusalOf(await remove({ confirm: email }))).toBe("422 unprocessable_entity");
      expect(refusalOf(await remove({ confirm: email, currentPassword: "wrong password" }))).toBe(
        "422 unprocessable_entity",
      );
      expect(refusalOf(await remove({ confirm: "ann", currentPassword: password }))).toBe("422 unprocessable_entity");
      const made = await server.call("POST", "/workspaces", { key, body: { name: "Mine" } });
      expect(refusalOf(await remove({ confirm: email, currentPassword: password }))).toBe("409 conflict");
      const { id } = z.looseObject({ id: z.number() }).parse(made.body);
      await server.call("DELETE", `/workspaces/${id}?confirm=Mine`, { key });

      expect((await server.call("GET", "/user/export", { key })).body).toMatchObject({ profile: { email } });
      expect((await remove({ confirm: email.toUpperCase(), currentPassword: password })).status).toBe(200);
      expect((await server.call("GET", "/user", { key })).status).toBe(401);
      expect((await dashboard.signIn({ email, password })).status).toBe(401);
    });
  });
}

test("administrators need a second factor, unless the operator says otherwise", async () => {
  await withService({ WAYPOST_ADMINISTRATORS_NEED_SECOND_FACTOR: "true" }, async (server) => {
    const { dashboard, email } = await newPerson(server);
    await operate(server, "user administrator", { user: email, isAdministrator: true });
    const key = await dashboard.token();

    const without = await server.call("GET", "/admin/users", { key });
    await withDatabase(server, ({ db }) => db.updateTable("sessions").set({ hasSecondFactor: 1 }).execute());
    const withFactor = await server.call("GET", "/admin/users", { key });

    expect(refusalOf(without)).toBe("403 forbidden");
    expect(JSON.stringify(without.body)).toContain("Administrators need a second factor.");
    expect(withFactor.status).toBe(200);
  });
});
