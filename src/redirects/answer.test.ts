import { describe, expect, test } from "bun:test";
import { type Answer, answerOf, sendTo } from "./answer.ts";

/** The fields in the head by name, with its first line as "status". */
function fieldsOfHead(answer: Answer): Record<string, string> {
  const [status = "", ...fields] = answer.head.split("\r\n").slice(0, -1);
  return { status, ...Object.fromEntries(fields.map((field) => field.split(/: (.*)/s).slice(0, 2))) };
}

describe("the head agrees with the fields and the body", () => {
  const answers: [string, string, Answer][] = [
    ["an answer without a body", "HTTP/1.1 405 Method Not Allowed", answerOf(405, { Allow: "GET, HEAD" })],
    ["a page", "HTTP/1.1 200 OK", answerOf(200, { "Content-Type": "text/html" }, "<p>Größe</p>")],
    ["a redirect", "HTTP/1.1 302 Found", sendTo("https://example.com/a: b?c=d", 302, true)],
    ["a redirect that is not indexed", "HTTP/1.1 308 Permanent Redirect", sendTo("https://example.com/", 308, false)],
  ];
  for (const [name, status, answer] of answers) {
    test(name, async () => {
      const response = answer.response();
      const body = await response.text();

      expect(fieldsOfHead(answer)).toEqual({
        status,
        ...answer.fields,
        "Content-Length": String(Buffer.byteLength(body)),
      });
      expect(answer.head.endsWith("\r\n")).toBe(true);
      expect(Object.fromEntries(response.headers)).toMatchObject(
        Object.fromEntries(Object.entries(answer.fields).map(([field, value]) => [field.toLowerCase(), value])),
      );
    });
  }
});

test("only indexed links have no X-Robots-Tag", () => {
  expect(sendTo("https://example.com/", 302, true).fields["X-Robots-Tag"]).toBeUndefined();
  expect(sendTo("https://example.com/", 302, false).fields["X-Robots-Tag"]).toBe("noindex");
});

test("a value that would add header fields is refused", () => {
  const hostile = "https://example.com/\r\nSet-Cookie: a=b";

  expect(() => sendTo(hostile, 302, true)).toThrow("Location");
  expect(() => answerOf(200, { "X-Name": hostile })).toThrow("X-Name");
});
