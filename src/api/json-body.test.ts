import { describe, expect, test } from "bun:test";
import { Problem } from "../base/problem.ts";
import { readJson } from "./json-body.ts";

const limit = { bytesMax: 1024 * 1024, valuesMax: 20 };

/** What reading a body of this text gives: its value, or the code it is refused with. */
async function outcome(text: string, headers: Record<string, string> = {}): Promise<unknown> {
  const request = new Request("http://localhost/v1/links", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: text,
  });
  try {
    return (await readJson(request, limit)).value;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

describe("a body is read as JSON.parse reads it, lists element by element", () => {
  const texts = [
    ...[
      "{}",
      "[]",
      " [ ] ",
      "[1]",
      "[1,2,[3,[4]]]",
      '[{"a":"b,c]"},"]",","]',
      '["\\"]",{"a":[1,2]}]',
      "7",
      '"x"',
      "null",
    ],
    ...['["\\\\",1]', "\t[\n1 ,\r2 ] ", '{"a":[1,{"b":[]}]}', '["é","\u2028"]', `["${"x".repeat(600_000)}",1]`],
    ...["[", "]", "[1", "1]", "[1,]", "[,1]", "[1,,2]", "[,]", "[1]]", "[[1]", "[1}", "{1]", '["]', '["a]', "[1][2]"],
    ...[
      "[1],[2]",
      '[1]"x"',
      "[] []",
      "[1 2]",
      '["\\"',
      '{"a":1,}',
      "{} {}",
      "[tru]",
      '["a"x]',
      "[{]}",
      "[[}]",
      '"\\',
      "[\\]",
    ],
  ];
  for (const text of texts) {
    test(text.slice(0, 40), async () => {
      let expected: unknown = "bad_request";
      try {
        expected = JSON.parse(text);
      } catch {
        // It is no JSON.
      }

      expect(await outcome(text)).toEqual(expected);
    });
  }
});

describe("a body of too many values is refused before it is parsed", () => {
  const cases: [string, string][] = [
    ["a list of zeros", `[${"0,".repeat(20)}0]`],
    ["fields", `{${Array.from({ length: 21 }, (_, index) => `"f${index}":1`).join()}}`],
    ["empty lists", `[${"[],".repeat(20)}0]`],
    ["nesting", `${"[".repeat(21)}${"]".repeat(21)}`],
    ["commas that are no JSON", ",".repeat(21)],
  ];
  for (const [name, text] of cases) {
    test(name, async () => expect(await outcome(text)).toBe("payload_too_large"));
  }

  test("commas and brackets in texts are no values", async () => {
    const text = ",[{".repeat(1_000);

    expect(await outcome(JSON.stringify([text, { [text]: text }]))).toEqual([text, { [text]: text }]);
  });
});

test("a body of more bytes than the limit is refused by its length, before any of it has come", async () => {
  const request = new Request("http://localhost/v1/links", {
    method: "POST",
    headers: { "Content-Type": "application/json", "Content-Length": String(limit.bytesMax + 1) },
    body: new ReadableStream({ pull: () => expect.unreachable() }, { highWaterMark: 0 }),
  });

  expect(readJson(request, limit)).rejects.toThrow("at most 1048576 bytes");
});

test("a body of unknown length is refused at its first byte beyond the limit", async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 64 * 1024;
      controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
    },
  });
  const request = new Request("http://localhost/v1/links", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  });

  await expect(readJson(request, limit)).rejects.toThrow("at most 1048576 bytes");
  expect(sent).toBeLessThanOrEqual(limit.bytesMax + 4 * 64 * 1024);
});
