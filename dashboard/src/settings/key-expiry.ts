import { dayMs } from "../base/time.ts";

/** When a new key ends, as it is chosen: in so many days, on a day, or never. */
export type Expiry = { kind: "never" } | { kind: "days"; days: number } | { kind: "day"; day: string };

/** The lives of a key that are offered, in days. */
export const offeredExpiryDays = [30, 90, 365] as const;

/** The moment in ISO form; null for never, undefined while no day is chosen. A day is whole: its last second counts. */
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
