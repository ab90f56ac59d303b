import { expect, test } from "bun:test";
import { isMistypedKey, newApiKeyText } from "./api-key-text.ts";

test("detects a typing error at any position of a generated key", () => {
  const key = newApiKeyText();

  for (let index = "wp_".length; index < key.length; index++) {
    const slip = key[index] === "a" ? "b" : "a";
    expect(isMistypedKey(key.slice(0, index) + slip + key.slice(index + 1))).toBe(true);
  }
  expect(isMistypedKey(key)).toBe(false);
});

test("does not report a key of another form, which an operator chose, as mistyped", () => {
  expect(isMistypedKey("chosen_by_the_operator_0123456789")).toBe(false);
});
