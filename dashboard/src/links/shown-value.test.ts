import { expect, test } from "bun:test";
import { formatOf } from "../base/format.ts";
import { shownValue } from "./shown-value.ts";

const format = formatOf("en");

test("instants are formatted, and texts that look like instants are not", () => {
  const instant = "2026-11-21T12:00:00.000Z";

  expect(shownValue("expiresAt", instant, format)).toBe(format.instant(instant));
  expect(shownValue("comments", instant, format)).toBe(instant);
});

test("numbers are formatted", () => {
  expect(shownValue("maxClicks", 10_000, format)).toBe("10,000");
});

test("unset values are empty, tags are shown by name, and other values as JSON", () => {
  expect(["", null, undefined].map((value) => shownValue("expiresAt", value, format))).toEqual(["", "", ""]);
  expect(shownValue("tags", [{ name: "a" }, { name: "b" }], format)).toBe("a, b");
  expect(shownValue("geo", { DE: "https://example.com/" }, format)).toBe('{"DE":"https://example.com/"}');
});
