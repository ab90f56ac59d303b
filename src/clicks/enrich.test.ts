import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { SpooledClick } from "./click.ts";
import { enrich, parseReferrer, utmMax } from "./enrich.ts";

const captured: SpooledClick = {
  id: "0199f3a0-0000-7000-8000-000000000001",
  time: 1_763_700_000_000,
  workspaceId: 7,
  linkId: "link_1",
  domainId: "dom_a",
  domain: "go.example.com",
  key: "launch",
  url: "https://example.com/?utm_source=newsletter&utm_medium=email&utm_campaign=launch&utm_term=a+b&utm_content=top",
  country: "US",
  region: "US-CA",
  city: "San José",
  continent: "NA",
  referer: "https://www.google.com/search?q=waypost",
  agent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:100.0) Gecko/20100101 Firefox/100.0",
  language: "en",
  trigger: "qr",
  bot: "",
  visitor: "0123456789abcdef",
};

test("a captured click becomes a click of the store", () => {
  expect(enrich(captured)).toEqual({
    id: captured.id,
    time: captured.time,
    workspaceId: 7,
    linkId: "link_1",
    domainId: "dom_a",
    domain: "go.example.com",
    key: "launch",
    url: captured.url,
    country: "US",
    region: "US-CA",
    city: "San José",
    continent: "NA",
    device: "Desktop",
    browser: "Firefox",
    os: "Windows",
    referer: "google.com",
    refererUrl: "https://www.google.com/search",
    language: "en",
    trigger: "qr",
    bot: "",
    visitor: "0123456789abcdef",
    utm_source: "newsletter",
    utm_medium: "email",
    utm_campaign: "launch",
    utm_term: "a b",
    utm_content: "top",
  });
});

test("the kind of bot that capture found overrides the user agent", () => {
  expect(enrich({ ...captured, bot: "prefetch", agent: "curl/8.7.1" }).bot).toBe("prefetch");
  expect(enrich({ ...captured, agent: "curl/8.7.1" }).bot).toBe("tool");
});

test("real Referer headers have the host and URL determined by hand", () => {
  const lines = readFileSync(new URL("../../tests/fixtures/referers.tsv", import.meta.url), "utf8").split("\n");
  const expected = lines.slice(1, -1).map((line) => {
    const [header = "", referer = "", refererUrl = ""] = line.split("\t");
    return { header, referer, refererUrl };
  });

  const found = expected.map(({ header }) => ({ header, ...parseReferrer(header) }));

  expect(found).toEqual(expected);
});

test.each([
  ["trimmed", "https://example.com/?utm_source=%20%20mail%0A", "mail"],
  ["the first of several", "https://example.com/?utm_source=a&utm_source=b", "a"],
  ["decoded", "https://example.com/?utm_source=caf%C3%A9%20%F0%9F%98%80", "café 😀"],
  ["read from an app URL", "myapp://open/item?utm_source=app", "app"],
  ["not read from the fragment", "https://example.com/#?utm_source=a", ""],
  ["empty for an invalid URL", "not an address?utm_source=a", ""],
  ["empty without a URL", "", ""],
  ["kept if badly encoded", "https://example.com/?utm_source=%E0%A4%A&x=%", "\ufffd%A"],
  ["without NUL", "https://example.com/?utm_source=a%00b", "ab"],
  ["cut at the limit", `https://example.com/?utm_source=${"a".repeat(300)}`, "a".repeat(utmMax)],
  ["not cut within a surrogate pair", `https://example.com/?utm_source=${"a".repeat(254)}😀`, "a".repeat(254)],
])("utm_source is %s", (_, url, source) => {
  expect(enrich({ ...captured, url }).utm_source).toBe(source);
});

test("no click has a lone surrogate or a NUL in any text, and nothing throws", () => {
  for (const broken of [
    "\0",
    "\ud800",
    "\udc00x",
    "a\0b\ud83d",
    "\ud83d\0\ude00",
    "https://a.example/\ud800\0?utm_source=\ud800\0",
  ]) {
    const texts = Object.fromEntries(
      [
        "linkId",
        "domain",
        "key",
        "url",
        "country",
        "region",
        "city",
        "continent",
        "referer",
        "agent",
        "language",
        "visitor",
      ].map((name) => [name, broken]),
    );

    const click = enrich({ ...captured, ...texts });

    for (const [name, value] of Object.entries(click)) {
      if (typeof value !== "string") continue;
      expect(value.isWellFormed(), name).toBe(true);
      expect(value.includes("\0"), name).toBe(false);
    }
  }
});

test("a referrer URL stays within the limit of URLs", () => {
  const { refererUrl } = parseReferrer(`https://example.com/${"é".repeat(490)}`);

  expect(refererUrl.length).toBe(2_000);
});
