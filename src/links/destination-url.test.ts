import { describe, expect, test } from "bun:test";
import { Problem } from "../base/problem.ts";
import { normalizeDestination, type QueryEdit, readUtm, writeQuery } from "./destination-url.ts";

function outcome(text: string, schemes: string[] = []): string {
  try {
    return normalizeDestination(text, "url", schemes);
  } catch (error) {
    if (error instanceof Problem) return `! ${error.code}`;
    throw error;
  }
}

describe("a usable destination is kept as written, or completed", () => {
  const cases: [string, string][] = [
    ["https://example.com", "https://example.com"],
    ["https://example.com/a?b=c%20d&e=f+g#h", "https://example.com/a?b=c%20d&e=f+g#h"],
    ["  https://example.com/ ", "https://example.com/"],
    ["HTTPS://Example.com/A", "HTTPS://Example.com/A"],
    ["http://localhost:8080/x", "http://localhost:8080/x"],
    ["example.com", "https://example.com"],
    ["example.com/a?b=c", "https://example.com/a?b=c"],
    ["example.com:8080/a", "https://example.com:8080/a"],
    ["//example.com/a", "https://example.com/a"],
    ["example.com/@user", "https://example.com/@user"],
    ["https://example.com/a b", "https://example.com/a%20b"],
    ["https://example.com/a\tb\nc", "https://example.com/abc"],
    ["https:\\\\example.com\\a", "https://example.com/a"],
    ["https:example.com", "https://example.com/"],
    ["https://пример.рф/путь", "https://пример.рф/путь"],
  ];
  for (const [text, stored] of cases) test(JSON.stringify(text), () => expect(outcome(text)).toBe(stored));
});

describe("an unusable destination is refused", () => {
  const cases: [string, string][] = [
    ["", "! bad_request"],
    ["   ", "! bad_request"],
    ["example", "! unprocessable_entity"],
    ["/path.html", "! unprocessable_entity"],
    ["hello world.", "! unprocessable_entity"],
    ["https://", "! unprocessable_entity"],
    ["https://a b.com", "! unprocessable_entity"],
    ["someone@example.com", "! unprocessable_entity"],
    ["ftp://example.com", "! unprocessable_entity"],
    ["mailto:someone@example.com", "! unprocessable_entity"],
    ["javascript:alert(1)", "! unprocessable_entity"],
    ["JavaScript:alert(document.domain)", "! unprocessable_entity"],
    [" javascript:alert(1.5)", "! unprocessable_entity"],
    ["java\nscript:alert(1.5)", "! unprocessable_entity"],
    ["data:text/html,<b>x.y</b>", "! unprocessable_entity"],
    [`https://example.com/${"x".repeat(32_000)}`, "! unprocessable_entity"],
  ];
  for (const [text, problem] of cases) {
    test(JSON.stringify(text.slice(0, 60)), () => expect(outcome(text)).toBe(problem));
  }
});

describe("a refusal says why a text is no destination, and what would be right", () => {
  const right = "https://example.com/page.";
  const cases: [string, string][] = [
    ["example", `url: must be a full URL, such as ${right}`],
    ["localhost:8080/a", `url: must be a full URL, such as ${right}`],
    ["FTP://example.com", `url: must not begin with "ftp:"; the operator allows http:, https:, app:, as in ${right}`],
    [
      "mailto:a@b.example",
      `url: must not begin with "mailto:"; the operator allows http:, https:, app:, as in ${right}`,
    ],
    ["javascript:alert(1)", `url: must not begin with "javascript:"; use a URL such as ${right}`],
    ["https://", `url: must be a URL such as ${right}`],
    ["https://a b.com", `url: must be a URL such as ${right}`],
    ["Look: example.com", `url: must be a URL such as ${right}`],
    [`${"x".repeat(100)}:y.z`, `url: must be a URL such as ${right}`],
  ];

  for (const [text, message] of cases) {
    test(JSON.stringify(text.slice(0, 60)), () => {
      expect(() => normalizeDestination(text, "url", ["app"])).toThrow(new Problem("unprocessable_entity", message));
    });
  }
});

test("configured schemes are destinations too, but never schemes that run their content", () => {
  expect(outcome("myapp://open?x=1", ["myapp"])).toBe("myapp://open?x=1");
  expect(outcome("com.example.app://open", ["com.example.app"])).toBe("com.example.app://open");
  expect(outcome("javascript:alert(1)", ["javascript"])).toBe("! unprocessable_entity");
});

describe("writing utm fields leaves the rest of the query alone", () => {
  const cases: [string, QueryEdit, string][] = [
    ["https://example.com/a", { utm_source: "x" }, "https://example.com/a?utm_source=x"],
    ["https://example.com", { utm_source: "x" }, "https://example.com/?utm_source=x"],
    ["https://example.com/a?", { utm_source: "x" }, "https://example.com/a?utm_source=x"],
    ["https://example.com/a#top", { utm_source: "x" }, "https://example.com/a?utm_source=x#top"],
    [
      "https://example.com/a?b=c%20d&e=f+g&h",
      { utm_source: "x y" },
      "https://example.com/a?b=c%20d&e=f+g&h&utm_source=x+y",
    ],
    ["https://example.com/a?u=https://b.c/?d=[1]", { ref: "x" }, "https://example.com/a?u=https://b.c/?d=[1]&ref=x"],
    [
      "https://example.com/?utm_source=a&b=1&utm_source=c",
      { utm_source: "x" },
      "https://example.com/?utm_source=x&b=1",
    ],
    ["https://example.com/?utm_source=a%20b", { utm_source: "a b" }, "https://example.com/?utm_source=a%20b"],
    ["https://example.com/?utm%5Fsource=a", { utm_source: "b" }, "https://example.com/?utm_source=b"],
    ["https://example.com/?utm_source=a&b=1", { utm_source: null }, "https://example.com/?b=1"],
    ["https://example.com/?utm_source=a", { utm_source: null, utm_medium: null }, "https://example.com/"],
    ["https://example.com", { utm_source: null }, "https://example.com"],
    ["https://example.com/?a=1&", { utm_source: undefined }, "https://example.com/?a=1&"],
    [
      "https://example.com/a",
      { ref: "r", utm_content: "5", utm_term: "4", utm_campaign: "3", utm_medium: "2", utm_source: "1" },
      "https://example.com/a?utm_source=1&utm_medium=2&utm_campaign=3&utm_term=4&utm_content=5&ref=r",
    ],
    [
      "https://example.com/?a=1&utm_medium=2&utm_content=5&ref=r&z=9",
      { utm_source: "1", utm_term: "4" },
      "https://example.com/?a=1&utm_source=1&utm_medium=2&utm_term=4&utm_content=5&ref=r&z=9",
    ],
    ["https://example.com/?utm_content=5&", { utm_source: "1" }, "https://example.com/?utm_source=1&utm_content=5&"],
    ["myapp://open?x=1", { utm_source: "x" }, "myapp://open?x=1&utm_source=x"],
    ["https://example.com/a", { utm_source: "ä&=#" }, "https://example.com/a?utm_source=%C3%A4%26%3D%23"],
  ];
  for (const [url, edit, expected] of cases) {
    test(`${url} ${JSON.stringify(edit)}`, () => expect(writeQuery(url, edit)).toBe(expected));
  }
});

test("utm fields are read back decoded: the first of several, empty ones as null, without NUL", () => {
  const url =
    "https://example.com/?utm_source=a+b&utm_source=c&utm_medium=&utm_term=%00x&utm_content=%C3%A4#?utm_campaign=no";

  expect(readUtm(url)).toEqual({
    utm_source: "a b",
    utm_medium: null,
    utm_campaign: null,
    utm_term: "x",
    utm_content: "ä",
  });
});

test("each character of a utm field is written as URLSearchParams writes it, and read back", () => {
  const values = Array.from({ length: 0x180 - 0x20 }, (_, index) => `a${String.fromCodePoint(0x20 + index)}`);

  const urls = values.map((value) => writeQuery("https://example.com/", { utm_source: value }));

  expect(urls).toEqual(values.map((value) => `https://example.com/?${new URLSearchParams({ utm_source: value })}`));
  expect(urls.map((url) => readUtm(url).utm_source)).toEqual(values);
});

test("a URL that utm fields make too long is refused", () => {
  const url = `https://example.com/${"x".repeat(31_900)}`;

  expect(() => writeQuery(url, { utm_source: "y".repeat(255) })).toThrow("32000");
});
