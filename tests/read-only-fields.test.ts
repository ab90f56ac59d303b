/** A client can send back what it has read with every PATCH and PUT, and nothing changes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { endpoints } from "../src/api/api.ts";
import type { Endpoint } from "../src/api/http/endpoint.ts";
import { newAuthenticator } from "./support/authenticator.ts";
import { newPerson } from "./support/dashboard.ts";
import { engines } from "./support/databases.ts";
import { fullLinkBody } from "./support/field-samples.ts";
import { makeTargets, pathOf, type Targets } from "./support/requests.ts";
import { ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

const Rows = z.array(z.looseObject({ id: z.string().optional(), userId: z.string().optional() }));
const Link = z.looseObject({ id: z.string(), url: z.string() });
const PasskeyOptions = z.looseObject({ challenge: z.string(), user: z.looseObject({ id: z.string() }) });
type Link = z.output<typeof Link>;

const changing = endpoints.filter(({ method, bodySchema }) => /^(patch|put)$/.test(method) && bodySchema !== undefined);
const isReadable = ({ path }: Endpoint) => endpoints.some((one) => one.method === "get" && one.path === path);

/** Operations without GET on their path; separate tests below. */
const others = ["updateMember", "updateApiKey", "upsertLink", "updateLinks"];
/** Operations whose body is not an object that was read. */
const exempt: Record<string, string> = {
  setUserAvatar: "takes an image, which is served as a file",
  setWorkspaceAvatar: "takes an image, which is served as a file",
};

test("every PATCH and PUT is tested here", () => {
  const untested = changing.filter((endpoint) => !isReadable(endpoint)).map(({ operationId }) => operationId);

  expect(untested.toSorted()).toEqual([...others, ...Object.keys(exempt)].toSorted());
});

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    let targets: Targets;
    beforeAll(async () => {
      server = await startService({}, engine);
      targets = await makeTargets(server);
    });
    afterAll(() => server.remove());

    const call = (method: string, path: string, body?: unknown, key = ownerKey) =>
      server.call(method, path, { key, ...(body === undefined ? {} : { body }) });

    /** A link with every field set, as GET returns it. */
    async function fullLink(more: object = {}): Promise<Link> {
      const { body: tag } = await call("GET", `/tags/${targets.tagId}`);
      const objects = {
        ...{ tag: z.looseObject({ id: z.string() }).parse(tag), folder: { id: targets.folderId } },
        ...{ slug: targets.slug, linkId: targets.linkId },
      };
      const unique = { url: `https://example.com/${crypto.randomUUID()}`, key: crypto.randomUUID() };
      const body = { ...fullLinkBody(objects), ...unique, ...more };
      const { id } = Link.parse((await call("POST", "/links", body)).body);
      return await read(id);
    }
    const read = async (id: string) => Link.parse((await call("GET", `/links/${id}`)).body);

    const own = ["/links/{linkId}", "/user", "/user/passkeys/{id}"];
    const readable = changing.filter(isReadable).filter(({ path }) => !own.includes(path));
    test.each(readable.map((endpoint) => [endpoint.operationId, endpoint] as const))(
      "%s accepts the response of GET",
      async (_, endpoint) => {
        const path = pathOf(endpoint, targets);
        const { body: before } = await call("GET", path);

        const answer = await call(endpoint.method.toUpperCase(), path, before);

        expect([answer.status, answer.body]).toEqual([200, before]);
      },
    );

    test.each(["PATCH", "PUT"])("%s of a link accepts the response of GET", async (method) => {
      const link = await fullLink({ externalId: crypto.randomUUID() });

      const answer = await call(method, `/links/${link.id}`, link);

      expect([answer.status, answer.body]).toEqual([200, link]);
      expect((await call("GET", `/links/${link.id}/history`)).body).toBeArrayOfSize(1);
    });

    test("a signed-in user can send back a passkey", async () => {
      const { dashboard, password: currentPassword } = await newPerson(server);
      const key = await dashboard.token();
      const begun = await call("POST", "/user/passkeys/options", { currentPassword }, key);
      const page = { origin: server.url.replace("127.0.0.1", "localhost"), host: "localhost" };
      const made = newAuthenticator(page).create(PasskeyOptions.parse(begun.body));
      const { body: before } = await call("POST", "/user/passkeys", { name: "Phone", ...made }, key);
      const { id } = z.object({ id: z.string() }).parse(before);

      const answer = await call("PATCH", `/user/passkeys/${id}`, before, key);

      expect([answer.status, answer.body]).toEqual([200, before]);
    });

    test("a signed-in user can send back their own user", async () => {
      const { dashboard } = await newPerson(server);
      const key = await dashboard.token();
      const { body: before } = await call("GET", "/user", undefined, key);

      const answer = await call("PATCH", "/user", before, key);

      expect([answer.status, answer.body]).toEqual([200, before]);
    });

    test.each([
      ["updateMember", (at: Targets) => [`/workspaces/${at.workspaceId}/members`, at.userId]],
      ["updateApiKey", (at: Targets) => ["/api-keys", at.keyId]],
    ] as const)("%s accepts what its list answers, and refuses another value", async (_, pathsOf) => {
      const [list = "", id] = pathsOf(targets);
      const rows = Rows.parse((await call("GET", list)).body);
      const before = rows.find((row) => row.id === id || row.userId === id);

      const answer = await call("PATCH", `${list}/${id}`, before);
      const refused = await call("PATCH", `${list}/${id}`, { ...before, createdAt: "2020-01-01T00:00:00.000Z" });

      expect([answer.status, answer.body]).toEqual([200, before]);
      expect([refused.status, refused.body]).toMatchObject([422, { error: { message: readOnly("createdAt") } }]);
    });

    test.each([
      ["url", () => ({ externalId: null })],
      ["external id", () => ({ externalId: crypto.randomUUID() })],
    ])("an upsert by %s accepts the response of GET, and refuses another value", async (_, more) => {
      const link = await fullLink(more());

      const answer = await call("PUT", "/links/upsert", link);
      const refused = await call("PUT", "/links/upsert", { ...link, id: "link_1" });

      expect([answer.status, answer.body]).toEqual([200, link]);
      expect([refused.status, refused.body]).toMatchObject([422, { error: { message: readOnly("id") } }]);
      expect((await call("GET", `/links/${link.id}/history`)).body).toBeArrayOfSize(1);
    });

    test("an upsert that would create a link refuses read-only fields", async () => {
      const link = await fullLink();
      const url = `https://example.com/${crypto.randomUUID()}`;

      const answer = await call("PUT", "/links/upsert", { ...link, externalId: null, url });

      expect([answer.status, answer.body]).toMatchObject([
        422,
        { error: { message: expect.stringContaining("id: is read-only; leave it out, or send its current value; ") } },
      ]);
    });

    test("a bulk update of one link accepts the response of GET", async () => {
      const link = await fullLink({ externalId: crypto.randomUUID() });

      for (const names of [{ linkIds: [link.id] }, { externalIds: [link["externalId"]] }]) {
        const answer = await call("PATCH", "/links/bulk", { ...names, data: link });

        expect([answer.status, answer.body]).toEqual([200, [link]]);
      }
      expect((await call("GET", `/links/${link.id}/history`)).body).toBeArrayOfSize(1);
    });

    test("a bulk update accepts only read-only fields that are equal in all of its links", async () => {
      const [one, other] = [await fullLink(), await fullLink()];
      const update = (data: object) => call("PATCH", "/links/bulk", { linkIds: [one.id, other.id], data });

      const accepted = await update({ workspaceId: one["workspaceId"], domain: one["domain"], title: "Both" });
      const refused = await update({ id: one.id, title: "None" });

      expect([accepted.status, accepted.body]).toMatchObject([200, [{ title: "Both" }, { title: "Both" }]]);
      expect([refused.status, refused.body]).toMatchObject([422, { error: { message: readOnly("data.id") } }]);
      expect(await read(one.id)).toMatchObject({ title: "Both" });
    });
  });
}

function readOnly(field: string): string {
  return `${field}: is read-only; leave it out, or send its current value.`;
}
