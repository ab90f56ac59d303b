/** Durations in milliseconds. */
export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
export const weekMs = 7 * dayMs;

/** Formats an instant as ISO 8601 in UTC, with milliseconds and Z. */
export function isoTime(instantMs: number): string {
  return new Date(instantMs).toISOString();
}

/** Formats an instant like isoTime; null stays null. */
export function isoTimeOrNull(instantMs: number | null): string | null {
  return instantMs === null ? null : isoTime(instantMs);
}

/** Returns the UTC date of an instant as YYYY-MM-DD. */
export function utcDay(instantMs: number): string {
  return isoTime(instantMs).slice(0, 10);
}

/** Returns the current time in milliseconds since the epoch; passed in, so that tests control it. */
export type Clock = () => number;
