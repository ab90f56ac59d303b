import { expect, test } from "bun:test";
import { formatOf } from "../base/format.ts";
import { shownValue } from "./shown-value.ts";

const { moment } = formatOf("en");

test("instants are written as people write them, and texts that look like one are left alone", () => {
  const instant = "2026-11-21T12:00:00.000Z";

  expect(shownValue("expiresAt", instant, moment)).toBe(moment(instant));
  expect(shownValue("comments", instant, moment)).toBe(instant);
});

test("what was not set is empty, tags are told by their names, and the rest as it is", () => {
  expect(["", null, undefined].map((value) => shownValue("expiresAt", value, moment))).toEqual(["", "", ""]);
  expect(shownValue("tags", [{ name: "a" }, { name: "b" }], moment)).toBe("a, b");
  expect(shownValue("geo", { DE: "https://example.com/" }, moment)).toBe('{"DE":"https://example.com/"}');
});
