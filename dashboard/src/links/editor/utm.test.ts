import { describe, expect, test } from "bun:test";
import { readUtm, writeUtm } from "./utm.ts";

describe("the UTM parameters of a URL that is being typed", () => {
  test("are parsed with or without a scheme", () => {
    expect(readUtm("example.com/a?utm_source=Spring+mail&x=1&utm_term=a%26b#top")).toEqual({
      utm_source: "Spring mail",
      utm_medium: "",
      utm_campaign: "",
      utm_term: "a&b",
      utm_content: "",
    });
  });

  test.each([
    ["example.com", { utm_source: "mail" }, "example.com?utm_source=mail"],
    ["example.com/a?x=%20&y#top", { utm_medium: "a b&c" }, "example.com/a?x=%20&y&utm_medium=a+b%26c#top"],
    ["example.com?utm_source=a&x=1", { utm_source: "b" }, "example.com?utm_source=b&x=1"],
    ["example.com?utm_source=a", { utm_source: "" }, "example.com"],
    ["", { utm_source: "a" }, "?utm_source=a"],
  ])("%s with %p becomes %s", (url, values, expected) => {
    expect(writeUtm(url, values)).toBe(expected);
  });
});
