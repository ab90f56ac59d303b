/** `ETag`, `If-None-Match` and `If-Match`: no client overwrites a change that it has not read. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { engines } from "./support/databases.ts";
import { makeTargets, makeTargetsOf, namedEndpoints, refusalOf, type Targets, urlOf } from "./support/requests.ts";
import { eventually, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

/** Paths of objects that have GET, and PATCH, PUT or DELETE. */
const changing = namedEndpoints.filter(([, { method }]) => ["patch", "put", "delete"].includes(method));
const readable = new Set(namedEndpoints.filter(([, { method }]) => method === "get").map(([, { path }]) => path));
const guarded = changing.filter(([, { path }]) => readable.has(path));

for (const engine of engines) {
  describe(engine, () => {
    let server: TestService;
    let targets: Targets;

    beforeAll(async () => {
      server = await startService({}, engine);
      targets = await makeTargets(server);
    });
    afterAll(() => server.remove());

    const tagOf = async (path: string) => (await server.call("GET", path)).headers.get("etag") ?? "";
    const patch = (path: string, ifMatch: string, body: object) =>
      server.call("PATCH", path, { body, headers: { "If-Match": ifMatch } });
    const newLink = async () => {
      const { body } = await server.call("POST", "/links", { body: { url: "https://example.com/" } });
      return body as { id: string; key: string; shortLink: string }; // Other tests check the schema of the API.
    };

    test("a link's entity tag changes with the link, and PATCH returns the new one", async () => {
      const path = `/links/${(await newLink()).id}`;
      const before = await tagOf(path);

      const { status, headers } = await patch(path, before, { title: "One" });

      expect([status, before]).toEqual([200, expect.stringMatching(/^"[\w.-]+"$/)]);
      expect(headers.get("etag")).toBe(await tagOf(path));
      expect(headers.get("etag")).not.toBe(before);
    });

    test("GET with a current entity tag is 304 without a body; with an outdated one, it is 200", async () => {
      const path = `/links/${(await newLink()).id}`;
      const tag = await tagOf(path);
      const get = (header: string) => server.call("GET", path, { headers: { "If-None-Match": header } });

      for (const header of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
        const { status, body, headers } = await get(header);
        expect([header, status, body, headers.get("etag")]).toEqual([header, 304, undefined, tag]);
      }
      expect([(await get('"x"')).status, (await get(`"x${tag.slice(1)}`)).status]).toEqual([200, 200]);
    });

    test("a change with an outdated entity tag is 412 and changes nothing", async () => {
      const path = `/links/${(await newLink()).id}`;
      const tag = await tagOf(path);
      await server.call("PATCH", path, { body: { title: "Theirs" } });

      const refused = [
        await patch(path, tag, { title: "Mine" }),
        await server.call("PUT", path, { body: { title: "Mine" }, headers: { "If-Match": tag } }),
        await server.call("DELETE", path, { headers: { "If-Match": `"x", ${tag}` } }),
      ];

      expect(refused.map(refusalOf)).toEqual(Array(3).fill("412 precondition_failed"));
      expect((await server.call("GET", path)).body).toMatchObject({ title: "Theirs" });
      expect((await patch(path, "*", { title: "Mine" })).status).toBe(200);
    });

    test("a weak entity tag never matches, and the problem says so", async () => {
      const path = `/links/${(await newLink()).id}`;

      const refused = await patch(path, `W/${await tagOf(path)}`, { title: "Mine" });

      expect(refusalOf(refused)).toBe("412 precondition_failed");
      expect(JSON.stringify(refused.body)).toContain("weak");
    });

    test("clicks do not make the If-Match of a link fail, although they change its entity tag", async () => {
      const { id, key } = await newLink();
      const tag = await tagOf(`/links/${id}`);
      await server.visit(`/${key}`, { headers: { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" } });
      await eventually(
        async () => (await server.call("GET", `/links/${id}`)).body,
        (body) => (body as { clicks: number }).clicks === 1,
      );

      expect(await tagOf(`/links/${id}`)).not.toBe(tag);
      expect((await patch(`/links/${id}`, tag, { title: "Mine" })).status).toBe(200);
    });

    test("exactly one of twenty simultaneous changes with the same entity tag succeeds", async () => {
      const { id } = await newLink();
      const domain = `/domains/${targets.slug}`;
      for (const [path, field] of [
        [`/links/${id}`, "title"],
        [domain, "placeholder"],
      ] as const) {
        const tag = await tagOf(path);

        const values = Array.from({ length: 20 }, (_, index) => `https://example.com/${index}`);
        const answers = await Promise.all(values.map((value) => patch(path, tag, { [field]: value })));

        const statuses = answers.map(({ status }) => status).sort();
        expect([path, statuses]).toEqual([path, [200, ...Array(19).fill(412)]]);
      }
    });

    test("entity tags of links/info, tags, folders and domains match their objects", async () => {
      const { id } = await newLink();
      const tag = await server.call("POST", "/tags", { body: { name: crypto.randomUUID() } });
      const folder = await server.call("POST", "/folders", { body: { name: crypto.randomUUID() } });
      const idOf = (body: unknown) => (body as { id: string }).id; // Created objects have an id.
      const objects: [string, string, object][] = [
        [`/links/info?linkId=${id}`, `/links/${id}`, { title: "x" }],
        [`/tags/${idOf(tag.body)}`, `/tags/${idOf(tag.body)}`, { name: crypto.randomUUID() }],
        [`/folders/${idOf(folder.body)}`, `/folders/${idOf(folder.body)}`, { name: crypto.randomUUID() }],
        [`/domains/${targets.slug}`, `/domains/${targets.slug}`, { placeholder: "https://example.com/p" }],
      ];
      for (const [read, path, body] of objects) {
        const seen = await tagOf(read);

        expect([path, (await patch(path, seen, body)).status]).toEqual([path, 200]);
        expect([path, (await patch(path, seen, { ...body })).status]).toEqual([path, 412]);
      }
    });

    test.each(guarded)("%s refuses malformed entity tags with 400 and outdated ones with 412", async (_, endpoint) => {
      const { method, bodySchema, bodyExample } = endpoint;
      const made = await makeTargetsOf(endpoint, server);
      const send = (ifMatch: string) =>
        server.call(method.toUpperCase(), urlOf(endpoint, made), {
          headers: { "If-Match": ifMatch },
          ...(bodySchema === undefined ? {} : { body: bodyExample }),
        });

      for (const header of ["x", '"', 'W/"', '"a" "b"', "*, *", '"a",b']) {
        expect([header, refusalOf(await send(header))]).toEqual([header, "400 bad_request"]);
      }
      expect(refusalOf(await send('"x"'))).toBe("412 precondition_failed");
    });

    test("on a path without entity tags, If-Match never matches and If-None-Match has no effect", async () => {
      const { id } = await newLink();
      const unread: [string, string, object][] = [
        ["PUT", "/links/upsert", { url: `https://example.com/${crypto.randomUUID()}` }],
        ["PATCH", "/links/bulk", { linkIds: [id], data: { title: "x" } }],
        ["DELETE", `/links/bulk?linkIds=${id}`, {}],
      ];
      for (const [method, path, body] of unread) {
        const send = (headers: Record<string, string>) => server.call(method, path, { body, headers });

        expect([path, refusalOf(await send({ "If-Match": "*" }))]).toEqual([path, "412 precondition_failed"]);
        expect([path, refusalOf(await send({ "If-None-Match": "x" }))]).toEqual([path, "400 bad_request"]);
        expect([path, (await send({ "If-None-Match": "*" })).status]).toEqual([path, 200]);
      }
    });

    test("PUT with an unknown externalId is 412 with If-Match, and creates the link with If-None-Match: *", async () => {
      const path = `/links/ext_${crypto.randomUUID()}`;
      const put = (headers: Record<string, string>) =>
        server.call("PUT", path, { body: { url: "https://example.com/" }, headers });

      expect(refusalOf(await put({ "If-Match": "*" }))).toBe("412 precondition_failed");
      expect((await put({ "If-None-Match": "*" })).status).toBe(200);
      expect(refusalOf(await put({ "If-None-Match": "*" }))).toBe("412 precondition_failed");
    });

    test("a foreign object is 404 with every entity tag", async () => {
      const answer = await patch("/links/link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB", "*", { title: "x" });

      expect(refusalOf(answer)).toBe("404 not_found");
    });
  });
}
