import { expect, test } from "bun:test";
import { pick, seededRandom } from "../../tests/support/clicks.ts";
import { HeaderValueCache } from "./header-value-cache.ts";

test("any part of any head is returned unchanged, whatever is cached", () => {
  const random = seededRandom(3);
  const texts = new HeaderValueCache();
  const words = Array.from({ length: 300 }, (_, index) => `${index}`.padEnd(Math.floor(random() * 700), "ab c"));

  for (let round = 0; round < 20_000; round++) {
    const word = pick(random, words);
    const before = "x".repeat(Math.floor(random() * 40));
    expect(texts.of(`${before}${word}\r\nHost: a`, before.length, before.length + word.length)).toBe(word);
  }
});

test("values that differ only in characters that the hash skips are told apart", () => {
  const texts = new HeaderValueCache();
  const alike = Array.from(
    { length: 50 },
    (_, index) => `${"a".repeat(100)}${String.fromCharCode(65 + index)}${"b".repeat(100)}`,
  );

  for (let round = 0; round < 4; round++) {
    for (const text of alike) expect(texts.of(`Agent: ${text}`, 7, 7 + text.length)).toBe(text);
  }
});

test("a value with a control character is refused every time", () => {
  const texts = new HeaderValueCache();

  for (const text of ["a\0b", "\x07", "a\x7f", "\x1b[0m"]) {
    for (let round = 0; round < 3; round++) expect(texts.of(text, 0, text.length)).toBeUndefined();
  }
  expect(texts.of("a\tb", 0, 3)).toBe("a\tb");
  expect(texts.of("", 0, 0)).toBe("");
});
