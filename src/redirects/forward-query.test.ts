import { expect, test } from "bun:test";
import { forwardQuery } from "./forward-query.ts";

test.each([
  ["https://example.com/?a=1&b=2", "?a=3", "https://example.com/?b=2&a=3"],
  ["https://example.com/?first%20name=1&b=%7e", "?first+name=3", "https://example.com/?b=%7e&first+name=3"],
  ["https://example.com/?%41=1&b&B=2", "?A=3&b=4", "https://example.com/?B=2&A=3&b=4"],
  ["https://example.com/?a+b=1&%=2&=3#part", "?a%20b=4", "https://example.com/?%=2&=3&a+b=4#part"],
  ["https://example.com/?a&&b=1&?c=2", "?c=3", "https://example.com/?a&b=1&?c=2&c=3"],
])("the parameters of a visit replace those of %s with the same name: %s", (url, query, forwarded) => {
  expect(forwardQuery(url, query)).toBe(forwarded);
});
