/** Generates the bytes of HTTP requests: valid ones by a grammar, then changed in a few places. */
import fc from "fast-check";
import { part } from "./part.ts";

const method = fc.constantFrom(
  "GET",
  "GET",
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "OPTIONS",
  "get",
  "CONNECT",
  "BREW",
);
const requestTarget = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom("/", "/here", "/v1/links?a=b", "/a/b.c?x=%20&y", "/%2e", "/a//b", "*", "http://a/b"),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
);
const version = fc.oneof(
  { weight: 12, arbitrary: fc.constant("HTTP/1.1") },
  { weight: 1, arbitrary: fc.constantFrom("HTTP/1.0", "HTTP/1.2", "HTTP/2.0", "http/1.1", "HTTP/1.1 ", "") },
);
const fieldName = fc.constantFrom(
  ...["User-Agent", "Referer", "accept-language", "X-Forwarded-For", "DNT", "X-Odd", "Cookie", "__proto__"],
  ...["Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Expect", "Host", "X Y", "", "TE"],
);
const fieldValue = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "",
      "a",
      "close",
      "keep-alive",
      "chunked",
      "0",
      "5",
      "+5",
      "05",
      "1, 1",
      "upgrade",
      "h2c",
      "gzip, chunked",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);
const blank = fc.constantFrom(" ", " ", "", "\t", "  ");
const field = fc
  .tuple(fieldName, blank, fieldValue, fc.constantFrom("", "", " ", "\t"))
  .map(([name, before, value, after]) => `${name}:${before}${value}${after}\r\n`);
const fields = fc.oneof(
  { weight: 30, arbitrary: fc.array(field, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant(Array<string>(120).fill("A: b\r\n")) },
  { weight: 1, arbitrary: fc.constant([`X-Long: ${"a".repeat(17_000)}\r\n`]) },
);

const content = fc.oneof(fc.constantFrom("", "{}", "GET / HTTP/1.1\r\nHost: b\r\n\r\n"), fc.string({ maxLength: 20 }));
const chunk = fc
  .tuple(content, fc.constantFrom("", "", ";a=b", " ;a", '; "x"'), fc.boolean())
  .map(([text, extension, isUpperCase]) => {
    const size = text.length.toString(16);
    return text === "" ? "" : `${isUpperCase ? size.toUpperCase() : size}${extension}\r\n${text}\r\n`;
  });
const trailers = fc.constantFrom(
  "",
  "",
  "",
  "X-Trailer: a\r\n",
  "X: a\rb\r\n",
  "no trailer\r\n",
  "Content-Length: 5\r\n",
);
const body = fc.oneof(
  { weight: 4, arbitrary: fc.constant(["", ""]) },
  { weight: 3, arbitrary: content.map((text) => [`Content-Length: ${Buffer.byteLength(text, "latin1")}\r\n`, text]) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.array(chunk, { maxLength: 3 }), fc.constantFrom("0", "0", "000", "0;x"), trailers)
      .map(([chunks, last, ends]) => ["Transfer-Encoding: chunked\r\n", `${chunks.join("")}${last}\r\n${ends}\r\n`]),
  },
);

const request = fc
  .tuple(method, requestTarget, version, fields, body, fc.constantFrom("", "", "", "\r\n", "\n"))
  .map(([verb, where, protocol, lines, [framing = "", text = ""], before]) => {
    const head = `${verb} ${where} ${protocol}\r\nHost: localhost\r\n${framing}${lines.join("")}\r\n`;
    return `${before}${head}${text}`;
  });

/** Valid requests of one connection, which the listener must accept. */
export const validRequestText = fc
  .array(
    fc.tuple(
      fc.constantFrom("GET", "HEAD", "POST", "DELETE"),
      fc.constantFrom("/", "/here", "/v1/links?a=b", "/a/b.c?x=%20&y"),
      fc.array(fc.constantFrom("DNT: 1\r\n", "X-Odd:\ta \r\n", "Connection: keep-alive\r\n"), { maxLength: 3 }),
      body.filter(([, text = ""]) => !/\rb|no trailer/.test(text)),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((requests) =>
    requests
      .map(([verb, where, lines, [framing = "", text = ""]]) => {
        return `${verb} ${where} HTTP/1.1\r\nHost: localhost\r\n${framing}${lines.join("")}\r\n${text}`;
      })
      .join(""),
  );

/** A change of bytes at a place, which is given as a part of the length. */
const edit = fc.record({
  at: part,
  removed: fc.nat({ max: 3 }),
  inserted: fc.oneof(
    fc.constantFrom(
      "",
      "\r",
      "\n",
      "\r\n",
      "\r\n\r\n",
      " ",
      ":",
      "\t",
      "\0",
      "\u0080",
      "Host: b\r\n",
      "Content-Length: 1\r\n",
    ),
    fc.string({ unit: "binary", maxLength: 3 }),
  ),
});

/** The requests of one connection, as a text that has a character of Latin-1 for each byte. */
export const requestText = fc
  .tuple(
    fc.array(request, { minLength: 1, maxLength: 4 }),
    fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 3, arbitrary: fc.array(edit, { minLength: 1, maxLength: 3 }) },
    ),
  )
  .map(([requests, edits]) => {
    let text = requests.join("");
    for (const { at, removed, inserted } of edits) {
      const place = Math.floor(at * text.length);
      text = text.slice(0, place) + inserted + text.slice(place + removed);
    }
    return text;
  });

/** Where bytes are cut into the pieces in which they arrive. */
export const cuts = fc.oneof(
  { weight: 3, arbitrary: fc.array(part, { maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constant("each byte" as const) },
);

/** The listener parses a head from its beginning for each chunk, so a long head comes in fewer chunks. */
const piecesMax = 2_000;

/** The bytes in pieces. */
export function cut(bytes: Buffer, places: readonly number[] | "each byte"): Buffer[] {
  if (places === "each byte") {
    const length = Math.max(1, Math.ceil(bytes.length / piecesMax));
    return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
      bytes.subarray(index * length, (index + 1) * length),
    );
  }
  const offsets = [0, ...places.map((place) => Math.floor(place * bytes.length)).sort((a, b) => a - b), bytes.length];
  return offsets.slice(1).map((end, index) => bytes.subarray(offsets[index], end));
}
