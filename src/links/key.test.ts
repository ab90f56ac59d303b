import { describe, expect, test } from "bun:test";
import { Problem } from "../base/problem.ts";
import { foldKey, lookupKey, randomKey, readKey } from "./key.ts";

const ownDomain = { isInstance: 0, caseSensitive: 0 } as const;
const instanceDomain = { isInstance: 1, caseSensitive: 0 } as const;

/** The key as stored, or the code of the problem it is refused with. */
function outcome(text: string, domain: { isInstance: 0 | 1; caseSensitive: 0 | 1 } = ownDomain): string {
  try {
    return readKey(text, domain);
  } catch (error) {
    if (error instanceof Problem) return `! ${error.code}`;
    throw error;
  }
}

describe("a key is stored as written, in NFC and without outer slashes", () => {
  const cases: [string, string][] = [
    ["spring", "spring"],
    ["Spring-2027_sale.v2", "Spring-2027_sale.v2"],
    ["/a/b/", "a/b"],
    ["///a///", "a"],
    ["a//b", "a//b"],
    ["Straße", "Straße"],
    ["cafe\u0301", "café"],
    ["日本語", "日本語"],
    ["हिन्दी", "हिन्दी"],
    ["🔥", "🔥"],
    ["❤️", "❤️"],
    ["👩‍🚀", "👩‍🚀"],
    ["👍🏽", "👍🏽"],
    ["❤️‍🔥", "❤️‍🔥"],
    ["🇩🇪", "🇩🇪"],
    ["1️⃣", "1️⃣"],
    ["🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
    ["a_root", "a_root"],
    ["app", "app"],
    ["x/favicon.ico", "x/favicon.ico"],
    ["a.phpx", "a.phpx"],
    ["x".repeat(190), "x".repeat(190)],
  ];
  for (const [text, stored] of cases) test(JSON.stringify(text), () => expect(outcome(text)).toBe(stored));
});

describe("an impossible key is refused", () => {
  const unprocessable = "! unprocessable_entity";
  const cases: [string, string][] = [
    ["", unprocessable],
    ["///", unprocessable],
    ["a b", unprocessable],
    ["a?b", unprocessable],
    ["a#b", unprocessable],
    ["a%20b", unprocessable],
    ["a\\b", unprocessable],
    ["a\nb", unprocessable],
    ["a*", unprocessable],
    ["a\u200db", unprocessable], // joiner between letters
    ["🔥\u200d", unprocessable],
    ["a\u200bb", unprocessable], // zero width space
    ["a\u202eb", unprocessable], // right-to-left override
    ["\u3164", unprocessable], // a letter that shows nothing
    ["\u0301", unprocessable],
    ["a/\u0301", unprocessable],
    ["a\u{e0061}", unprocessable], // tag without a flag
    ["a\ufe0fb", unprocessable],
    ["a\u{e0100}", unprocessable], // variation selector without an emoji
    ["_root", unprocessable],
    ["_x", unprocessable],
    [".well-known/x", unprocessable],
    [".Well-Known", unprocessable],
    ["index.php", unprocessable],
    ["index.PHP7", unprocessable],
    ["a/../b", unprocessable],
    ["..", unprocessable],
    ["x".repeat(191), unprocessable],
    ["favicon.ico", "! forbidden"],
    ["Robots.TXT", "! forbidden"],
    ["/sitemap.xml", "! forbidden"],
    ["manifest.json", "! forbidden"],
    ["manifest.webmanifest", "! forbidden"],
    ["apple-app-site-association", "! forbidden"],
  ];
  for (const [text, problem] of cases) test(JSON.stringify(text), () => expect(outcome(text)).toBe(problem));
});

describe("on the instance's domain a key does not begin with a path of the service", () => {
  for (const text of ["v1", "app", "App/x", "docs/", "healthz", "readyz", "metrics", "internal/x"]) {
    test(text, () => expect(outcome(text, instanceDomain)).toBe("! unprocessable_entity"));
  }
  for (const text of ["v2", "apps", "x/app", "v1x"]) {
    test(text, () => expect(outcome(text, instanceDomain)).toBe(text));
  }
});

describe("keys that look the same fold to the same key", () => {
  const cases: [string, string][] = [
    ["Spring", "spring"],
    ["CAFÉ", "cafe\u0301"],
    ["ΟΔΟΣ", "οδος"],
    ["ΟΔΟΣ", "οδοσ"],
    ["İ", "i\u0307"],
    ["\u212a", "k"], // Kelvin sign
    ["ÄÖÜ", "äöü"],
    ["DŽ", "dž"],
  ];
  for (const [one, other] of cases) {
    test(`${one} and ${other}`, () => expect(foldKey(one, false)).toBe(foldKey(other, false)));
  }
});

test("on a case-sensitive domain, folding only composes characters", () => {
  expect(foldKey("Cafe\u0301", true)).toBe("Café");
  expect(foldKey("Spring", true)).not.toBe(foldKey("spring", true));
});

test("folding a folded key changes nothing, for every character and with a mark after it", () => {
  const unstable: string[] = [];

  for (let code = 1; code < 0x20000; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    for (const text of [String.fromCodePoint(code), `${String.fromCodePoint(code)}\u0327`]) {
      const folded = foldKey(text, false);
      if (foldKey(folded, false) !== folded) unstable.push(code.toString(16));
    }
  }

  expect(unstable).toEqual([]);
});

test("a lookup without a key means the root link", () => {
  expect(lookupKey("", ownDomain)).toBe("_root");
  expect(lookupKey("/", ownDomain)).toBe("_root");
  expect(lookupKey("/Spring/", ownDomain)).toBe("spring");
});

test("random keys have the requested length, and later attempts are longer", () => {
  const lengths = [1, 2, 3, 4, 8].map(
    (attempt) => randomKey({ length: 7, prefix: undefined }, ownDomain, attempt).length,
  );

  expect(lengths).toEqual([7, 7, 8, 9, 13]);
  expect(randomKey({ length: 190, prefix: undefined }, ownDomain, 8).length).toBe(190);
});

test("a random key follows its prefix with one slash", () => {
  expect(randomKey({ length: 7, prefix: "/news/" }, ownDomain, 1)).toMatch(/^news\/[2-9A-Za-z]{7}$/);
  expect(randomKey({ length: 7, prefix: "/" }, ownDomain, 1)).toMatch(/^[2-9A-Za-z]{7}$/);
});

test("an impossible prefix is refused", () => {
  for (const [prefix, domain] of [
    ["_x", ownDomain],
    ["a b", ownDomain],
    ["app", instanceDomain],
    ["x".repeat(185), ownDomain],
  ] as const) {
    expect(() => randomKey({ length: 7, prefix }, domain, 1)).toThrow("prefix");
  }
});
