import { dayMs } from "../base/time.ts";

/** When a new key ends: never, after a number of days, or on a day. */
export type Expiry = { kind: "never" } | { kind: "days"; days: number } | { kind: "day"; day: string };

/** The lifetimes of a key that are offered, in days. */
export const offeredExpiryDays = [30, 90, 365] as const;

/** The end in ISO form; null for never, undefined while no day is chosen. A key ends at the last second of its day. */
export function expiresAtOf(expiry: Expiry, now: number): string | null | undefined {
  switch (expiry.kind) {
    case "never":
      return null;
    case "days":
      return new Date(now + expiry.days * dayMs).toISOString();
    case "day": {
      const end = new Date(`${expiry.day}T23:59:59`);
      return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
    }
  }
}
