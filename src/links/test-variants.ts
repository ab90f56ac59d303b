import { invalid } from "../base/problem.ts";
import { normalizeDestination } from "./destination-url.ts";

/** One of several destinations, and the share of visitors it gets, in percent. */
export type TestVariant = { url: string; percentage: number };

/** Bounds of the number of variants, and of their percentages. */
export const testVariantsMin = 2;
export const testVariantsMax = 4;
export const testPercentageMin = 10;
export const testPercentageMax = 90;

/** The variants as JSON. Throws "unprocessable_entity". */
export function readTestVariants(variants: TestVariant[], appSchemes: readonly string[]): string {
  if (variants.length < testVariantsMin || variants.length > testVariantsMax) {
    throw invalid("testVariants", `must have ${testVariantsMin} to ${testVariantsMax} variants.`);
  }
  const read = variants.map(({ url, percentage }, index) => {
    // Written so that NaN is refused too.
    if (!(percentage >= testPercentageMin && percentage <= testPercentageMax)) {
      throw invalid(`testVariants.${index}.percentage`, `must be from ${testPercentageMin} to ${testPercentageMax}.`);
    }
    return { url: normalizeDestination(url, `testVariants.${index}.url`, appSchemes), percentage };
  });
  return JSON.stringify(read);
}
