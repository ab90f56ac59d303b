import { expect, test } from "bun:test";
import { pick, seededRandom } from "../../tests/support/clicks.ts";
import { locationUrl } from "./location-url.ts";

test.each([
  ["https://example.com/", "https://example.com/"],
  ["https://example.com", "https://example.com/"],
  ["https://Example.COM/A", "https://example.com/A"],
  ["https://example.com:443/", "https://example.com/"],
  ["https://example.com/a/../b", "https://example.com/b"],
  ["https://example.com/%2e%2E/b", "https://example.com/b"],
  ["https://0x7f.1/", "https://127.0.0.1/"],
  ["https://bücher.example/ä?ö#ü", "https://xn--bcher-kva.example/%C3%A4?%C3%B6#%C3%BC"],
  ["https://example.com/a b", "https://example.com/a%20b"],
  ["https://example.com/?q='", "https://example.com/?q=%27"],
  ["myapp://open/1", "myapp://open/1"],
])("%s is sent as %s", (url, sent) => {
  expect(locationUrl(url)).toBe(sent);
});

test("the Location value of a web URL equals the URL parser's result", () => {
  const random = seededRandom(11);
  const pieces = [
    "a",
    "Z",
    "9",
    ".",
    "..",
    "/",
    "//",
    "%2e",
    "%2E",
    "%",
    "?",
    "#",
    "=",
    "&",
    "'",
    '"',
    "-",
    "--",
    "_",
    "~",
  ];
  const hosts = [
    "example.com",
    "a.b.c1",
    "xn--bcher-kva.example",
    "1.2",
    "a.1",
    "0x7f.1",
    "a-b.co",
    "EXAMPLE.com",
    "a..b",
    "-a.b",
  ];
  let unchanged = 0;

  for (let round = 0; round < 20_000; round++) {
    const rest = Array.from({ length: Math.floor(random() * 8) }, () => pick(random, pieces)).join("");
    const url = `${pick(random, ["http", "https"])}://${pick(random, hosts)}${pick(random, ["", "/", "/", ":8080/"])}${rest}`;
    const parsed = URL.parse(url)?.href;
    if (parsed === undefined) continue;
    if (parsed === url) unchanged++;
    expect(locationUrl(url)).toBe(parsed);
  }

  expect(unchanged).toBeGreaterThan(1_000);
});
