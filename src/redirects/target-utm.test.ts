import { expect, test } from "bun:test";
import { addUtm, readUtm } from "../links/destination-url.ts";

const utm = readUtm("https://a.example/?utm_source=mail&utm_campaign=spring%20sale");

test.each([
  ["https://b.example", "https://b.example/?utm_source=mail&utm_campaign=spring+sale"],
  ["https://b.example/p?x=1#end", "https://b.example/p?x=1&utm_source=mail&utm_campaign=spring+sale#end"],
  ["https://b.example/?utm_source=ad", "https://b.example/?utm_source=ad&utm_campaign=spring+sale"],
  ["https://b.example/?utm_source=", "https://b.example/?utm_source=&utm_campaign=spring+sale"],
  [
    "https://b.example/?UTM_SOURCE=x&utm%5Fsource=y",
    "https://b.example/?UTM_SOURCE=x&utm%5Fsource=y&utm_campaign=spring+sale",
  ],
  ["https://b.example/?utm_content=b", "https://b.example/?utm_source=mail&utm_campaign=spring+sale&utm_content=b"],
  ["https://b.example/?utm_source=a&utm_campaign=b", "https://b.example/?utm_source=a&utm_campaign=b"],
  ["myapp://open", "myapp://open"],
  [`https://b.example/?${"x".repeat(31_980)}`, `https://b.example/?${"x".repeat(31_980)}`],
])("a target gets each of the link's utm parameters that it does not set: %#", (url, expected) => {
  expect(addUtm(url, utm)).toBe(expected);
});
