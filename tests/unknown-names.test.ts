/** Misspelled fields and parameters are refused; names of Dub's clients and unchanged read-only fields are accepted. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { endpoints } from "../src/api/api.ts";
import { namesOf } from "../src/api/http/unused-names.ts";
import { engines } from "./support/databases.ts";
import { fullLinkBody, type SampleObjects } from "./support/field-samples.ts";
import { makeTargets, type Targets } from "./support/requests.ts";
import type { TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";
import { newTenant, type Tenant } from "./support/tenants.ts";

const url = "https://example.com/";

/** TABLE of requests with unknown names, and their messages. */
const misspelled: [string, string, unknown, string][] = [
  [
    "POST",
    "/links",
    { url, expiresat: "2030-01-01", max_clicks: 3 },
    "expiresat: unknown field; did you mean expiresAt?; max_clicks: unknown field; did you mean maxClicks?",
  ],
  ["POST", "/links", { url, robots: "none", id: "link_1" }, "robots: unknown field; id: unknown field."],
  ["POST", "/links/bulk", [{ url }, { url, tagid: "x" }], "1.tagid: unknown field; did you mean tagId?"],
  ["PUT", "/links/upsert", { url, "max clicks": 1 }, '"max clicks": unknown field; did you mean maxClicks?'],
  ["PATCH", "/links/bulk", { linkIds: ["a"], data: { Title: "x" } }, "data.Title: unknown field; did you mean title?"],
  [
    "POST",
    "/links",
    { url, rules: [{ when: { contry: "DE" }, url }] },
    "rules.0.when.contry: unknown field; did you mean country?",
  ],
  ["POST", "/folders", { name: "a", parentId: "fold_1" }, "parentId: unknown field."],
  ["POST", "/links", { url, ["x".repeat(70)]: 1 }, `"${"x".repeat(64)}…": unknown field.`],
  ["GET", "/links?expired=true", undefined, "expired: unknown query parameter."],
  ["GET", "/links?excludeTags=", undefined, "excludeTags: unknown query parameter."],
  ["GET", "/links?archived=true", undefined, "archived: unknown query parameter; did you mean showArchived?"],
  ["GET", "/analytics?groupby=count", undefined, "groupby: unknown query parameter; did you mean groupBy?"],
  ["DELETE", "/tags/tag_1?force=true", undefined, "force: unknown query parameter."],
];

/** TABLE of operations, and the file and type of their parameters in Dub's SDK. */
const sdkTypes: Record<string, [string, string]> = {
  createLink: ["createlink", "CreateLinkRequestBody"],
  listLinks: ["getlinks", "GetLinksRequest"],
  countLinks: ["getlinkscount", "GetLinksCountRequest"],
  findLink: ["getlinkinfo", "GetLinkInfoRequest"],
  upsertLink: ["upsertlink", "UpsertLinkRequestBody"],
  updateLink: ["updatelink", "UpdateLinkRequestBody"],
  createLinks: ["bulkcreatelinks", "RequestBody"],
  updateLinks: ["bulkupdatelinks", "BulkUpdateLinksRequestBody"],
  deleteLinks: ["bulkdeletelinks", "BulkDeleteLinksRequest"],
  retrieveAnalytics: ["retrieveanalytics", "RetrieveAnalyticsRequest"],
  listEvents: ["listevents", "ListEventsRequest"],
  createTag: ["createtag", "CreateTagRequestBody"],
  listTags: ["gettags", "GetTagsRequest"],
  updateTag: ["updatetag", "UpdateTagRequestBody"],
  createFolder: ["createfolder", "CreateFolderRequestBody"],
  listFolders: ["listfolders", "ListFoldersRequest"],
  updateFolder: ["updatefolder", "UpdateFolderRequestBody"],
  createDomain: ["createdomain", "CreateDomainRequestBody"],
  listDomains: ["listdomains", "ListDomainsRequest"],
  updateDomain: ["updatedomain", "UpdateDomainRequestBody"],
  getQrCode: ["getqrcode", "GetQRCodeRequest"],
};

test.each(Object.entries(sdkTypes))("%s knows every name that Dub's SDK can send", (operationId, [file, type]) => {
  const endpoint = endpoints.find((candidate) => candidate.operationId === operationId);
  const path = join(import.meta.dir, `../node_modules/dub/dist/esm/models/operations/${file}.d.ts`);
  const declared = new RegExp(`export type ${type}\\$Outbound = \\{([\\s\\S]*?)\\n\\};`).exec(
    readFileSync(path, "utf8"),
  );
  const sent = [...(declared?.[1] ?? "").matchAll(/^ {4}(\w+)\??:/gm)].map(([, name = ""]) => name);
  const known = [...namesOf(endpoint?.querySchema), ...namesOf(endpoint?.bodySchema)];

  expect(sent).not.toEqual([]);
  expect(sent.filter((name) => !known.includes(name))).toEqual([]);
});

const Link = z.looseObject({ id: z.string(), key: z.string(), clicks: z.int(), tags: z.array(z.unknown()) });

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    let tenant: Tenant;
    let targets: Targets;

    beforeAll(async () => {
      server = await startService({}, engine);
      tenant = await newTenant(server);
      targets = await makeTargets(server, tenant);
    });

    afterAll(() => server.remove());

    const call = (method: string, path: string, body?: unknown) =>
      server.call(method, path, { key: tenant.apiKey, ...(body === undefined ? {} : { body }) });

    /** A link with every field set, as GET returns it. */
    async function fullLink() {
      const tag = z.looseObject({ id: z.string() }).parse((await call("GET", `/tags/${targets.tagId}`)).body);
      const folder = { id: targets.folderId };
      const objects: SampleObjects = { tag, folder, slug: targets.slug, linkId: targets.linkId };
      const made = Link.parse((await call("POST", "/links", fullLinkBody(objects))).body);
      return Link.parse((await call("GET", `/links/${made.id}`)).body);
    }

    test.each(misspelled)("%s %s with unknown names is refused", async (method, path, body, message) => {
      const answer = await call(method, path, body);

      expect([answer.status, answer.body]).toMatchObject([422, { error: { code: "unprocessable_entity", message } }]);
    });

    test("a body with a thousand misspelled names is refused with the first five, in a short message", async () => {
      const names = Array.from({ length: 1_000 }, (_, index) => `expiresat${index}${"x".repeat(150)}`);

      const { status, body } = await call("POST", "/links", {
        url,
        ...Object.fromEntries(names.map((name) => [name, 1])),
      });

      const { message } = z.object({ error: z.object({ message: z.string() }) }).parse(body).error;
      const shown = message.matchAll(/expiresat\d+/g).map(([name]) => name);
      expect([status, ...shown]).toEqual([422, ...[0, 1, 2, 3, 4].map((index) => `expiresat${index}`)]);
      expect(message.length).toBeLessThan(1_000);
    });

    test("a list in a query can have the names of PHP and Rails", async () => {
      const tagged = Link.parse((await call("POST", "/links", { url, tagIds: [targets.tagId] })).body);

      for (const name of ["tagIds", "tagIds[]", "tagIds[0]"]) {
        const { body } = await call("GET", `/links?${encodeURIComponent(name)}=${targets.tagId}`);
        expect({
          name,
          ids: z
            .array(Link)
            .parse(body)
            .map(({ id }) => id),
        }).toEqual({ name, ids: [tagged.id] });
      }
      await call("DELETE", `/links/${tagged.id}`);
    });

    test("a name of Dub's API without an effect here is accepted, and the response names it", async () => {
      const made = await call("POST", "/links", { url, webhookIds: ["hook_1"], identifier: null });
      const bulk = await call("POST", "/links/bulk", [
        { url, webhookIds: [] },
        { url, webhookIds: [] },
      ]);
      const domain = await call("PATCH", `/domains/${targets.slug}`, { deepviewData: "{}" });
      const report = await call("GET", "/analytics?saleType=new&query=metadata");
      const plain = await call("POST", "/links", { url });

      const named = [made, bulk, domain, report, plain].map(({ status, headers }) => [
        status,
        headers.get("waypost-ignored"),
      ]);
      expect(named).toEqual([
        [200, "webhookIds, identifier"],
        [200, "webhookIds"],
        [200, "deepviewData"],
        [200, "saleType, query"],
        [200, null],
      ]);
      expect(made.body).toMatchObject({ webhookIds: [] });
    });

    test.each(["PUT", "PATCH"])(
      "a link that sets every field and is sent back by %s stays as it is",
      async (method) => {
        const link = await fullLink();

        const answer = await call(method, `/links/${link.id}`, link);

        expect([answer.status, answer.body]).toEqual([200, link]);
        expect((await call("GET", `/links/${link.id}/history`)).body).toBeArrayOfSize(1);
        await call("DELETE", `/links/${link.id}`);
      },
    );

    test.each([
      ["id", "link_1"],
      ["shortLink", "https://example.com/x"],
      ["createdAt", "2020-01-01T00:00:00.000Z"],
      ["tags", []],
      ["clicks", 1],
      ["clicks", -1],
      ["updatedAt", "2999-01-01T00:00:00.000Z"],
      ["workspaceId", "999"],
    ])("a changed read-only field is refused: %s", async (field, value) => {
      const link = await fullLink();

      const answer = await call("PATCH", `/links/${link.id}`, { ...link, [field]: value });

      const message = `${field}: is read-only; leave it out, or send its current value.`;
      expect([answer.status, answer.body]).toMatchObject([422, { error: { message } }]);
      await call("DELETE", `/links/${link.id}`);
    });

    test("a read-only field in an upsert that finds no link is refused as read-only", async () => {
      const answer = await call("PATCH", "/links/link_1", { id: "link_1" });

      expect(answer.status).toBe(404);
    });
  });
}
