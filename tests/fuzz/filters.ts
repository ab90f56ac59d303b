import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type FilterInput,
  filterNames,
  filterValuesMax,
  parseBots,
  parseFilters,
  pluralNames,
} from "../../src/analytics/filters.ts";
import type { Filter } from "../../src/clicks/query.ts";
import { parsed } from "./parsed.ts";
import { target } from "./target.ts";

const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("DE", "us", "Unknown", "(direct)", "iOS", "-", "--", "", " ", "ai", "a b") },
  { weight: 2, arbitrary: fc.constantFrom("https://example.com/a,b?c#d", "HTTP:x", "ß", "İ", "Germny", "\u0000") },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
);
const separator = fc.constantFrom(",", ", ", " ,", ",,");
const text = fc
  .tuple(
    fc.constantFrom("", "", "-", " -"),
    fc.oneof(
      { weight: 20, arbitrary: fc.array(fc.tuple(value, separator), { maxLength: 6 }) },
      { weight: 1, arbitrary: fc.array(fc.tuple(value, separator), { minLength: 99, maxLength: 102 }) },
    ),
  )
  .map(([start, parts]) => start + parts.flat().join(""));
const name = fc.constantFrom(...filterNames, ...Object.keys(pluralNames));
const input = fc
  .tuple(
    fc.dictionary(name, text, { maxKeys: 4 }),
    fc.record({ qr: fc.boolean(), root: fc.boolean() }, { requiredKeys: [] }),
    fc.option(fc.constantFrom("exclude", "include", "only", "all", "constructor"), { nil: undefined }),
  )
  .map(([texts, flags, bots]): { filters: FilterInput; bots: string | undefined } => ({
    filters: { ...texts, ...flags },
    bots,
  }));

/**
 * A filter is either refused with a reason, or parsed into values within limits that parse the same when written again.
 */
export const filters = target(
  "filters",
  2_000,
  fc.property(input, (parameters) => {
    const found = parsed(() => parseFilters(parameters.filters));
    parsed(() => parseBots({ bots: parameters.bots, bot: parameters.filters.bot }));
    if (found === undefined) return;
    const given = Object.values(parameters.filters).filter((written) => typeof written === "string");
    const charactersMax = Math.max(0, ...given.map((written) => written.length));
    for (const filter of found) {
      assert(filter.values.length >= 1 && filter.values.length <= filterValuesMax);
      if (filter.dimension === "key" || filter.dimension === "trigger") continue;
      // A letter such as ß becomes up to three letters.
      for (const stored of filter.values) assert(stored.length <= 3 * charactersMax);
      assert.deepEqual(parseFilters({ [filter.dimension]: written(filter) }), [filter]);
    }
  }),
);

/** The filter as a parameter. */
function written({ dimension, values, isExcluded }: Filter): string {
  const isAddress = ["url", "baseUrl", "refererUrl"].includes(dimension);
  const shown = values.map((stored) => (stored === "" ? "Unknown" : stored));
  // A value that begins with a hyphen is not first, because it would exclude; commas of URLs are kept.
  return (isExcluded ? "-" : isAddress ? "" : ",") + shown.join(",");
}
