import { type UtmName, utmNames } from "../base/utm-names.ts";
import type { Link, LinkChanges } from "../links/links-api.ts";

/**
 * The changes that make a variant of an A/B test the only destination and end the test. Visitors get the same UTM
 * parameters as before: those of the variant, and the link's others.
 */
export function winnerChanges(link: Pick<Link, UtmName>, url: string): LinkChanges {
  const parameters = URL.parse(url)?.searchParams;
  const utm = Object.fromEntries(utmNames.map((field) => [field, parameters?.get(field) ?? link[field]]));
  return { url, ...utm, testVariants: null, testStartedAt: null, testCompletedAt: null };
}
