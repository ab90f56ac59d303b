/** Authorization: every endpoint with every kind of caller, on both engines. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { scopes } from "../src/access/actor.ts";
import type { Endpoint } from "../src/api/http/endpoint.ts";
import { namesWorkspace } from "../src/api/http/openapi.ts";
import { engines } from "./support/databases.ts";
import {
  ask,
  exampleBody,
  expectRefusal,
  keyedEndpoints,
  makeTargets,
  makeTargetsOf,
  namedEndpoints,
  namesAnObject,
  opensBySecret,
  type PlainAnswer,
  type SomeTargets,
  settleDomain,
  urlOf,
} from "./support/requests.ts";
import { eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { changesBetween, isFillingExample, openSnapshots, type SnapshotReader } from "./support/snapshot.ts";
import { newExpiredKey, newMember, newTenant, type Tenant } from "./support/tenants.ts";

const NewKey = z.object({ id: z.string(), key: z.string() });
const Identified = z.object({ id: z.string() });
const Delegation = z.object({ scopes: z.array(z.enum(scopes)) });

test("few operations need no key", () => {
  const open = namedEndpoints.filter(([, { scope }]) => scope === "none").map(([name]) => name);

  expect(open.sort()).toEqual([
    "GET /qr",
    "GET /shared/{shareToken}",
    "GET /shared/{shareToken}/analytics",
    "POST /shared/{shareToken}/access",
  ]);
});

test("every scope is required by some operation", () => {
  const needed = new Set(keyedEndpoints.map(([, { scope }]) => scope));

  expect(scopes.filter((scope) => !needed.has(scope))).toEqual([]);
});

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    let snapshots: SnapshotReader;
    /** The workspace of all refused calls, which change nothing, and the callers that it refuses. */
    let owner: Tenant;
    let stranger: Tenant;
    let viewer: Tenant;
    let member: Tenant;
    let targets: SomeTargets;
    let invalidKeys: Record<string, string>;
    const keysWithout = new Map<string, string>();

    beforeAll(async () => {
      // Example links name no domain. On the pending primary domain of their workspace, their keys are free.
      const options = { WAYPOST_RATE_LIMIT_PER_MINUTE: "0", WAYPOST_UNVERIFIED_REDIRECTS: "true" };
      server = await startService(options, engine);
      owner = await newTenant(server);
      stranger = await newTenant(server);
      viewer = await newMember(server, owner.workspaceId, "viewer");
      const home = await server.call("POST", "/workspaces", { key: viewer.apiKey, body: { name: "Home" } });
      expect(home.status).toBe(201);
      member = await newMember(server, owner.workspaceId, "member");
      targets = await makeTargets(server, owner);
      const revoked = await newKey(owner, {});
      await server.call("DELETE", `/api-keys/${revoked.id}`, { key: owner.apiKey });
      invalidKeys = {
        none: "",
        wrong: `${owner.apiKey.slice(0, -1)}${owner.apiKey.endsWith("a") ? "b" : "a"}`,
        expired: await newExpiredKey(server, owner.email),
        revoked: revoked.key,
      };
      for (const missing of scopes) {
        const { key } = await newKey(owner, { scopes: scopes.filter((scope) => scope !== missing) });
        keysWithout.set(missing, key);
      }
      snapshots = await openSnapshots(server);
    });

    afterAll(async () => {
      await snapshots.close();
      await server.remove();
    });

    const newKey = async (owner: Tenant, body: object) =>
      NewKey.parse(
        (await server.call("POST", "/api-keys", { key: owner.apiKey, body: { name: "Test", ...body } })).body,
      );
    const call = async (endpoint: Endpoint, targets: SomeTargets, key: string, query = ""): Promise<PlainAnswer> => {
      const url = urlOf(endpoint, targets);
      const full = query === "" ? url : `${url}${url.includes("?") ? "&" : "?"}${query}`;
      const headers = { Authorization: key === "" ? "" : `Bearer ${key}` };
      const answer = await ask(server, endpoint.method.toUpperCase(), full, {
        ...exampleBody(endpoint, targets),
        headers,
      });
      const isNewDomain = endpoint.operationId === "createDomain" && answer.status === endpoint.status;
      if (isNewDomain) await settleDomain(server, Identified.parse(JSON.parse(answer.text)).id, { key, query });
      // Otherwise the service fills the example while a later test compares snapshots.
      const isNewExample = endpoint.operationId === "createExampleWorkspace" && answer.status === endpoint.status;
      if (isNewExample) await eventually(snapshots.read, (snapshot) => !isFillingExample(snapshot));
      return answer;
    };
    const expectDone = (what: string, endpoint: Endpoint, { status, text }: PlainAnswer) =>
      expect({ what, status, text: status === endpoint.status ? "" : text }).toEqual({
        what,
        status: endpoint.status,
        text: "",
      });

    describe.each(keyedEndpoints)("%s", (_, endpoint) => {
      const isRead = endpoint.scope.endsWith(".read");
      const isOpenToViewers = isRead || endpoint.isAboutUser === true;
      const leastRole = endpoint.isForOwners === true ? "owner" : isOpenToViewers ? "viewer" : "member";

      test("refuses a missing, unknown, expired or revoked key with 401, and writes nothing", async () => {
        const before = await snapshots.read();

        for (const [what, key] of Object.entries(invalidKeys)) {
          expectRefusal(what, await call(endpoint, targets, key), [401]);
        }

        expect(changesBetween(before, await snapshots.read())).toEqual([]);
      });

      test(`refuses a key with every scope except ${endpoint.scope} with 403, and writes nothing`, async () => {
        const before = await snapshots.read();

        const answer = await call(endpoint, targets, keysWithout.get(endpoint.scope) ?? "");

        expectRefusal(endpoint.scope, answer, [403]);
        expect(answer.text).toContain(endpoint.scope);
        expect(changesBetween(before, await snapshots.read())).toEqual([]);
      });

      test("returns 404 for the workspaceId of a foreign workspace, and writes nothing", async () => {
        const before = await snapshots.read();

        expectRefusal(
          "foreign",
          await call(endpoint, targets, stranger.apiKey, `workspaceId=${owner.workspaceId}`),
          [404],
        );
        expectRefusal("own", await call(endpoint, targets, owner.apiKey, `workspaceId=${stranger.workspaceId}`), [404]);

        expect(changesBetween(before, await snapshots.read())).toEqual([]);
      });

      if (!isOpenToViewers) {
        test("refuses a viewer with 403, with a key of the workspace and with workspaceId, and writes nothing", async () => {
          const before = await snapshots.read();

          expectRefusal("own key", await call(endpoint, targets, viewer.apiKey), [403]);
          expectRefusal(
            "named",
            await call(endpoint, targets, viewer.apiKey, `workspaceId=${owner.workspaceId}`),
            [403],
          );

          expect(changesBetween(before, await snapshots.read())).toEqual([]);
        });
      }

      if (endpoint.isForOwners === true) {
        test("refuses a member with 403, and writes nothing", async () => {
          const before = await snapshots.read();

          expectRefusal("member", await call(endpoint, targets, member.apiKey), [403]);

          expect(changesBetween(before, await snapshots.read())).toEqual([]);
        });
      }

      test(`lets ${endpoint.isForOwners === true ? "an owner" : `a ${leastRole}`} call it with only the scope ${endpoint.scope}`, async () => {
        const workspace = await newTenant(server);
        const made = await makeTargetsOf(endpoint, server, workspace);
        const user = await newMember(server, workspace.workspaceId, leastRole);
        // Keys and members belong to users; everything else belongs to the workspace.
        const isLeaving = endpoint.operationId === "removeMember";
        const own = {
          ...made,
          ...(made.keyId === undefined ? {} : { keyId: (await newKey(user, {})).id }),
          ...(isLeaving ? { userId: user.userId } : {}),
        };
        // A key can only grant scopes that it has.
        const handedOn = Delegation.safeParse(endpoint.bodyExample).data?.scopes ?? [];
        const { key } = await newKey(user, { scopes: [endpoint.scope, ...handedOn] });

        expectDone("own key", endpoint, await call(endpoint, own, key));
      });

      test("lets a user of several workspaces call it in the workspace of workspaceId", async () => {
        const user = await newTenant(server);
        const { body } = await server.call("POST", "/workspaces", { key: user.apiKey, body: { name: "Second" } });
        const workspaceId = z.object({ id: z.int() }).parse(body).id;
        const there = await makeTargetsOf(endpoint, server, user, workspaceId);

        const isElsewhere = namesAnObject(endpoint) && !namesWorkspace(endpoint.path) && !opensBySecret(endpoint);
        if (isElsewhere) expectRefusal("elsewhere", await call(endpoint, there, user.apiKey), [404]);
        expectDone("there", endpoint, await call(endpoint, there, user.apiKey, `workspaceId=${workspaceId}`));
      });
    });
  });
}
