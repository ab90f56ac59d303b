/** GET /v1/qr for image tags, browsers and the SDK. A QR code reader must decode the image to the requested text. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Dub } from "dub";
import jsQR from "jsqr";
import { PNG } from "pngjs";
import { z } from "zod";
import { ask, expectRefusal } from "./support/requests.ts";
import { eventually, ownerKey, type TestService } from "./support/server.ts";
import { startService } from "./support/service.ts";

const Link = z.object({ id: z.string(), shortLink: z.string(), qrCode: z.url() });
const chrome = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8";

let server: TestService;
beforeAll(async () => {
  server = await startService({ WAYPOST_UNVERIFIED_REDIRECTS: "true", WAYPOST_TRUSTED_PROXIES: "127.0.0.1" });
});
afterAll(() => server.remove());

/** Requests without a key, like an image tag, from a new address. */
async function get(query: string | Record<string, string>, headers: Record<string, string> = {}, method = "GET") {
  const search = typeof query === "string" ? query : String(new URLSearchParams(query));
  return await fetch(`${server.url}/v1/qr?${search}`, { method, headers: { ...from(), ...headers } });
}

let lastAddress = 0;
function from(): Record<string, string> {
  return { "X-Forwarded-For": `198.51.${100 + (++lastAddress >> 8)}.${lastAddress & 255}` };
}

async function read(response: Response) {
  const { width, height, data } = PNG.sync.read(Buffer.from(await response.arrayBuffer()));
  const pixel = (x: number, y: number) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
  return { text: jsQR(new Uint8ClampedArray(data), width, height)?.data, width, height, pixel };
}

describe("a link's qrCode", () => {
  test.each(["spring", "a/b.c_d-e", "über", "日本語", "🎉party", "ключ"])("encodes its short link: %s", async (key) => {
    const made = Link.parse((await server.call("POST", "/links", { body: { url: "https://example.com", key } })).body);
    // The port of the test server differs from that of its WAYPOST_URL.
    const { pathname, search } = new URL(made.qrCode);

    const answer = await fetch(`${server.url}${pathname}${search}`, { headers: from() });

    expect((await read(answer)).text).toBe(`${made.shortLink}?qr=1`);
  });

  test("accepts an unencoded url, as Dub writes it", async () => {
    const { text } = await read(await get("url=https://go.example.com/spring?qr=1"));

    expect(text).toBe("https://go.example.com/spring?qr=1");
  });

  test("leads to a click that counts as a scan", async () => {
    const made = Link.parse((await server.call("POST", "/links", { body: { url: "https://example.com" } })).body);
    const { text = "" } = await read(await get({ url: `${made.shortLink}?qr=1` }));
    const scanned = new URL(text);
    const headers = {
      "User-Agent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:128.0) Gecko/20100101 Firefox/128.0",
    };

    const visits = [scanned.pathname + scanned.search, scanned.pathname];
    const answers = await Promise.all(visits.map((path) => server.visit(path, { host: scanned.host, headers })));

    expect(answers.map(({ status, headers: received }) => [status, received.get("location")])).toEqual([
      [302, "https://example.com/"],
      [302, "https://example.com/"],
    ]);
    const count = async (filter: string) => {
      const path = `/analytics/clicks?linkId=${made.id}&interval=24h${filter}`;
      return z.object({ clicks: z.int() }).parse((await server.call("GET", path)).body).clicks;
    };
    await eventually(
      () => count(""),
      (clicks) => clicks === 2,
    );
    expect([await count("&trigger=qr"), await count("&trigger=link")]).toEqual([1, 1]);
  });
});

describe("the image", () => {
  test("is a PNG of 600 pixels in black on white by default", async () => {
    const answer = await get({ url: "https://example.com/" });

    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
    const { text, width, height, pixel } = await read(answer);
    expect([text, width, height, pixel(0, 0)]).toEqual(["https://example.com/", 600, 600, [255, 255, 255, 255]]);
  });

  test("accepts every parameter of the SDK", async () => {
    const dub = new Dub({ token: ownerKey, serverURL: `${server.url}/v1` });

    const body = await dub.qrCodes.get({ url: "https://example.com/" });
    const full = await dub.qrCodes.get({
      ...{ url: "https://example.com/", size: 300, level: "H", fgColor: "#123456", bgColor: "#FEDCBA" },
      ...{ hideLogo: true, margin: 4, includeMargin: false, logo: "https://example.com/logo.png" },
    });

    expect([body, full].map((text) => text.slice(1, 4))).toEqual(["PNG", "PNG"]);
  });

  test("is drawn without the logo of the parameter, and the response names it as ignored", async () => {
    const url = "https://go.example.com/spring";
    const drawn = await get({ url, logo: "https://example.com/logo.png", format: "svg" });
    const etag = drawn.headers.get("etag") ?? "";
    const unchanged = await get({ url, logo: "", format: "svg" }, { "If-None-Match": etag });
    const plain = await get({ url, format: "svg" });

    const named = [drawn, unchanged, plain].map(({ status, headers }) => [status, headers.get("waypost-ignored")]);
    expect(named).toEqual([
      [200, "logo"],
      [304, "logo"],
      [200, null],
    ]);
    expect(await plain.text()).toBe(await drawn.text());
  });

  test("is drawn with the given parameters", async () => {
    const url = "https://example.com/";
    const { text, width, pixel } = await read(
      await get({ url, size: "310", level: "Q", fgColor: "#00008b", bgColor: "#fe0", margin: "5" }),
    );
    const bare = await read(await get({ url, includeMargin: "false", fgColor: "#00008b" }));

    expect({ text, width, margin: pixel(2, 2) }).toEqual({ text: url, width: 310, margin: [255, 238, 0, 255] });
    expect(bare.pixel(0, 0)).toEqual([0, 0, 139, 255]);
  });

  test("is drawn in the requested style, higher than wide with a frame", async () => {
    const url = "https://example.com/";
    const style = { dots: "dots", corners: "circle", frame: "banner", frameText: " Scan me " };
    const { text, width, height } = await read(await get({ url, ...style }));

    expect({ text, width, isHigher: height > width }).toEqual({ text: url, width: 600, isHigher: true });
  });

  test("can be a PDF of a printed width", async () => {
    const answer = await get({ url: "https://example.com/", format: "pdf", widthMm: "30" });
    const body = await answer.text();

    expect([answer.headers.get("content-type"), body.slice(0, 8)]).toEqual(["application/pdf", "%PDF-1.4"]);
    expect(body).toContain("/MediaBox [0 0 85.0394 85.0394]");
  });

  test.each([
    ["format=svg", "image/png", "image/svg+xml"],
    ["format=png", "image/svg+xml", "image/png"],
    ["", "image/svg+xml", "image/svg+xml"],
    ["", "image/svg+xml, image/png;q=0.5", "image/svg+xml"],
    ["", "image/png", "image/png"],
    ["", "*/*", "image/png"],
    ["", "", "image/png"],
    ["", "text/html", "image/png"],
    ["", chrome, "image/png"],
  ])("has the requested type: ?%s with Accept: %s", async (query, accept, type) => {
    const answer = await get(`url=https://example.com/&${query}`, { Accept: accept });

    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("vary")]).toEqual([
      200,
      type,
      expect.stringContaining("Accept"),
    ]);
    const body = await answer.text();
    expect(body.includes("<svg ")).toBe(type === "image/svg+xml");
  });

  test("encodes a host and path of another script in ASCII, and adds a missing scheme", async () => {
    const answers = await Promise.all(["https://münchen.example/ü", "example.com/a"].map((url) => get({ url })));

    const texts = await Promise.all(answers.map(async (answer) => (await read(answer)).text));
    expect(texts).toEqual(["https://xn--mnchen-3ya.example/%C3%BC", "https://example.com/a"]);
  });
});

describe("a domain's logo", () => {
  const red = new PNG({ width: 20, height: 20 });
  for (let at = 0; at < red.data.length; at += 4) red.data.set([255, 0, 0, 255], at);
  const logo = `data:image/png;base64,${PNG.sync.write(red).toString("base64")}`;
  const middle = async (query: Record<string, string>) => {
    const { text, pixel } = await read(await get(query));
    return { text, isRed: String(pixel(300, 300)) === "255,0,0,255" };
  };

  test("is drawn only on codes of that domain, and can be hidden", async () => {
    await server.call("POST", "/domains", { body: { slug: "logo.example.com", logo } });
    const url = "https://LOGO.example.com/spring?qr=1";

    expect(await middle({ url })).toEqual({ text: url, isRed: true });
    expect(await middle({ url, hideLogo: "true" })).toEqual({ text: url, isRed: false });
    expect(await middle({ url: "https://other.example.com/", logo })).toMatchObject({ isRed: false });
    expect(await (await get({ url, format: "svg" })).text()).toContain("<image ");
  });

  test("changes at once, even for clients with the former image in their cache", async () => {
    await server.call("POST", "/domains", { body: { slug: "new-logo.example.com" } });
    const url = "https://new-logo.example.com/";
    const before = await get({ url });
    await server.call("PATCH", "/domains/new-logo.example.com", { body: { logo } });

    const after = await get({ url }, { "If-None-Match": before.headers.get("etag") ?? "" });

    expect(after.status).toBe(200);
    expect((await read(after)).pixel(300, 300)).toEqual([255, 0, 0, 255]);
  });

  test("is never fetched", async () => {
    let requests = 0;
    const elsewhere = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(String(++requests)) });
    await server.call("POST", "/domains", { body: { slug: "far.example.com", logo: `${elsewhere.url}l.png` } });

    const stored = await middle({ url: "https://far.example.com/" });
    const requested = await middle({ url: "https://far.example.com/", logo: `${elsewhere.url}l.png` });
    await elsewhere.stop(true);

    expect([stored.isRed, requested.isRed, requests]).toEqual([false, false, 0]);
  });

  test("of an unverified domain is not drawn", async () => {
    const strict = await startService();
    await strict.call("POST", "/domains", { body: { slug: "theirs.example.com", logo } });

    const answer = await fetch(`${strict.url}/v1/qr?url=https://theirs.example.com/`);

    expect((await read(answer)).pixel(300, 300)).not.toEqual([255, 0, 0, 255]);
    await strict.remove();
  });
});

describe("over HTTP", () => {
  test("any page can show the image, and caches can store it for an hour", async () => {
    const { headers } = await get({ url: "https://example.com/" }, { Origin: "https://page.example" });

    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("cache-control")).toBe("public, max-age=3600");
    expect(headers.get("etag")).toMatch(/^"[\w-]+"$/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("a client with the image gets 304; another image has another entity tag", async () => {
    const first = await get({ url: "https://example.com/" });
    const etag = first.headers.get("etag") ?? "";

    for (const tag of [etag, `W/${etag}`, `"a", ${etag}`, "*"]) {
      const again = await get({ url: "https://example.com/" }, { "If-None-Match": tag });
      expect([tag, again.status, await again.text()]).toEqual([tag, 304, ""]);
      expect(again.headers.get("etag")).toBe(etag);
    }
    const others = [
      "size=300",
      "level=M",
      "fgColor=111",
      "bgColor=eee",
      "margin=1",
      "format=svg",
      "dots=dots",
      "corners=circle",
    ];
    for (const other of others) {
      const answer = await get(`url=https://example.com/&${other}`, { "If-None-Match": etag });
      expect([other, answer.status]).toEqual([other, 200]);
    }
  });

  test("HEAD returns the headers of GET", async () => {
    const [full, head] = await Promise.all(
      ["GET", "HEAD"].map((method) => get({ url: "https://example.com/" }, {}, method)),
    );
    const names = ["content-type", "etag", "cache-control", "vary"];

    expect(head?.status).toBe(200);
    expect(await head?.text()).toBe("");
    expect(names.map((name) => head?.headers.get(name))).toEqual(names.map((name) => full?.headers.get(name) ?? null));
  });

  test("other methods are 405", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const answer = await ask(server, method, "/qr?url=https://example.com/");

      expectRefusal(method, answer, [405]);
      expect(answer.headers.get("allow")).toStartWith("GET, HEAD");
    }
  });

  test("an API key is ignored", async () => {
    for (const Authorization of ["Bearer nothing", "Basic x", `Bearer ${ownerKey}`]) {
      expect((await get({ url: "https://example.com/" }, { Authorization })).status).toBe(200);
    }
  });

  test.each([
    ["", "url"],
    ["url=", "url"],
    ["url=%20", "url"],
    ["url=javascript:alert(1)", "url"],
    ["url=data:text/html,x", "url"],
    ["url=ftp://example.com/", "url"],
    ["url=hello", "url"],
    ["url=https://[", "url"],
    [`url=https://example.com/${"a".repeat(2_934)}`, "url"],
    [`url=https://example.com/${"a".repeat(1_300)}&level=H`, "url"],
    [`url=https://example.com/${"%C3%BC".repeat(1_000)}`, "url"],
    [`url=https://example.com/${"a".repeat(1_000)}&size=60`, "size"],
    ...["49", "2049", "0", "-1", "1.5", "1e3", "x", "", "99999999999"].map((size) => [`size=${size}`, "size"]),
    ...["l", "X", "", "LOW"].map((level) => [`level=${level}`, "level"]),
    ...["", "red", "%2312", "%23gggggg", "1234567890"].map((color) => [`fgColor=${color}`, "fgColor"]),
    ["bgColor=rgb(0,0,0)", "bgColor"],
    ...["-1", "21", "x", "1.5"].map((margin) => [`margin=${margin}`, "margin"]),
    ["hideLogo=yes", "hideLogo"],
    ["includeMargin=1", "includeMargin"],
    ["format=gif", "format"],
    ["url=https://a.example/&url=https://b.example/", "url"],
    ["size=100&size=200", "size"],
    ...["9", "1001", "x"].map((widthMm) => [`widthMm=${widthMm}`, "widthMm"]),
    ["dots=round", "dots"],
    ["corners=dots", "corners"],
    ["frame=box", "frame"],
    [`frameText=${"a".repeat(41)}`, "frameText"],
    ["frame=text&frameText=%E6%89%AB", "frameText"],
    ["size=70&frame=banner&frameText=Scan", "size"],
  ])("refuses ?%s and names %s", async (query = "", field = "") => {
    const sent = field === "url" || query.startsWith("url=") ? query : `url=https://example.com/&${query}`;

    const answer = await get(sent);
    const text = await answer.text();

    expectRefusal(sent.slice(0, 100), { status: answer.status, headers: answer.headers, text }, [422]);
    expect(z.object({ error: z.object({ message: z.string() }) }).parse(JSON.parse(text)).error.message).toStartWith(
      `${field}: `,
    );
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });

  // With three requests per minute, the next one is allowed after twenty seconds; no test takes that long.
  test("an address with too many requests gets Retry-After, and other addresses are served", async () => {
    const limited = await startService({ WAYPOST_TRUSTED_PROXIES: "127.0.0.1", WAYPOST_RATE_LIMIT_PER_MINUTE: "3" });
    const from = async (address: string) =>
      await fetch(`${limited.url}/v1/qr?url=https://example.com/`, { headers: { "X-Forwarded-For": address } });
    const addresses = ["203.0.113.7", "203.0.113.7", "203.0.113.7"];
    const network = ["2001:db8:0:1::1", "2001:db8:0:1::2", "2001:db8:0:1:ffff::3"];
    for (const address of [...addresses, ...network]) expect((await from(address)).status).toBe(200);

    const refused = await from("203.0.113.7");
    const refusedNetwork = await from("2001:db8:0:1:2:3:4:5");
    const others = await Promise.all(["203.0.113.8", "2001:db8:0:2::1"].map(from));

    const { status, headers } = refused;
    expectRefusal("too often", { status, headers, text: await refused.text() }, [429]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(20);
    expect([refusedNetwork.status, ...others.map((other) => other.status)]).toEqual([429, 200, 200]);
    await limited.remove();
  });
});

test("the metrics count drawn codes by format", async () => {
  const count = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return ["png", "svg"].map((format) =>
      Number(text.match(`waypost_qr_codes_total{format="${format}"} (\\d+)`)?.[1] ?? 0),
    );
  };
  const [png = 0, svg = 0] = await count();

  await get({ url: "https://example.com/" });
  await get({ url: "https://example.com/", format: "svg" });

  expect(await count()).toEqual([png + 1, svg + 1]);
});

test("the reference describes it without authentication, with both image types", async () => {
  const document = z
    .object({ paths: z.object({ "/qr": z.object({ get: z.looseObject({ responses: z.looseObject({}) }) }) }) })
    .parse(JSON.parse((await ask(server, "GET", "/openapi.json")).text));
  const operation = document.paths["/qr"].get;

  expect(operation).toMatchObject({
    security: [],
    responses: {
      200: {
        content: {
          "image/png": { schema: { type: "string", format: "binary" } },
          "image/svg+xml": { schema: { type: "string", format: "binary" } },
        },
      },
    },
  });
  expect(Object.keys(operation.responses).sort()).toEqual([
    "200",
    "304",
    "400",
    "404",
    "422",
    "429",
    "431",
    "500",
    "503",
  ]);
});
