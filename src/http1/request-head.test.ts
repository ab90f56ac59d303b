import { describe, expect, test } from "bun:test";
import { headBytesMax, parseRequestHead, type RequestHead } from "./request-head.ts";

const host = "Host: go.example.com";

/** A GET of "/k" with these lines, or another request line. */
function headOf(lines: readonly string[], requestLine = "GET /k HTTP/1.1"): string {
  return `${[requestLine, ...lines].join("\r\n")}\r\n\r\n`;
}

function expectHead(text: string): RequestHead {
  const parsed = parseRequestHead(text, 0);
  if (parsed.kind !== "head") throw new Error(`${JSON.stringify(text)} is ${parsed.kind}`);
  return parsed;
}

function kindOf(text: string): string {
  return parseRequestHead(text, 0).kind;
}

/** The request of a browser. */
const browsers = headOf(
  [
    host,
    "Connection: keep-alive",
    "Sec-GPC: 1",
    "DNT: 1",
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
    "Accept-Language: de,en-US;q=0.7,en;q=0.3",
    "Referer: https://news.example/",
    "X-Forwarded-For: 203.0.113.7",
  ],
  "GET /Spring%20sale?a=1&b=%26 HTTP/1.1",
);

test("a browser's request is parsed", () => {
  const { method, path, query, headers, isLast, end } = expectHead(browsers);

  expect({ method, path, query, isLast, end }).toEqual({
    method: "GET",
    path: "Spring%20sale",
    query: "?a=1&b=%26",
    isLast: false,
    end: browsers.length,
  });
  expect(headers).toMatchObject({
    host: "go.example.com",
    "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    referer: "https://news.example/",
    "accept-language": "de,en-US;q=0.7,en;q=0.3",
    "x-forwarded-for": "203.0.113.7",
    dnt: "1",
    "sec-gpc": "1",
    purpose: undefined,
  });
});

test("a head cut anywhere is incomplete", () => {
  const head = browsers.replace("GET", "HEAD");

  for (let length = 0; length < head.length; length++) {
    expect([length, kindOf(head.slice(0, length))]).toEqual([length, "incomplete"]);
  }
  expect(kindOf(head)).toBe("head");
});

test("consecutive heads are parsed one after the other, each from the end of the last", () => {
  const heads = [browsers, headOf([host]), headOf([host], "HEAD /2?x HTTP/1.1"), headOf(["Host:"], "GET / HTTP/1.1")];
  const text = `${heads.join("")}GET /rest`;

  const found: unknown[] = [];
  let start = 0;
  for (let parsed = parseRequestHead(text, 0); parsed.kind === "head"; parsed = parseRequestHead(text, start)) {
    found.push([parsed.method, parsed.path, parsed.query, parsed.end - start]);
    start = parsed.end;
  }

  expect(found).toEqual([
    ["GET", "Spring%20sale", "?a=1&b=%26", browsers.length],
    ["GET", "k", "", headOf([host]).length],
    ["HEAD", "2", "?x", headOf([host], "HEAD /2?x HTTP/1.1").length],
    ["GET", "", "", headOf(["Host:"], "GET / HTTP/1.1").length],
  ]);
  expect(text.slice(start)).toBe("GET /rest");
  expect(parseRequestHead(text, start).kind).toBe("incomplete");
});

describe("fields", () => {
  /** Header lines besides Host, and the parsed fields. */
  const cases: [string, string[], object][] = [
    ["in upper case", ["USER-AGENT: a", "X-MOZ: b"], { "user-agent": "a", "x-moz": "b" }],
    ["in mixed case", ["uSeR-aGeNt: a", "pUrPoSe: b"], { "user-agent": "a", purpose: "b" }],
    ["without a space", ["User-Agent:a"], { "user-agent": "a" }],
    ["between blanks", ["User-Agent: \t a b\tc \t "], { "user-agent": "a b\tc" }],
    ["with an empty value", ["User-Agent:", "Referer: \t "], { "user-agent": "", referer: "" }],
    ["with colons", ["Referer: https://a:1/:", "X-Purpose: :"], { referer: "https://a:1/:", "x-purpose": ":" }],
    ["sent twice", ["X-Forwarded-For: 1", "DNT: 1", "x-forwarded-for:2 "], { "x-forwarded-for": "1, 2", dnt: "1" }],
    ["sent thrice", ["Sec-Purpose: a", "Sec-Purpose:", "SEC-PURPOSE: c"], { "sec-purpose": "a, , c" }],
    ["of other names", ["X-User-Agent: a", "User_Agent: b", "Referers: c", "!#$%&'*+-.^_`|~9: d"], {}],
    ["named like members of Object.prototype", ["__proto__: a", "constructor: b", "toString: c"], {}],
    ["with control characters in unused fields", ["Accept: a\0b\x7f"], {}],
  ];
  for (const [description, lines, seen] of cases) {
    test(`${description} are parsed as HTTP defines`, () => {
      const { headers } = expectHead(headOf([host, ...lines]));

      const given: object = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
      expect(given).toEqual({ host: "go.example.com", isLast: false, ...seen });
    });
  }

  test("an empty Host is accepted", () => {
    expect(expectHead(headOf(["Host:"])).headers.host).toBe("");
    expect(expectHead(headOf(["hOsT: \t"])).headers.host).toBe("");
  });

  test("Connection: close marks the last request, also if only one of two fields says so", () => {
    const cases: [string[], boolean][] = [
      [[], false],
      [["Connection: keep-alive"], false],
      [["CONNECTION: Keep-Alive"], false],
      [["Connection: close"], true],
      [["connection:CLOSE\t"], true],
      [["Connection: close", "Connection: keep-alive"], true],
      [["Connection: keep-alive", "Connection: close"], true],
    ];
    for (const [lines, isLast] of cases) {
      expect([lines, expectHead(headOf([host, ...lines])).isLast]).toEqual([lines, isLast]);
    }
  });
});

describe("requests left to the HTTP server", () => {
  const requestLines = [
    "POST /k HTTP/1.1",
    "OPTIONS * HTTP/1.1",
    "get /k HTTP/1.1",
    "GETT /k HTTP/1.1",
    "HEADS /k HTTP/1.1",
    "PRI * HTTP/2.0",
    "CONNECT a:443 HTTP/1.1",
    " GET /k HTTP/1.1",
    "\r\nGET /k HTTP/1.1",
    "GET  /k HTTP/1.1",
    "GET\t/k HTTP/1.1",
    "GET /k  HTTP/1.1",
    "GET /k\tHTTP/1.1",
    "GET /k HTTP/1.1 ",
    "GET /k a HTTP/1.1",
    "GET /k HTTP/1.0",
    "GET /k HTTP/1.2",
    "GET /k HTTP/2.0",
    "GET /k http/1.1",
    "GET /k HTTP/1.1\rX",
    "GET /k",
    "GET /",
    "GET / ",
    "GET  HTTP/1.1",
    "GET k HTTP/1.1",
    "GET http://go.example.com/k HTTP/1.1",
    "GET * HTTP/1.1",
  ];
  for (const line of requestLines) {
    test(`the request line ${JSON.stringify(line)}`, () => {
      expect(kindOf(headOf([host], line))).toBe("other");
    });
  }

  const targets = [
    ...["/.", "/..", "/./k", "/../k", "/a/.", "/a/..", "/a/./k", "/a/../k", "/...", "/.k", "//.", "/a//..", "/a/.?b"],
    ...["/%2e", "/%2E", "/%2e%2e", "/.%2e/k", "/%2E./k", "/a/%2e", "/a/%2E%2e/k", "/.well-known/assetlinks.json"],
    ...["/\\", "/a\\b", "/a?\\", "/\\evil.example"],
    ...["/#", "/a#b", "/a?b#c", '/a"', "/a<", "/a>", "/a^", "/a`", "/a{", "/a}", "/a|", "/a[", "/a]", "/a'"],
    ...['/a?"', "/a?<", "/a?>", "/a?^", "/a?`", "/a?{", "/a?|", "/a?[", "/a?'", "/a\x7f", "/a\0", "/a\x01", "/a?\x1f"],
  ];
  for (const target of targets) {
    test(`the target ${JSON.stringify(target)}`, () => {
      expect(kindOf(headOf([host], `GET ${target} HTTP/1.1`))).toBe("other");
    });
  }

  const fieldLines: string[][] = [
    ["Content-Length: 0"],
    ["content-length:5"],
    ["CONTENT-LENGTH: 0", "Content-Length: 5"],
    ["Content-Length:"],
    ["Transfer-Encoding: chunked"],
    ["tRANSFER-eNCODING: identity"],
    ["Upgrade: h2c"],
    ["Expect: 100-continue"],
    ["Connection: upgrade"],
    ["Connection: keep-alive, x"],
    ["Connection: close, te"],
    ["Connection:"],
    ["Connection: keep-alive", "Connection: x"],
    ["Host: go.example.com"],
    ["host:"],
    [" folded: a"],
    ["User-Agent: a", " b"],
    ["User-Agent: a", "\tb"],
    ["User-Agent : a"],
    ["Content-Length : 5"],
    ["Transfer-Encoding\t: chunked"],
    [": a"],
    [":"],
    ["no colon"],
    ["nocolon"],
    ["(x): a"],
    ["x@y: a"],
    ["x/y: a"],
    ['"x": a'],
    ["x[]: a"],
    ["x\\: a"],
    ["x\x7f: a"],
    ["x\0: a"],
    ["User\rAgent: a"],
    ["User-Agent: a\rb"],
    ["Accept: a\rContent-Length: 5"],
    ["Accept: a\nContent-Length: 5"],
    ["Accept: a\r\r"],
    ["User-Agent: a\0b"],
    ["User-Agent: a\x01b"],
    ["Referer: \x1f"],
    ["Accept-Language: a\x7f"],
  ];
  for (const lines of fieldLines) {
    test(`the fields ${JSON.stringify(lines)}, before and after Host`, () => {
      expect(kindOf(headOf([host, ...lines]))).toBe("other");
      expect(kindOf(headOf([...lines, host]))).toBe("other");
    });
  }

  test("a request without Host, or with a control character in it", () => {
    expect(kindOf(headOf([]))).toBe("other");
    expect(kindOf(headOf(["Hos: a", "Hostt: b", "X-Host: c"]))).toBe("other");
    expect(kindOf(headOf(["Host: go\0.example.com"]))).toBe("other");
  });

  test("any line that ends with LF only", () => {
    const ends = [...browsers.matchAll(/\r\n/g)].map(({ index }) => index);
    for (const at of ends) {
      const text = browsers.slice(0, at) + browsers.slice(at + 1);
      expect([at, kindOf(text)]).toEqual([at, "other"]);
    }
    expect(kindOf(browsers.replaceAll("\r\n", "\n"))).toBe("other");
    expect(kindOf(browsers.replaceAll("\r\n", "\r"))).not.toBe("head");
  });

  test("a head beyond the HTTP server's limit, by one byte or by many lines", () => {
    const padded = (length: number) => {
      const least = headOf([host, "X: "]).length;
      return headOf([host, `X: ${"a".repeat(length - least)}`]);
    };

    expect(kindOf(padded(headBytesMax))).toBe("head");
    expect(kindOf(padded(headBytesMax + 1))).toBe("other");
    expect(kindOf(headOf([host, ...Array.from({ length: 99 }, () => "X: a")]))).toBe("head");
    expect(kindOf(headOf([host, ...Array.from({ length: 200 }, () => "X: a")]))).toBe("other");
  });
});

test("targets that a URL parser leaves unchanged are accepted", () => {
  const targets: [string, string, string][] = [
    ["/", "", ""],
    ["/?", "", "?"],
    ["/k", "k", ""],
    ["/k/", "k/", ""],
    ["//k", "/k", ""],
    ["/a/b//c", "a/b//c", ""],
    ["/k?", "k", "?"],
    ["/k?a=1?b=2", "k", "?a=1?b=2"],
    ["/k?../../x/./y", "k", "?../../x/./y"],
    ["/k.", "k.", ""],
    ["/k..", "k..", ""],
    ["/a.b/c.d", "a.b/c.d", ""],
    ["/k%2e", "k%2e", ""],
    ["/%zz%", "%zz%", ""],
    ["/%00", "%00", ""],
    ["/a:b@c;d=e,f+g~h!i$j&k(l)*", "a:b@c;d=e,f+g~h!i$j&k(l)*", ""],
    ["/_-", "_-", ""],
  ];
  for (const [target, path, query] of targets) {
    const head = expectHead(headOf([host], `GET ${target} HTTP/1.1`));
    expect([target, head.path, head.query]).toEqual([target, path, query]);
  }
});

test("the header field dub-no-track is read", () => {
  const head = parseRequestHead("GET /k HTTP/1.1\r\nHost: a.example\r\nDub-No-Track: 1\r\n\r\n", 0);

  expect(head.kind === "head" && head.headers["dub-no-track"]).toBe("1");
});
