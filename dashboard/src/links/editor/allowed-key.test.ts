import { expect, test } from "bun:test";
import { allowedKey } from "./allowed-key.ts";

test.each([
  ["summer sale", "summer-sale"],
  ["  Summer   Sale ", "Summer-Sale"],
  ["mother’s day", "mothers-day"],
  ["50% off & more!", "50-off-more"],
  ["spring/new arrivals", "spring/new-arrivals"],
  ["spring - summer", "spring-summer"],
  ["_hidden", "hidden"],
  ["größe M", "größe-M"],
  ["🎉 party", "🎉-party"],
  ["夏季 促销", "夏季-促销"],
  ["summer%20sale", "summer-sale"],
  ["100%", "100"],
  ["https://go.example.com/summer sale?x=1#top", "summer-sale"],
  ["sale\u200b", "sale"],
])("%j is offered as %s", (text, expected) => {
  expect(allowedKey(text)).toBe(expected);
});

test.each(["summer-sale", "Größe/2026", "a--b", "v1.", "/menu/", "👩‍🚀", "?!", "", "https://example.com/"])(
  "nothing is offered for %j",
  (text) => {
    expect(allowedKey(text)).toBeUndefined();
  },
);

test("an offered slug is not too long", () => {
  expect(allowedKey(`${"a".repeat(189)} ${"b".repeat(9)}`)).toBe("a".repeat(189));
});
