import { expect, test } from "bun:test";
import { frameRequest } from "./request-framing.ts";
import { headBytesMax } from "./request-head.ts";

const head = (field: string) => `POST / HTTP/1.1\r\nHost: a\r\n${field}\r\n\r\n`;

/**
 * A regular expression that backtracks takes a second for one such head, and then exceeds the test's timeout.
 */
test.each([
  ["a value of spaces with a control character", `X: ${" ".repeat(headBytesMax - 64)}\x01`, "refused"],
  ["a value of tabs with a control character", `X: ${"\t".repeat(headBytesMax - 64)}\x7f`, "refused"],
  ["spaces within Connection", `Connection: a${" ".repeat(headBytesMax - 64)}b`, "framed"],
  ["many commas in Connection", `Connection: ${", ".repeat(headBytesMax / 2 - 64)}close`, "framed"],
  ["a length after spaces", `Content-Length:${" ".repeat(headBytesMax - 64)}x`, "refused"],
])("a head with %s is parsed in linear time", (_, field, kind) => {
  for (let repetition = 0; repetition < 1_000; repetition++)
    expect(String(frameRequest(head(field), 0).kind)).toBe(kind);
});

test("spaces and tabs around a value are trimmed, other white space is not", () => {
  expect(frameRequest(head("Content-Length: \t 5 \t"), 0)).toMatchObject({ body: { kind: "length", bytes: 5 } });
  expect(frameRequest(head("Content-Length: 5\xa0"), 0)).toMatchObject({ kind: "refused" });
  expect(frameRequest(head("Connection: keep-alive \t,\t close"), 0)).toMatchObject({ isLast: true });
});
