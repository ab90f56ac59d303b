import fc from "fast-check";

/** A fraction of a length, from 0 to below 1. fc.double would nearly always choose a number next to 0. */
export const part = fc.nat({ max: 9_999 }).map((number) => number / 10_000);
