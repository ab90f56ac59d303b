import { expect, test } from "bun:test";
import { writeBytes, writeTexts } from "./socket-write.ts";

/** A client that accepts a fixed number of bytes per write, and keeps them. */
function writeTimeouts(bytesMax: number) {
  const taken: Buffer[] = [];
  const client = {
    write(bytes: Buffer, offset = 0, length = bytes.length): number {
      const part = Buffer.from(bytes.subarray(offset, offset + Math.min(length, bytesMax)));
      taken.push(part);
      return part.length;
    },
    terminate() {},
  };
  return { client, text: () => Buffer.concat(taken).toString("latin1") };
}

/** A response head with a Location of `length` characters. */
function headOf(letter: string, characters: number): string {
  return `HTTP/1.1 302 Found\r\nLocation: https://example.com/${letter.repeat(characters)}\r\n`;
}

const end = "Date: Sun, 22 Nov 2026 00:00:00 GMT\r\n\r\n";

for (const [description, characters] of [
  ["a short head", 10],
  ["a head larger than the shared buffer", 10_000],
] as const) {
  test(`${description} arrives completely, whatever number of bytes a write accepts`, () => {
    for (const bytesMax of [1, 7, 100, 20_000]) {
      const { client, text } = writeTimeouts(bytesMax);

      for (let rest = writeTexts(client, headOf("a", characters), end); rest !== undefined; ) {
        rest = writeBytes(client, rest);
      }

      expect(text()).toBe(headOf("a", characters) + end);
    }
  });
}

test("unsent bytes of one client survive writing another client's response", () => {
  const slow = writeTimeouts(40);
  const quick = writeTimeouts(1_000);

  const rest = writeTexts(slow.client, headOf("a", 50), end);
  writeTexts(quick.client, headOf("b", 50), end);

  expect(quick.text()).toBe(headOf("b", 50) + end);
  expect(slow.text() + rest?.toString("latin1")).toBe(headOf("a", 50) + end);
});

test("a disconnected client is closed and leaves nothing to send", () => {
  let isClosed = false;
  const client = {
    write: () => -1,
    terminate() {
      isClosed = true;
    },
  };

  expect(writeTexts(client, headOf("a", 10), end)).toBeUndefined();
  expect(isClosed).toBe(true);
});
