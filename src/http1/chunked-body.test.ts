import { describe, expect, test } from "bun:test";
import { ChunkedBody } from "./chunked-body.ts";

const bytesMax = 1_000_000;

/** The forwarded bytes of a body that arrives in these reads; "400" or "413" if it is refused. */
function forwarded(reads: readonly string[]): string {
  const body = new ChunkedBody(bytesMax);
  let text = "";
  for (const read of reads) {
    const taken = body.take(Buffer.from(read, "latin1"));
    if (taken.kind === "refused") return String(taken.error.status);
    text += taken.bytes.toString("latin1");
  }
  return body.isDone ? text : `${text}…`;
}

const content = (text: string) => text.replace(/[0-9a-f]+\r\n([^\r]*)\r\n/g, "$1");

describe("a chunked body", () => {
  test("is forwarded with one chunk per read, without extensions and trailers", () => {
    const body = '2\r\nab\r\n3;x="y"\r\ncde\r\n1 \t;z\r\nf\r\n0;last\r\nTrailer: 1\r\nOther: 2\r\n\r\n';

    expect(forwarded([body])).toBe("6\r\nabcdef\r\n0\r\n\r\n");
    expect(forwarded([body.slice(0, 5), body.slice(5)])).toBe("2\r\nab\r\n4\r\ncdef\r\n0\r\n\r\n");
  });

  test("has the same content wherever it is split", () => {
    const body = "2\r\nab\r\n3;x\r\ncde\r\n0\r\nTrailer: 1\r\n\r\n";

    for (let at = 1; at < body.length; at++) {
      expect([at, content(forwarded([body.slice(0, at), body.slice(at)]))]).toEqual([at, "abcde"]);
    }
    expect(content(forwarded([...body]))).toBe("abcde");
  });

  test("ends where the next request begins", () => {
    const body = new ChunkedBody(bytesMax);

    const taken = body.take(Buffer.from("1\r\na\r\n0\r\n\r\nGET / HTTP/1.1\r\n"));

    expect(taken).toMatchObject({ kind: "taken", taken: 11 });
    expect(body.isDone).toBe(true);
  });

  test.each([
    ["no size", "\r\n"],
    ["an invalid size", "x\r\n"],
    ["nine digits", "000000001\r\na\r\n"],
    ["a sign", "+1\r\na\r\n"],
    ["a space before the size", " 1\r\na\r\n"],
    ["a space after the size without an extension", "1 \r\na\r\n"],
    ["a line that ends with LF only", "1\na\r\n"],
    ["a CR within an extension", "1;a\rb\r\n"],
    ["a control character in an extension", "1;\x01\r\na\r\n"],
    ["more content than its size", "1\r\nab\r\n"],
    ["only LF after the content", "1\r\na\n"],
    ["only LF in a trailer", "0\r\nTrailer: 1\n\r\n"],
    ["an extension beyond 4 KiB", `1;${"x".repeat(5_000)}\r\na\r\n`],
    ["trailers beyond 16 KiB", `0\r\nTrailer: ${"x".repeat(17_000)}\r\n\r\n`],
    ["chunks that are mostly framing", "1;xxxxxxxxxxx\r\na\r\n".repeat(6_000)],
  ])("with %s is refused", (_, body) => {
    expect(forwarded([body])).toBe("400");
    expect(forwarded([...body])).toBe("400");
  });

  test("with more content than an operation accepts is rejected", () => {
    expect(forwarded([`${(bytesMax + 1).toString(16)}\r\n`, "a".repeat(bytesMax), "a"])).toBe("413");
  });

  test("of one-byte chunks is forwarded up to the limit of operations without a key", () => {
    const body = `${"1\r\na\r\n".repeat(4_096)}0\r\n\r\n`;

    expect(forwarded([body])).toBe(`1000\r\n${"a".repeat(4_096)}\r\n0\r\n\r\n`);
  });
});
