/**
 * Every field that the reference documents for a body is written and read back: by creation, upsert, update, bulk
 * requests and revert. The fields come from the OpenAPI document, so a field without a sample fails, and so does an
 * operation that is in none of the tables.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { endpoints } from "../src/api/api.ts";
import { newPerson, openDashboard } from "./support/dashboard.ts";
import { engines } from "./support/databases.ts";
import { documentedFields } from "./support/documented-fields.ts";
import { linkSamples, ownWorkspace, type Sample, type SampleObjects, samplesOf } from "./support/field-samples.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newMember, newTenant, type Tenant } from "./support/tenants.ts";

/** Operations that write links; each has a test below. */
const linkOperations = ["createLink", "updateLink", "putLink", "upsertLink", "createLinks", "updateLinks"];

/** Operations whose bodies have no field that can be read back. */
const otherOperations: Record<string, string> = {
  resolveLink: "changes nothing",
  unlockShared: "changes nothing",
  undoLinkChanges: "names changes of links, whose fields undo-changes.test.ts reads",
  setWorkspaceAvatar: "takes an image, which workspaces.test.ts reads",
  setUserAvatar: "takes an image, which user-avatars.test.ts reads",
  beginOneTimeCodes: "confirms a password",
  confirmOneTimeCodes: "names a code, which one-time-codes.test.ts reads",
  turnOffOneTimeCodes: "confirms a password",
  renewRecoveryCodes: "confirms a password",
  disconnectIdentity: "confirms a password",
  beginPasskey: "confirms a password",
  addPasskey: "takes the response of an authenticator, which passkeys.test.ts reads",
  renamePasskey: "renames a passkey, which passkeys.test.ts reads",
  removePasskey: "confirms a password",
  deleteUser: "confirms an address, which administration.test.ts reads",
  transferWorkspace: "names a user, whom administration.test.ts reads",
  setWorkspaceLimits: "sets limits as an administrator, which limits.test.ts reads",
  block: "blocks for the whole instance; administration.test.ts reads it",
  reviewMemberships: "names workspaces to leave, which verified-emails.test.ts reads",
};

/** Operations on users; each has a test at the end. */
const personOperations = { updateMember: ["role"], updateUser: ["currentPassword", "email", "name", "password"] };

const withBodies = endpoints.filter(({ bodySchema }) => bodySchema !== undefined).map(({ operationId }) => operationId);

test("every operation with a body is in a table of this file", () => {
  const inTables = [otherOperations, samplesOf, personOperations].flatMap((table) => Object.keys(table));
  const listed = [...linkOperations, ...inTables];
  expect(listed.toSorted()).toEqual(withBodies.toSorted());
});

test.each([...Object.keys(samplesOf), "createLink", "upsertLink", "updateLink", "putLink"])(
  "every field of %s has a sample, and every sample has a field",
  (operationId) => {
    const { samples } = samplesOf[operationId] ?? { samples: linkSamples };
    const documented = documentedFields(operationId);
    // Fields that only a creation accepts are not among the fields of a change.
    const expected = Object.keys(samples).filter(
      (field) => operationId in samplesOf || documented.includes(field) || linkSamples[field]?.isForCreation !== true,
    );
    expect(documented.toSorted()).toEqual(expected.toSorted());
  },
);

test.each(Object.entries(personOperations))("every field of %s is tested", (operationId, fields) => {
  expect(documentedFields(operationId).toSorted()).toEqual(fields);
});

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    let tenant: Tenant;
    let objects: SampleObjects;

    beforeAll(async () => {
      server = await startService({}, engine);
      tenant = await newTenant(server);
      objects = await makeObjects();
    });

    afterAll(() => server.remove());

    async function send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
      const answer = await server.call(method, path, { key: tenant.apiKey, ...(body === undefined ? {} : { body }) });
      const exchange = { method, path, body, answer: answer.body };
      expect({ ...exchange, isSuccess: answer.status < 300 }).toEqual({ ...exchange, isSuccess: true });
      return (Array.isArray(answer.body) ? answer.body[0] : answer.body) as Record<string, unknown>;
    }

    async function makeObjects(): Promise<SampleObjects> {
      const tag = await send("POST", "/tags", { name: "Sample", color: "red" });
      const folder = await send("POST", "/folders", { name: "Sample" });
      const slug = `${crypto.randomUUID()}.example.com`;
      await send("POST", "/domains", { slug: `primary.${slug}` });
      await send("POST", "/domains", { slug });
      const { id: linkId } = await send("POST", "/links", { url: "https://example.com/" });
      const { id: shareId } = await send("POST", "/shares", { linkId });
      return { tag, folder, slug, linkId, shareId };
    }

    const inAll = Object.entries(linkSamples);
    const inUpdates = inAll.filter(([, { isForCreation }]) => isForCreation !== true);
    const inBulkUpdates = inUpdates.filter(([field]) => documentedFields("updateLinks", "data").includes(field));
    const newUrl = () => `https://example.com/${crypto.randomUUID()}`;
    const bare = () => send("POST", "/links", { url: newUrl() });
    const written = (field: string, sample: Sample) => {
      const value = sample.value(objects);
      return { body: { ...sample.with, [field]: value }, shown: sample.shown?.(objects, value) ?? { [field]: value } };
    };

    test.each(inAll)("a link created with %s has it", async (field, sample) => {
      const { body, shown } = written(field, sample);

      const { id } = await send("POST", "/links", { url: newUrl(), ...body });

      expect(await send("GET", `/links/${id}`)).toMatchObject(shown);
      await send("DELETE", `/links/${id}`);
    });

    test.each(inAll)("a link created in bulk with %s has it", async (field, sample) => {
      const { body, shown } = written(field, sample);

      const { id } = await send("POST", "/links/bulk", [{ url: newUrl(), ...body }]);

      expect(await send("GET", `/links/${id}`)).toMatchObject(shown);
      await send("DELETE", `/links/${id}`);
    });

    test.each(inAll)("a link created by an upsert with %s has it", async (field, sample) => {
      const { body, shown } = written(field, sample);

      const { id } = await send("PUT", "/links/upsert", { url: newUrl(), ...body });

      expect(await send("GET", `/links/${id}`)).toMatchObject(shown);
      await send("DELETE", `/links/${id}`);
    });

    // These two select the link.
    test.each(inUpdates.filter(([field]) => field !== "url" && field !== "externalId"))(
      "an upsert that finds a link changes its %s",
      async (field, sample) => {
        const { body, shown } = written(field, sample);
        const { id, url } = await bare();

        const upserted = await send("PUT", "/links/upsert", { url, ...body });

        expect(upserted["id"]).toBe(id);
        expect(await send("GET", `/links/${id}`)).toMatchObject(shown);
        await send("DELETE", `/links/${id}`);
      },
    );

    test.each(inUpdates)("%s changes by PATCH and by PUT, and a revert restores it", async (field, sample) => {
      const { body, shown } = written(field, sample);
      for (const method of ["PATCH", "PUT"]) {
        const { id } = await bare();
        const before = await send("GET", `/links/${id}`);

        await send(method, `/links/${id}`, body);
        expect(await send("GET", `/links/${id}`)).toMatchObject(shown);

        const change = await send("GET", `/links/${id}/history`);
        if (sample.cannotRevert === true) continue;
        await send("POST", `/links/${id}/history/${change["id"]}/revert`);
        const { updatedAt: _, ...reverted } = await send("GET", `/links/${id}`);
        const { updatedAt: __, ...former } = before;
        expect(reverted).toEqual(former);
        await send("DELETE", `/links/${id}`);
      }
    });

    test.each(inBulkUpdates)("%s changes in bulk", async (field, sample) => {
      const { body, shown } = written(field, sample);
      const { id } = await bare();

      await send("PATCH", "/links/bulk", { linkIds: [id], data: body });

      expect(await send("GET", `/links/${id}`)).toMatchObject(shown);
      await send("DELETE", `/links/${id}`);
    });

    const fieldsOfOthers = Object.entries(samplesOf).flatMap(([operationId, operation]) =>
      Object.entries(operation.samples).map(([field, sample]) => ({ operationId, operation, field, sample })),
    );

    test.each(fieldsOfOthers)("$operationId writes $field", async ({ operation, field, sample }) => {
      const { required, list, change } = operation;
      const inOwn = (text: string) => text.replace(ownWorkspace, String(tenant.workspaceId));
      const make = inOwn(operation.make);
      const path = (object: Record<string, unknown>) => inOwn(operation.path(object));
      const target = change === undefined ? undefined : await send("POST", make, required(objects));
      const value = sample.value(objects);
      const shown = sample.shown?.(objects, value) ?? { [field]: value };
      const body = { ...sample.with, [field]: value };

      const changed =
        change === undefined
          ? await send("POST", make, { ...required(objects), ...body })
          : await send(change, path(target ?? {}), body);

      if (list === undefined) expect(await send("GET", path(changed))).toMatchObject(shown);
      else {
        const { body: rows } = await server.call("GET", inOwn(list), { key: tenant.apiKey });
        expect(rows).toContainEqual(expect.objectContaining({ id: changed["id"], ...shown }));
      }
    });

    test("updateMember writes role", async () => {
      const { userId } = await newMember(server, tenant.workspaceId, "member");
      const members = `/workspaces/${tenant.workspaceId}/members`;

      await send("PATCH", `${members}/${userId}`, { role: "viewer" });

      const { body: rows } = await server.call("GET", members, { key: tenant.apiKey });
      expect(rows).toContainEqual(expect.objectContaining({ userId, role: "viewer" }));
    });

    test("updateUser writes name, email and password", async () => {
      const { dashboard, password } = await newPerson(server);
      const key = await dashboard.token();
      const email = `${crypto.randomUUID()}@example.com`;
      const change = (body: object) => server.call("PATCH", "/user", { key, body });

      await change({ name: "Another name" });
      await change({ email, currentPassword: password });
      await change({ password: { current: password, new: "another password" } });

      expect((await server.call("GET", "/user", { key })).body).toMatchObject({ name: "Another name", email });
      const signedIn = await openDashboard(server).signIn({ email, password: "another password" });
      expect(signedIn.status).toBe(200);
    });
  });
}
