import { expect, test } from "bun:test";
import { variantFinder } from "./find-variant.ts";

const pages = ["https://example.com/a", "https://example.com/b?size=2"];
const parameters = ["https://example.com/?v=a", "https://example.com/?v=b&w=1", "https://example.com/?v=b"];
const fragments = ["https://example.com/#a", "https://example.com/#b"];
const paths = ["https://example.com/", "https://example.com/shop"];

/** TABLE of variants, a click's destination, whether paths are forwarded, and the index of the variant. */
const cases: [variants: string[], destination: string, forwardPath: boolean, index: number | undefined][] = [
  [pages, "https://example.com/a", false, 0],
  [pages, "https://example.com/a?utm_source=mail&ref=7", false, 0],
  [pages, "https://example.com/b?utm_source=mail&size=3", false, 1],
  [pages, "https://example.com/a/more", false, undefined],
  [pages, "https://example.com/a/more", true, 0],
  [pages, "https://example.com/ab", true, undefined],
  [pages, "https://example.org/a", false, undefined],
  [pages, "http://example.com/a", false, undefined],
  [parameters, "https://example.com/?utm_source=mail&v=a", false, 0],
  [parameters, "https://example.com/?v=b", false, 2],
  [parameters, "https://example.com/?v=b&w=1&utm_term=x", false, 1],
  [parameters, "https://example.com/?v=c", false, undefined],
  [fragments, "https://example.com/?utm_source=mail#b", false, 1],
  [fragments, "https://example.com/", false, undefined],
  [paths, "https://example.com/shop/shoes", true, 1],
  [paths, "https://example.com/shoes", true, 0],
  [["https://example.com/?v=a", "https://example.com/?v=b"], "https://example.com/?v=visitor", false, undefined],
  [["app://open/a", "app://open/b"], "app://open/b?x=1", false, 1],
  [["https://example.com/a", "https://example.com/a"], "https://example.com/a", false, undefined],
  [pages, "not a URL", false, undefined],
];

test.each(cases)("of %j, %s with forwardPath %p belongs to %p", (variants, destination, forwardPath, index) => {
  expect(variantFinder(variants, { forwardPath })(destination)).toBe(index);
});
