import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { fetchPageTags, PageFetches } from "./fetch-page-tags.ts";

const html = { "Content-Type": "text/html; charset=utf-8" };
const absent = { title: null, description: null, image: null };

describe("the tags of the page at a destination", () => {
  let server: ReturnType<typeof Bun.serve>;
  /** Keeps the requests of one test waiting. */
  let gate = Promise.withResolvers<void>();
  beforeAll(() => {
    server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const { pathname } = new URL(request.url);
        if (pathname === "/waiting") await gate.promise;
        if (pathname === "/moved") return new Response(null, { status: 302, headers: { Location: "/page" } });
        if (pathname === "/inside")
          return new Response(null, { status: 302, headers: { Location: "http://10.0.0.1/" } });
        if (pathname === "/missing") return new Response("<title>Not found</title>", { status: 404, headers: html });
        if (pathname === "/text")
          return new Response("<title>Text</title>", { headers: { "Content-Type": "text/plain" } });
        if (pathname === "/late") return new Response(`${" ".repeat(200_000)}<title>Late</title>`, { headers: html });
        if (pathname === "/latin") {
          const bytes = Buffer.from('<meta charset="iso-8859-1"><title>Käse</title>', "latin1");
          return new Response(bytes, { headers: { "Content-Type": "text/html" } });
        }
        return new Response('<title>Über uns</title><meta property="og:image" content="a.png">', { headers: html });
      },
    });
  });
  beforeEach(() => {
    gate = Promise.withResolvers<void>();
  });
  afterAll(() => server.stop(true));

  const deps = {
    safeFetch: {
      resolve: async () => ["127.0.0.1"],
      // Loopback stands for the public internet.
      mayConnect: (address: string) => address.startsWith("127."),
    },
    pageFetches: new PageFetches(),
    config: { WAYPOST_APP_SCHEMES: [] },
  };
  const tagsOf = (path: string, workspaceId = 1, userId = `user ${workspaceId}`) =>
    fetchPageTags(deps, { workspaceId, userId }, `http://page.test:${server.port}${path}`);

  test("are those of the page that redirects lead to", async () => {
    expect(await tagsOf("/moved")).toEqual({
      title: "Über uns",
      description: null,
      image: `http://page.test:${server.port}/a.png`,
    });
  });

  test("are read in the page's character encoding", async () => {
    expect((await tagsOf("/latin")).title).toBe("Käse");
  });

  test.each(["/inside", "/missing", "/text", "/late"])("are missing for %s", async (path) => {
    expect(await tagsOf(path)).toEqual(absent);
  });

  test("are missing for a private address", async () => {
    expect(await fetchPageTags(deps, { workspaceId: 1, userId: "user 1" }, "http://10.0.0.1/")).toEqual(absent);
  });

  test("are not read for a URL that no link can have", async () => {
    expect(fetchPageTags(deps, { workspaceId: 1, userId: "user 1" }, "javascript:alert(1)")).rejects.toThrow(
      "url: must not begin with",
    );
  });

  test("are read for at most four pages of a user at once, in all workspaces together", async () => {
    const running = [11, 12, 13, 14].map((workspaceId) => tagsOf("/waiting", workspaceId, "one"));

    const fifth = tagsOf("/page", 15, "one");

    await expect(fifth).rejects.toThrow("Too many pages");
    expect((await tagsOf("/page", 15, "other")).title).toBe("Über uns");
    gate.resolve();
    await Promise.all(running);
  });

  test("are read for at most four pages of a workspace at once, while others read theirs", async () => {
    const running = Array.from({ length: 4 }, (_, index) => tagsOf("/waiting", 1, `member ${index}`));

    const fifth = tagsOf("/page", 1, "member 5");

    await expect(fifth).rejects.toThrow("Too many pages");
    expect((await tagsOf("/page", 2)).title).toBe("Über uns");
    gate.resolve();
    await Promise.all(running);
    expect((await tagsOf("/page")).title).toBe("Über uns");
  });
});
