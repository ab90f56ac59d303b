import { describe, expect, test } from "bun:test";
import { forwardQuery } from "./forward-query.ts";

describe("the parameters of a visit", () => {
  test.each([
    ["https://example.com/?a=1&b=2", "?a=3", "https://example.com/?b=2&a=3"],
    ["https://example.com/?first%20name=1&b=%7e", "?first+name=3", "https://example.com/?b=%7e&first+name=3"],
    ["https://example.com/?%41=1&b&B=2", "?A=3&b=4", "https://example.com/?B=2&A=3&b=4"],
    ["https://example.com/?a+b=1&%=2&=3#part", "?a%20b=4", "https://example.com/?%=2&=3&a+b=4#part"],
    ["https://example.com/?a&&b=1&?c=2", "?c=3", "https://example.com/?a&b=1&?c=2&c=3"],
  ])("replace those of %s with the same name: %s", (url, query, forwarded) => {
    expect(forwardQuery(url, query)).toBe(forwarded);
  });

  // Relative to parsing, so that it holds on any machine. Parsing pair by pair took five times as long as parsing all.
  test.each(["a&", "a=b&"])("are cheap to add to a URL of thousands of times %s", (pair) => {
    const ownQuery = pair.repeat(30_000 / pair.length);
    const times: Record<"forward" | "parse", number[]> = { forward: [], parse: [] };

    for (let round = 0; round < 20; round++) {
      const startedAt = performance.now();
      forwardQuery(`https://example.com/?${ownQuery}`, "?x");
      const forwardedAt = performance.now();
      Array.from(new URLSearchParams(ownQuery).keys());
      times.forward.push(forwardedAt - startedAt);
      times.parse.push(performance.now() - forwardedAt);
    }

    expect(Math.min(...times.forward)).toBeLessThan(2.5 * Math.min(...times.parse));
  });
});
