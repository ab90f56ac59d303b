import { describe, expect, test } from "bun:test";
import { finalUrl, readUtm, writeDestination, writeUtm, writeUtmEverywhere } from "./utm.ts";

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
    [
      "example.com?x=1&utm_medium=b&utm_content=e&y=2",
      { utm_term: "d", utm_source: "a" },
      "example.com?x=1&utm_source=a&utm_medium=b&utm_term=d&utm_content=e&y=2",
    ],
  ])("%s with %p becomes %s", (url, values, expected) => {
    expect(writeUtm(url, values)).toBe(expected);
  });
});

/** The URLs of a test's variants. */
function variants(...urls: string[]) {
  return urls.map((url) => ({ url, percentage: "50" }));
}

describe("the UTM parameters of a link with an A/B test", () => {
  test("are set in every variant", () => {
    const draft = { url: "a.com", testVariants: variants("a.com", "a.com/b?x=1") };

    expect(writeUtmEverywhere(draft, { utm_source: "mail" })).toEqual({
      url: "a.com?utm_source=mail",
      testVariants: variants("a.com?utm_source=mail", "a.com/b?x=1&utm_source=mail"),
    });
  });

  test("change and disappear in every variant, except where a variant has another value", () => {
    const draft = {
      url: "a.com?utm_source=mail",
      testVariants: variants("a.com?utm_source=mail", "a.com?utm_source=print", ""),
    };

    expect(writeUtmEverywhere(draft, { utm_source: "mails" }).testVariants).toEqual(
      variants("a.com?utm_source=mails", "a.com?utm_source=print", ""),
    );
    expect(writeUtmEverywhere(draft, { utm_source: "" }).testVariants).toEqual(
      variants("a.com", "a.com?utm_source=print", ""),
    );
  });

  test("are part of the final URL of a variant that does not set them", () => {
    const link = "a.com?utm_source=mail&utm_medium=email";

    expect(finalUrl("b.com", link)).toBe("b.com?utm_source=mail&utm_medium=email");
    expect(finalUrl("b.com?utm_source=print#top", link)).toBe("b.com?utm_source=print&utm_medium=email#top");
    expect(finalUrl("b.com?utm_content=b", link)).toBe("b.com?utm_source=mail&utm_medium=email&utm_content=b");
    expect(finalUrl("b.com", "a.com")).toBe("b.com");
  });
});

test("variants that are copies of the destination follow it", () => {
  const draft = { url: "a.com", testVariants: variants("a.com", "b.com") };

  expect(writeDestination(draft, "c.com")).toEqual({ url: "c.com", testVariants: variants("c.com", "b.com") });
});
