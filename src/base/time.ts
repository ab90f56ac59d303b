/** Lengths of time, in milliseconds. */
export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The instant in ISO 8601, UTC, with milliseconds and Z. */
export function isoTime(instantMs: number): string {
  return new Date(instantMs).toISOString();
}

/** As isoTime, and null for an absent instant. */
export function isoTimeOrNull(instantMs: number | null): string | null {
  return instantMs === null ? null : isoTime(instantMs);
}

/** The UTC date of an instant, as YYYY-MM-DD. */
export function utcDay(instantMs: number): string {
  return isoTime(instantMs).slice(0, 10);
}

/** Reads the present moment, in milliseconds since the epoch; passed in, so that rules and tests hold the clock. */
export type Clock = () => number;
