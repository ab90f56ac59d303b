import { parseAccept } from "hono/utils/accept";

/** A weight (RFC 9110, section 12.4.2). */
const weightPattern = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/;

/**
 * Returns the values of an Accept, Accept-Encoding or Accept-Language header with their weights: the highest weight
 * first, equal ones as written. A value with a malformed weight is left out.
 */
export function acceptedValues(header: string): { value: string; weight: number }[] {
  return parseAccept(header)
    .filter(({ params }) => weightPattern.test(params["q"] ?? params["Q"] ?? "1"))
    .map(({ type, q }) => ({ value: type.toLowerCase(), weight: q }));
}
