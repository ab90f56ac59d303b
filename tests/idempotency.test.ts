/** `Idempotency-Key`: a repeated POST runs once, whatever happens in between. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { forgetIdempotentCalls, idempotencyMs } from "../src/access/idempotent-calls.ts";
import { engines } from "./support/databases.ts";
import { refusalOf } from "./support/requests.ts";
import { type Answer, startServer, type TestServer } from "./support/server.ts";
import { withDatabase } from "./support/server-database.ts";
import { newTenant } from "./support/tenants.ts";

const newKey = () => crypto.randomUUID();
const replayed = ({ headers }: Answer) => headers.get("idempotency-replayed");

for (const engine of engines) {
  describe(engine, () => {
    let server: TestServer;

    beforeAll(async () => {
      server = await startServer({}, engine);
    });
    afterAll(() => server.remove());

    const post = (key: string, body: object, path = "/links", apiKey?: string) =>
      server.call("POST", path, {
        body,
        headers: { "Idempotency-Key": key },
        ...(apiKey === undefined ? {} : { key: apiKey }),
      });
    const countLinks = async (search: string) => (await server.call("GET", `/links/count?search=${search}`)).body;
    test("a repeated POST returns the stored response and does not run again, also after a kill", async () => {
      const [key, name] = [newKey(), newKey()];
      const body = { url: `https://example.com/${name}` };

      const first = await post(key, body);
      const second = await post(key, body);
      server = await server.restart();
      const third = await post(key, body);

      expect([first.status, second.status, third.status]).toEqual([200, 200, 200]);
      expect([second.body, third.body]).toEqual([first.body, first.body]);
      expect([first, second, third].map(replayed)).toEqual([null, "true", "true"]);
      expect(await countLinks(name)).toBe(1);
    });

    test("another query or body with the same key is 422, and changes nothing", async () => {
      const [key, name] = [newKey(), newKey()];
      await post(key, { url: `https://example.com/${name}` });

      const otherBody = await post(key, { url: `https://example.com/${name}/other` });

      expect(refusalOf(otherBody)).toBe("422 unprocessable_entity");
      expect(await countLinks(name)).toBe(1);
    });

    test("a key belongs to one user, workspace and path", async () => {
      const [key, name] = [newKey(), newKey()];
      const tenant = await newTenant(server);
      const link = { url: `https://example.com/${name}` };

      const answers = [
        await post(key, link),
        await post(key, link, "/links", tenant.apiKey),
        await post(key, { name }, "/tags"),
        await post(key, { name }, "/folders"),
      ];

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 201]);
      expect(answers.map(replayed)).toEqual([null, null, null, null]);
    });

    test("exactly one of thirty equal simultaneous requests runs; the others get 409 with Retry-After, or its response", async () => {
      const [key, name] = [newKey(), newKey()];

      const answers = await Promise.all(
        Array.from({ length: 30 }, () => post(key, { url: `https://example.com/${name}` })),
      );

      const done = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(new Set(done.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(done.filter((answer) => replayed(answer) === null).length).toBe(1);
      for (const answer of refused) {
        expect([refusalOf(answer), answer.headers.get("retry-after")]).toEqual(["409 conflict", "1"]);
      }
      expect(await countLinks(name)).toBe(1);
    });

    test("after a kill of the server, an interrupted request has run once or not at all", async () => {
      const calls = Array.from({ length: 40 }, () => ({ key: newKey(), name: newKey() }));
      const send = ({ key, name }: { key: string; name: string }) => post(key, { url: `https://example.com/${name}` });

      const sent = calls.map((call) => send(call).catch(() => undefined));
      await Promise.race(sent);
      await server.end("SIGKILL");
      const before = await Promise.all(sent);
      server = await server.restart();
      const after = await Promise.all(calls.map(send));

      for (const [index, { name }] of calls.entries()) {
        expect([name, await countLinks(name)]).toEqual([name, 1]);
        const answer = after[index];
        // The change was committed, and the server was killed before it stored the response.
        if (answer?.status === 409) expect(JSON.stringify(answer.body)).toContain("this POST ran at");
        else if (before[index] !== undefined) expect(answer?.body).toEqual(before[index].body);
      }
    });

    test("a refused request stores nothing, and its key can be used again", async () => {
      const [key, otherKey, name] = [newKey(), newKey(), newKey()];
      const made = await post(newKey(), { url: "https://example.com", key: name });
      const rows = () => withDatabase(server, ({ db }) => db.selectFrom("idempotentCalls").select("id").execute());
      const before = await rows();

      const taken = await post(key, { url: "https://example.com", key: name });
      const malformed = await post(otherKey, { url: 1 });
      const after = await rows();
      await server.call("DELETE", `/links/${(made.body as { id: string }).id}`); // The status shows that it is a link.
      const free = await post(key, { url: "https://example.com", key: name });
      const mended = await post(otherKey, { url: "https://example.com" });

      expect([refusalOf(taken), refusalOf(malformed)]).toEqual(["409 conflict", "422 unprocessable_entity"]);
      expect(after).toEqual(before);
      expect([free, mended].map((answer) => [answer.status, replayed(answer)])).toEqual(Array(2).fill([200, null]));
    });

    test("a response above 16 KiB is not stored; a repetition is 409 and creates nothing", async () => {
      const [key, name] = [newKey(), newKey()];
      const links = Array.from({ length: 30 }, (_, index) => ({ url: `https://example.com/${name}/${index}` }));

      const first = await post(key, links, "/links/bulk");
      const again = await post(key, links, "/links/bulk");

      expect(first.status).toBe(200);
      expect(refusalOf(again)).toBe("409 conflict");
      expect(JSON.stringify(again.body)).toContain("too large to store");
      expect(await countLinks(name)).toBe(30);
      const largest = await withDatabase(server, ({ db }) =>
        db.selectFrom("idempotentCalls").select("bytes").orderBy("bytes", "desc").executeTakeFirst(),
      );
      expect(largest?.bytes).toBeLessThanOrEqual(16 * 1024);
    });

    test("in a workspace at the limit of stored responses, each request runs once, and repetitions are 409", async () => {
      const { workspaceId, apiKey } = await newTenant(server);
      const full = { id: newKey(), workspaceId, contents: "", state: "answered" as const, bytes: 16 * 1024 ** 2 };
      await withDatabase(server, ({ db }) =>
        db
          .insertInto("idempotentCalls")
          .values({ ...full, status: 200, body: "{}", at: Date.now() })
          .execute(),
      );
      const key = newKey();

      const first = await post(key, { url: "https://example.com" }, "/links", apiKey);
      const again = await post(key, { url: "https://example.com" }, "/links", apiKey);

      expect([first.status, refusalOf(again)]).toEqual([200, "409 conflict"]);
      expect((await server.call("GET", "/links", { key: apiKey })).body).toBeArrayOfSize(1);
    });

    test("a response with a secret is not stored, and a repetition is 409 and creates no second key", async () => {
      const [key, name] = [newKey(), newKey()];

      const first = await post(key, { name }, "/api-keys");
      const second = await post(key, { name }, "/api-keys");

      expect([first.status, refusalOf(second)]).toEqual([201, "409 conflict"]);
      expect(JSON.stringify(second.body)).toContain("contained a secret");
      const { body } = await server.call("GET", "/api-keys");
      expect(JSON.stringify(body).split(name).length - 1).toBe(1);
      const kept = await withDatabase(server, ({ db }) => db.selectFrom("idempotentCalls").selectAll().execute());
      const secret = (first.body as { key: string }).key; // The status shows that it is a created key.
      expect(JSON.stringify(kept)).not.toContain(secret);
    });

    test("a repetition whose response was lost is 409 and names the path to check", async () => {
      const [key, name] = [newKey(), newKey()];
      const body = { url: `https://example.com/${name}` };
      await post(key, body);
      await withDatabase(server, ({ db }) =>
        db.updateTable("idempotentCalls").set({ state: "done", status: null, body: null }).execute(),
      );

      const again = await post(key, body);

      expect(refusalOf(again)).toBe("409 conflict");
      expect(JSON.stringify(again.body)).toContain("GET /v1/links");
      expect(await countLinks(name)).toBe(1);
    });

    test("after a day, a key can be used again, and the background task deletes older ones", async () => {
      const [key, name] = [newKey(), newKey()];
      const body = { url: `https://example.com/${name}` };
      await post(key, body);
      const age = (at: number) =>
        withDatabase(server, ({ db }) => db.updateTable("idempotentCalls").set({ at }).execute());

      await age(Date.now() - idempotencyMs);
      const again = await post(key, body);
      await age(1);
      const left = await withDatabase(server, async ({ db }) => {
        while ((await forgetIdempotentCalls({ db, now: Date.now })) === "again");
        return await db.selectFrom("idempotentCalls").select("id").execute();
      });

      expect([again.status, replayed(again), left]).toEqual([200, null, []]);
      expect(await countLinks(name)).toBe(2);
    });

    test("a malformed key is 400, and is ignored for other methods", async () => {
      for (const key of ["a b", "x".repeat(256), "k\u00e9y"]) {
        expect([key, refusalOf(await post(key, { url: "https://example.com" }))]).toEqual([key, "400 bad_request"]);
      }
      const listed = await server.call("GET", "/links", { headers: { "Idempotency-Key": "a b" } });
      expect(listed.status).toBe(200);
    });

    test("replays are counted", async () => {
      const text = await (await fetch(`${server.url}/metrics`)).text();

      expect(text).toMatch(/^waypost_api_replayed_total [1-9]/m);
    });
  });
}
