/** Durations in milliseconds. */
const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
export const weekMs = 7 * dayMs;

/** The first day that the API accepts for instants. */
export const epochDay = "1970-01-01";
/** The last day, and the last instant, in milliseconds. */
export const lastDay = "9999-12-31";
export const latestInstant = 253_402_300_799_999;
