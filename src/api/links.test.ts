import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestDatabase, testDatabase } from "../../tests/support/databases.ts";
import type { Actor } from "../access/actor.ts";
import { insertUser } from "../access/users.ts";
import { insertWorkspace } from "../access/workspaces.ts";
import type { App } from "../app.ts";
import { Problem } from "../base/problem.ts";
import { readConfig } from "../config.ts";
import { insertDomain } from "../domains/domains.ts";
import { fieldEntries } from "../links/fields.ts";
import { LinkQueries } from "../links/link-queries.ts";
import { shortLinkOf } from "../links/short-link.ts";
import type { Lookup } from "../redirects/lookup.ts";
import { openSqliteLookup } from "../redirects/lookup-sqlite.ts";
import type { Endpoint } from "./http/endpoint.ts";
import { prepare } from "./http/prepare.ts";
import { linkHistoryEndpoints } from "./link-history.ts";
import { Link } from "./link-schemas.ts";
import { linkEndpoints } from "./links.ts";

let testing: TestDatabase;
let app: Pick<App, "config" | "db" | "database" | "linkQueries" | "now"> & {
  redirects: Pick<App["redirects"], "lookup">;
};
let lookup: Lookup;
let actor: Actor;

beforeAll(async () => {
  testing = await testDatabase("sqlite");
  const { db } = testing.database;
  const config = readConfig({ WAYPOST_URL: "http://localhost:3000" });
  const { sqlite } = testing.database;
  if (sqlite === undefined) throw new Error("The test needs SQLite.");
  lookup = openSqliteLookup(sqlite, "");
  app = {
    config,
    db,
    database: testing.database,
    now: Date.now,
    linkQueries: new LinkQueries(testing.database),
    redirects: { lookup },
  };
  actor = await db.transaction().execute(async (tx) => {
    const userId = await insertUser(tx, { email: null, name: "U", passwordHash: null }, 1);
    const workspaceId = await insertWorkspace(tx, userId, "W", 1);
    return { userId, workspaceId, role: "owner", scopes: null, expiresAt: null };
  });
  const settings = { archived: 0, caseSensitive: 0, honorDoNotTrack: 0, placeholder: null, expiredUrl: null } as const;
  const texts = { notFoundUrl: null, logo: null, assetLinks: null, appleAppSiteAssociation: null };
  for (const [slug, isInstance] of [
    ["go.example.com", 0],
    ["localhost", 1],
  ] as const) {
    await db
      .transaction()
      .execute((tx) => insertDomain(tx, actor, { slug, status: "verified", isInstance }, { ...settings, ...texts }, 1));
  }
});

afterAll(async () => {
  await lookup.close();
  await testing.close();
});

/** Calls an operation as the dispatcher does, through JSON; a problem is returned as its code and message. */
async function call(
  operationId: string,
  { path = {}, query = {}, body = undefined as unknown } = {},
): Promise<unknown> {
  const endpoints: Endpoint[] = [...linkEndpoints, ...linkHistoryEndpoints];
  const endpoint = endpoints.find((candidate) => candidate.operationId === operationId);
  if (endpoint === undefined) throw new Error(`no operation ${operationId}`);
  try {
    // The handlers use no other part of App.
    const request = new Request("http://localhost/v1");
    const work = await prepare(endpoint, app as App, {
      actor,
      path,
      query,
      body,
      spend() {},
      request,
      address: "",
      holdOpen() {},
    });
    const { content } = await work();
    return JSON.parse(JSON.stringify(content.kind === "json" ? content.value : content));
  } catch (error) {
    if (error instanceof Problem) return `${error.code} ${error.message}`;
    throw error;
  }
}

const create = async (body: unknown) => Link.parse(await call("createLink", { body }));

test("a link in a response has every field of the contract and no other", async () => {
  const link = await call("createLink", { body: { url: "https://example.com/?a=1", key: "full" } });

  const { id, createdAt, updatedAt } = Link.parse(link);
  expect(id).toMatch(/^link_[0-9A-Z]{26}$/);
  expect(updatedAt).toBe(createdAt);
  expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const unsetFields = fieldEntries.flatMap(([name, field]) =>
    field.isOmittedWhenUnset ? [] : [[name, field.kind === "flag" ? false : null]],
  );
  const zeros = ["clicks", "leads", "conversions", "sales", "saleAmount"];
  expect(link).toStrictEqual({
    ...Object.fromEntries(unsetFields),
    ...{ folderId: null, password: null, lastClicked: null, tagId: null },
    ...Object.fromEntries(zeros.map((name) => [name, 0])),
    id,
    createdAt,
    updatedAt,
    domain: "go.example.com",
    key: "full",
    url: "https://example.com/?a=1",
    shortLink: "https://go.example.com/full",
    qrCode: "http://localhost:3000/v1/qr?url=https%3A%2F%2Fgo.example.com%2Ffull%3Fqr%3D1",
    tags: [],
    webhookIds: [],
    userId: actor.userId,
    workspaceId: String(actor.workspaceId),
    projectId: String(actor.workspaceId),
  });
});

test("our own fields appear once they are set", async () => {
  const link = await create({ url: "example.com", startsAt: "2027-01-31", redirectStatus: 308 });

  expect(link).toMatchObject({ startsAt: "2027-01-31T00:00:00.000Z", redirectStatus: 308 });
});

describe("a short link is a URL", () => {
  const cases: [string, string, boolean, string, string][] = [
    ["go.example.com", "a/b", false, "https://links.example.com", "https://go.example.com/a/b"],
    ["go.example.com", "_root", false, "https://links.example.com", "https://go.example.com"],
    [
      "go.example.com",
      "Straße🔥",
      false,
      "https://links.example.com",
      "https://go.example.com/Stra%C3%9Fe%F0%9F%94%A5",
    ],
    ["localhost", "a", true, "http://localhost:3000", "http://localhost:3000/a"],
    ["localhost", "_root", true, "http://localhost:3000", "http://localhost:3000"],
    ["links.example.com", "a", true, "https://links.example.com", "https://links.example.com/a"],
  ];
  for (const [domain, key, isOnInstanceDomain, appUrl, expected] of cases) {
    test(`${domain} ${key} ${appUrl}`, () => {
      expect(shortLinkOf({ domain, key, isOnInstanceDomain }, new URL(appUrl))).toBe(expected);
      expect(URL.canParse(expected)).toBe(true);
    });
  }
});

describe("a body of a wrong type is refused with the field's name", () => {
  const bodies: [string, unknown][] = [
    ["url", {}],
    ["url", { url: null }],
    ["url", { url: 1 }],
    ["url", { url: ["https://example.com"] }],
    ["body", []],
    ["body", null],
    ["body", "https://example.com"],
    ["body", undefined],
    ["key", { url: "example.com", key: 1 }],
    ["keyLength", { url: "example.com", keyLength: "7" }],
    ["keyLength", { url: "example.com", keyLength: 2 }],
    ["keyLength", { url: "example.com", keyLength: 7.5 }],
    ["archived", { url: "example.com", archived: "true" }],
    ["archived", { url: "example.com", archived: null }],
    ["expiresAt", { url: "example.com", expiresAt: "soon" }],
    ["expiresAt", { url: "example.com", expiresAt: 1 }],
    ["geo", { url: "example.com", geo: "DE" }],
    ["geo.DE", { url: "example.com", geo: { DE: 1 } }],
    [
      "testVariants",
      { url: "example.com", trackConversion: true, testVariants: [{ url: "a.example", percentage: 50 }] },
    ],
    ["tagIds", { url: "example.com", tagIds: 1 }],
    ["tagIds", { url: "example.com", tagIds: "tag_1,tag_2" }],
    ["utm_source", { url: "example.com", utm_source: "x".repeat(256) }],
    ["redirectStatus", { url: "example.com", redirectStatus: 303 }],
    ["externalId", { url: "example.com", externalId: "" }],
    ["comments", { url: "example.com", comments: {} }],
  ];
  for (const [field, body] of bodies) {
    test(JSON.stringify(body) ?? "undefined", async () => {
      expect(await call("createLink", { body })).toStartWith(`unprocessable_entity ${field}`);
    });
  }
});

test("unknown fields that an SDK sends are accepted, and so are null and empty values", async () => {
  const body = {
    url: "example.com",
    unknown: { x: 1 },
    webhookIds: null,
    tagIds: "",
    tagNames: [],
    tagId: null,
    folderId: "",
    externalId: null,
    title: null,
    geo: null,
    testVariants: null,
    expiresAt: null,
    utm_source: "",
    ref: null,
    programId: "p",
  };

  expect(await create(body)).toMatchObject({ url: "https://example.com", programId: "p", tags: [] });
});

test("update, delete and all reads find the same link", async () => {
  const { id } = await create({ url: "example.com", key: "same", externalId: "e1" });

  const updated = await call("updateLink", { path: { linkId: "ext_e1" }, body: { title: "T" } });
  const put = await call("putLink", { path: { linkId: id }, body: { comments: "C" } });

  expect(updated).toMatchObject({ id, title: "T", comments: null });
  expect(put).toMatchObject({ id, title: "T", comments: "C" });
  expect(await call("getLink", { path: { linkId: id } })).toEqual(put);
  expect(await call("findLink", { query: { domain: "GO.example.com", key: "SAME" } })).toEqual(put);
  expect(await call("listLinks", { query: { search: "same", showArchived: "false", pageSize: "100" } })).toEqual([put]);
  expect(await call("countLinks", { query: { search: "same", withTags: "false" } })).toBe(1);
  expect(await call("deleteLink", { path: { linkId: "ext_e1" } })).toStrictEqual({ id });
  expect(await call("deleteLink", { path: { linkId: id } })).toStartWith("not_found");
});

test("a history shows rules as a link does", async () => {
  const rules = [{ when: { country: "DE", before: "2027-01-31T12:00:00.000Z" }, url: "https://example.com/de" }];
  const { id } = await create({ url: "example.com", rules });
  await call("updateLink", { path: { linkId: id }, body: { rules: null } });

  const history = await call("listLinkHistory", { path: { linkId: id }, query: { page: "1", pageSize: "1" } });

  expect(history).toMatchObject([{ before: { rules }, after: { rules: null } }]);
});

test("query values out of range are refused; unknown parameters are left to the check of unused names", async () => {
  const queries = [{ page: "1001" }, { page: "0" }, { pageSize: "101" }, { sortBy: "name" }, { showArchived: "1" }];
  for (const query of queries) {
    expect(await call("listLinks", { query })).toStartWith(`unprocessable_entity ${Object.keys(query)[0]}`);
  }
  expect(await call("listLinks", { query: { pageSize: "1", unknown: "x" } })).toBeArrayOfSize(1);
});

test("fixed paths take precedence over the path with a parameter", () => {
  const paths = linkEndpoints.filter(({ method }) => method === "get").map(({ path }) => path);

  expect(paths).toEqual(["/links", "/links/count", "/links/exists", "/links/info", "/links/{linkId}"]);
});

test("the examples match the schemas", () => {
  for (const { responseSchema, responseExample, bodySchema, bodyExample } of linkEndpoints) {
    expect(responseSchema.safeParse(responseExample).error).toBeUndefined();
    expect(bodySchema?.safeParse(bodyExample).error).toBeUndefined();
  }
});
