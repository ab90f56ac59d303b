import { expect, test } from "bun:test";
import { formatOf } from "../base/format.ts";
import { shownValue } from "./shown-value.ts";

const format = formatOf("en");

test("instants are written as people write them, and texts that look like one are left alone", () => {
  const instant = "2026-11-21T12:00:00.000Z";

  expect(shownValue("expiresAt", instant, format)).toBe(format.moment(instant));
  expect(shownValue("comments", instant, format)).toBe(instant);
});

test("numbers are written as people write them", () => {
  expect(shownValue("maxClicks", 10_000, format)).toBe("10,000");
});

test("what was not set is empty, tags are told by their names, and the rest as it is", () => {
  expect(["", null, undefined].map((value) => shownValue("expiresAt", value, format))).toEqual(["", "", ""]);
  expect(shownValue("tags", [{ name: "a" }, { name: "b" }], format)).toBe("a, b");
  expect(shownValue("geo", { DE: "https://example.com/" }, format)).toBe('{"DE":"https://example.com/"}');
});
