import { describe, expect, test } from "bun:test";
import { changedDestination, newDestination } from "./link-destination.ts";

const noUtm = { utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null };

describe("a new link's utm fields are written into its URL and read back from it", () => {
  const cases: [Parameters<typeof newDestination>[0], ReturnType<typeof newDestination>][] = [
    [{ url: "https://a.example/" }, { url: "https://a.example/", ...noUtm }],
    [{ url: "https://a.example/?utm_source=x" }, { url: "https://a.example/?utm_source=x", ...noUtm, utm_source: "x" }],
    [
      { url: "https://a.example/?utm_source=x", utm_source: " y ", ref: "z" },
      { url: "https://a.example/?utm_source=y&ref=z", ...noUtm, utm_source: "y" },
    ],
    [
      { url: "https://a.example/?utm_source=x", utm_source: "", utm_medium: null },
      { url: "https://a.example/?utm_source=x", ...noUtm, utm_source: "x" },
    ],
  ];
  for (const [input, expected] of cases) {
    test(JSON.stringify(input), () => expect(newDestination(input, [])).toEqual(expected));
  }

  test("a value of 256 characters is refused", () => {
    expect(newDestination({ url: "a.example", utm_source: "x".repeat(255) }, []).utm_source).toHaveLength(255);
    expect(() => newDestination({ url: "a.example", utm_source: "x".repeat(256) }, [])).toThrow("utm_source");
  });
});

describe("an update keeps URL and utm fields in step", () => {
  const before = { key: "k", url: "https://a.example/?utm_source=x&b=1", ...noUtm, utm_source: "x" };
  const cases: [Parameters<typeof changedDestination>[1], ReturnType<typeof changedDestination>][] = [
    [{}, { url: before.url, ...noUtm, utm_source: "x" }],
    [{ url: "https://b.example/" }, { url: "https://b.example/?utm_source=x", ...noUtm, utm_source: "x" }],
    [{ url: "https://b.example/?utm_source=z" }, { url: "https://b.example/?utm_source=x", ...noUtm, utm_source: "x" }],
    [
      { url: "https://b.example/", utm_source: null },
      { url: "https://b.example/", ...noUtm },
    ],
    [{ url: before.url }, { url: before.url, ...noUtm, utm_source: "x" }],
    [{ utm_source: "" }, { url: "https://a.example/?b=1", ...noUtm }],
    [{ utm_source: null }, { url: "https://a.example/?b=1", ...noUtm }],
    [{ utm_source: "y" }, { url: "https://a.example/?utm_source=y&b=1", ...noUtm, utm_source: "y" }],
    [
      { utm_medium: "m", ref: "r" },
      { url: "https://a.example/?utm_source=x&b=1&utm_medium=m&ref=r", ...noUtm, utm_source: "x", utm_medium: "m" },
    ],
  ];
  for (const [input, expected] of cases) {
    test(JSON.stringify(input), () => expect(changedDestination(before, input, [])).toEqual(expected));
  }

  test("only a root link can have no destination", () => {
    expect(changedDestination({ ...before, key: "_root" }, { url: "" }, [])).toEqual({ url: "", ...noUtm });
    expect(() => changedDestination(before, { url: "" }, [])).toThrow("url");
  });
});
