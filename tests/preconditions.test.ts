/** `ETag`, `If-None-Match` and `If-Match`: nobody overwrites a change that they have not seen. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databaseStartMsMax, engines } from "./support/databases.ts";
import { makeTargets, namedEndpoints, refusalOf, type Targets, urlOf } from "./support/requests.ts";
import { eventually, startServer, type TestServer } from "./support/server.ts";

/** Paths of objects that have GET, and PATCH, PUT or DELETE. */
const changing = namedEndpoints.filter(([, { method }]) => ["patch", "put", "delete"].includes(method));
const readable = new Set(namedEndpoints.filter(([, { method }]) => method === "get").map(([, { path }]) => path));
const guarded = changing.filter(([, { path }]) => readable.has(path));

for (const engine of engines) {
  describe(engine, () => {
    let server: TestServer;
    let targets: Targets;

    beforeAll(async () => {
      server = await startServer({}, engine);
      targets = await makeTargets(server);
    }, databaseStartMsMax);
    afterAll(() => server.remove());

    const tagOf = async (path: string) => (await server.call("GET", path)).headers.get("etag") ?? "";
    const patch = (path: string, ifMatch: string, body: object) =>
      server.call("PATCH", path, { body, headers: { "If-Match": ifMatch } });
    const newLink = async () => {
      const { body } = await server.call("POST", "/links", { body: { url: "https://example.com/" } });
      return body as { id: string; key: string; shortLink: string }; // The API's own schema, which other tests check.
    };

    test("a link's tag changes with the link, and PATCH answers the new one", async () => {
      const path = `/links/${(await newLink()).id}`;
      const before = await tagOf(path);

      const { status, headers } = await patch(path, before, { title: "One" });

      expect([status, before]).toEqual([200, expect.stringMatching(/^"[\w.-]+"$/)]);
      expect(headers.get("etag")).toBe(await tagOf(path));
      expect(headers.get("etag")).not.toBe(before);
    });

    test("GET with a tag that still holds is 304 without a body; one that does not is 200", async () => {
      const path = `/links/${(await newLink()).id}`;
      const tag = await tagOf(path);
      const get = (header: string) => server.call("GET", path, { headers: { "If-None-Match": header } });

      for (const header of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
        const { status, body, headers } = await get(header);
        expect([header, status, body, headers.get("etag")]).toEqual([header, 304, undefined, tag]);
      }
      expect([(await get('"x"')).status, (await get(`"x${tag.slice(1)}`)).status]).toEqual([200, 200]);
    });

    test("a change by a tag that no longer holds is 412 and changes nothing", async () => {
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

    test("a weak tag never matches, and the refusal says so", async () => {
      const path = `/links/${(await newLink()).id}`;

      const refused = await patch(path, `W/${await tagOf(path)}`, { title: "Mine" });

      expect(refusalOf(refused)).toBe("412 precondition_failed");
      expect(JSON.stringify(refused.body)).toContain("weak");
    });

    test("visitors of a link do not keep it from being changed, though its tag follows its clicks", async () => {
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

    test("of twenty changes by the same tag at once one is made", async () => {
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

    test("tags of links/info, tags, folders and domains hold for their objects", async () => {
      const { id } = await newLink();
      const tag = await server.call("POST", "/tags", { body: { name: crypto.randomUUID() } });
      const folder = await server.call("POST", "/folders", { body: { name: crypto.randomUUID() } });
      const idOf = (body: unknown) => (body as { id: string }).id; // Created objects have one.
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

    test.each(guarded)("%s refuses malformed tags with 400 and ones that do not hold with 412", async (_, endpoint) => {
      const { method, bodySchema, bodyExample } = endpoint;
      const made = await makeTargets(server);
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

    test("where nothing has a tag, If-Match never holds and If-None-Match always does", async () => {
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

    test("PUT by an external id that no link has is 412 with If-Match, and makes the link with If-None-Match: *", async () => {
      const path = `/links/ext_${crypto.randomUUID()}`;
      const put = (headers: Record<string, string>) =>
        server.call("PUT", path, { body: { url: "https://example.com/" }, headers });

      expect(refusalOf(await put({ "If-Match": "*" }))).toBe("412 precondition_failed");
      expect((await put({ "If-None-Match": "*" })).status).toBe(200);
      expect(refusalOf(await put({ "If-None-Match": "*" }))).toBe("412 precondition_failed");
    });

    test("an object of others is 404, with any tag", async () => {
      const answer = await patch("/links/link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB", "*", { title: "x" });

      expect(refusalOf(answer)).toBe("404 not_found");
    });
  });
}
