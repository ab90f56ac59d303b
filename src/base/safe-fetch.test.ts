import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import { isPublicAddress } from "./public-address.ts";
import { fetchBody, fetchHead, type SafeFetchDeps } from "./safe-fetch.ts";

/** A name of each kind, with the answers of a fake resolver. */
const names: Record<string, string[]> = {
  "good.test": ["127.0.0.1"],
  "second.test": ["127.0.0.2", "127.0.0.1"],
  "inside.test": ["10.0.0.1"],
  "mixed.test": ["10.0.0.1", "127.0.0.1"],
};

describe("outgoing requests", () => {
  const seen: string[] = [];
  let server: ReturnType<typeof Bun.serve>;
  let deps: SafeFetchDeps;

  beforeAll(() => {
    server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        const { pathname, searchParams, host } = new URL(request.url);
        seen.push(`${host}${pathname}`);
        const location = searchParams.get("to");
        if (location !== null) return new Response(null, { status: 302, headers: { Location: location } });
        if (pathname === "/silent") return new Promise(() => {});
        if (pathname === "/slow") return new Response(slowBody());
        return new Response("x".repeat(1_000_000), { headers: { "X-Frame-Options": "DENY", "X-Seen-Host": host } });
      },
    });
    deps = {
      resolve: async (name) => names[name] ?? [],
      // Loopback stands for the public internet here, and 10.0.0.0/8 for private addresses.
      mayConnect: (address) => address.startsWith("127.") || isPublicAddress(address),
    };
  });
  afterAll(() => server.stop(true));

  const ask = (url: string, budgetMs = 5_000) => fetchHead(deps, { url, headers: { Accept: "*/*" }, budgetMs });
  const on = (host: string, path: string) => `http://${host}:${server.port}${path}`;

  test("the head of the response is returned, and the request has the URL's host", async () => {
    const fetched = await ask(on("good.test", "/a?b=1"));

    expect(fetched).toMatchObject({ kind: "answered", status: 200, url: on("good.test", "/a?b=1") });
    expect(fetched.kind === "answered" && fetched.headers).toMatchObject({
      "x-frame-options": "DENY",
      "x-seen-host": `good.test:${server.port}`,
    });
  });

  test("redirects are followed to their end", async () => {
    const fetched = await ask(on("good.test", `/?to=${encodeURIComponent("/next?to=/last")}`));

    expect(fetched).toMatchObject({ kind: "answered", url: on("good.test", "/last") });
  });

  test("another address of a name is tried when one does not answer", async () => {
    expect(await ask(on("second.test", "/"))).toMatchObject({ kind: "answered" });
  });

  test.each([
    ["a private address", "http://10.0.0.1/"],
    ["a private address in IPv6", "http://[fd00::1]/"],
    ["a number that is a private address", "http://0x0a000001/"],
    ["a name with a private address", "http://inside.test/"],
    ["another scheme", "ftp://good.test/"],
    ["no url", "good.test"],
  ])("%s is refused", async (_, url) => {
    expect(await ask(url)).toEqual({ kind: "forbidden" });
  });

  test("of a name with both kinds, only the public address is used", async () => {
    expect(await ask(on("mixed.test", "/"))).toMatchObject({ kind: "answered" });
  });

  test.each(["http://10.0.0.1/secret", "http://inside.test/secret", "file:///etc/passwd"])(
    "a redirect to %s is refused",
    async (target) => {
      expect(await ask(on("good.test", `/?to=${encodeURIComponent(target)}`))).toEqual({ kind: "forbidden" });
    },
  );

  test("a loop of redirects ends", async () => {
    const loop = on("good.test", "/loop?to=/loop");
    const toItself = on("good.test", `/loop?to=${encodeURIComponent(loop)}`);
    seen.length = 0;

    // Each hop carries all later ones in its query.
    const deep = Array.from({ length: 8 }).reduce<string>(
      (to) => on("good.test", `/loop?to=${encodeURIComponent(to)}`),
      toItself,
    );

    expect(await ask(deep)).toEqual({ kind: "unreachable" });
    expect(seen).toHaveLength(6);
  });

  test.each([
    // Longer than the timeout of a test.
    ["an unknown name", "http://nowhere.test/", 600_000],
    ["a silent server", "/silent", 200],
  ])("%s is unreachable, within the budget", async (_, where, budgetMs) => {
    const fetched = await ask(where.startsWith("/") ? on("good.test", where) : where, budgetMs);

    expect(fetched).toEqual({ kind: "unreachable" });
  });

  test("of a body, the beginning is read, and only of the last response", async () => {
    const request = { url: on("good.test", "/?to=/last"), headers: {}, budgetMs: 5_000, bytesMax: 10 };

    const fetched = await fetchBody(deps, request);

    expect(fetched).toMatchObject({ kind: "answered", url: on("good.test", "/last"), isComplete: false });
    expect(fetched.kind === "answered" && new TextDecoder().decode(fetched.body)).toBe("x".repeat(10));
  });

  test("what a slow body has sent within the budget is its beginning", async () => {
    const request = { url: on("good.test", "/slow"), headers: {}, budgetMs: 300, bytesMax: 1_000 };

    const fetched = await fetchBody(deps, request);

    expect(fetched).toMatchObject({ kind: "answered", isComplete: false });
    expect(fetched.kind === "answered" && new TextDecoder().decode(fetched.body)).toBe("<title>First</title>");
  });

  test.each([
    ["head", "HTTP/1.1 200 OK\r\n", `X: ${"y".repeat(1_000)}\r\n`],
    ["series of interim responses", "", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"],
  ])("an endless %s is aborted before the budget ends", async (_, beginning, repeated) => {
    const endless = await endlessServer(beginning, repeated);

    // Longer than the timeout of a test.
    const fetched = await ask(`http://good.test:${endless.port}/`, 600_000);

    endless.close();
    expect(fetched).toEqual({ kind: "unreachable" });
  });

  test("of a body in chunks of one byte, only a few are read", async () => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const endless = await endlessServer(head, "1\r\na\r\n");
    const request = { url: `http://good.test:${endless.port}/`, headers: {}, budgetMs: 600_000, bytesMax: 100_000 };

    const fetched = await fetchBody(deps, request);

    endless.close();
    expect(fetched).toMatchObject({ kind: "answered", isComplete: false });
    expect(fetched.kind === "answered" && fetched.body.byteLength).toBe(2_000);
  });
});

/** A server that answers with a beginning, and then repeats a text until the client leaves. */
async function endlessServer(beginning: string, repeated: string): Promise<{ port: number; close(): void }> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write(beginning);
    const more = () => {
      while (!socket.destroyed && socket.write(repeated.repeat(50)));
    };
    socket.on("drain", more);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { port, close: () => server.close() };
}

/** A body that sends a title, and then nothing for longer than any test. */
function slowBody(): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("<title>First</title>"));
    },
  });
}
