import { describe, expect, test } from "bun:test";
import { Problem } from "../../base/problem.ts";
import { type BodyLimit, readJson } from "./json-body.ts";

const limit = { bytesMax: 1024 * 1024, valuesMax: 20 };
const withMembers = { ...limit, member: { bytesMax: 700_000, valuesMax: 10 } };

/** Reads a body of this text; returns its value, or the code of the refusal. */
async function outcome(text: string, bodyLimit: BodyLimit = limit): Promise<unknown> {
  const request = new Request("http://localhost/v1/links", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: text,
  });
  try {
    return (await readJson(request, bodyLimit)).value;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

describe("a body is parsed like JSON.parse, as a whole and member by member", () => {
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
      ...['{"a":1,"b":[2,{"c":3}],"a":4}', '{ "a,}" : "b" , "é":{} }', '{"__proto__":{"a":1}}', '{"2":1,"1":2}'],
      ...["{,}", "{,1}", '{"a":1,,"b":2}', '{"a"}', '{"a":1}{"b":2}', '{"a":1 "b":2}', '{"a":[}', "{ }"],
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
        // The text is not JSON.
      }

      expect(await outcome(text)).toEqual(expected);
      expect(await outcome(text, withMembers)).toEqual(expected);
    });
  }
});

describe("a body of too many values is refused before it is parsed", () => {
  const cases: [string, string][] = [
    ["a list of zeros", `[${"0,".repeat(20)}0]`],
    ["fields", `{${Array.from({ length: 21 }, (_, index) => `"f${index}":1`).join()}}`],
    ["empty lists", `[${"[],".repeat(20)}0]`],
    ["nesting", `${"[".repeat(21)}${"]".repeat(21)}`],
    ["commas that are not JSON", ",".repeat(21)],
  ];
  for (const [name, text] of cases) {
    test(name, async () => expect(await outcome(text)).toBe("payload_too_large"));
  }

  test("commas and brackets in strings do not count as values", async () => {
    const text = ",[{".repeat(1_000);

    expect(await outcome(JSON.stringify([text, { [text]: text }]))).toEqual([text, { [text]: text }]);
  });
});

describe("a body with a member beyond the limit per member is refused", () => {
  const values = (count: number) => `[${Array(count).fill(0).join()}]`;
  const long = JSON.stringify("x".repeat(700_000));
  const cases: [string, string, boolean][] = [
    ["an element of too many values", `[1,${values(12)}]`, true],
    ["an element at the limit of values", `[1,${values(10)}]`, false],
    ["elements at the limit together", `[${values(6)},${values(6)}]`, false],
    ["a field of too many values", `{"a":1,"b":${values(12)}}`, true],
    ["an element of too many bytes", `[1,${long}]`, true],
    ["a field of too many bytes", `{"a":${long}}`, true],
    ["bytes of two elements", JSON.stringify(["x".repeat(400_000), "x".repeat(400_000)]), false],
  ];
  for (const [name, text, isRefused] of cases) {
    test(name, async () => {
      expect(await outcome(text, withMembers)).toEqual(isRefused ? "payload_too_large" : JSON.parse(text));
    });
  }
});

test("a body beyond the limit of bytes is refused by its Content-Length, before any byte arrives", async () => {
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
