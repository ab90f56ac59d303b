import { expect, test } from "bun:test";
import { isMistypedKey, newApiKeyText } from "./api-key-text.ts";

test("a slip in a generated key is told, wherever it is", () => {
  const key = newApiKeyText();

  for (let index = "wp_".length; index < key.length; index++) {
    const slip = key[index] === "a" ? "b" : "a";
    expect(isMistypedKey(key.slice(0, index) + slip + key.slice(index + 1))).toBe(true);
  }
  expect(isMistypedKey(key)).toBe(false);
});

test("a key of another form, chosen by an operator, is never called mistyped", () => {
  expect(isMistypedKey("chosen_by_the_operator_0123456789")).toBe(false);
});
