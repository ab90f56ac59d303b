import { SHA256 } from "bun";
import { type Clock, dayMs, utcDay } from "../base/time.ts";

/**
 * The visitor hash: the same for one address and user agent during one UTC day, and for nobody to undo afterwards.
 *
 * 1. It is SHA-256 over a secret salt of the day, the address and the user agent, cut to 64 bits.
 * 2. The salts are kept so that a restart does not count a visitor twice, and destroyed after two days; without its
 *    salt a hash cannot be tried against addresses any more.
 */
export const saltLifeMs = 2 * dayMs;

/** The salts of the days around now, by UTC day. */
export type DaySalts = ReadonlyMap<string, string>;

/** Gives 16 hex digits for an address and user agent, "" while no salt of the day is known. */
export type VisitorHasher = (address: string, agent: string) => string;

const hashHexDigits = 16;

/** A hasher that reads the salt of the present day from `salts`, which the caller may exchange at any time. */
export function visitorHasher(salts: () => DaySalts, now: Clock): VisitorHasher {
  let dayEnd = 0;
  let salt: string | undefined;
  return (address, agent) => {
    const time = now();
    if (time >= dayEnd || time < dayEnd - dayMs || salt === undefined) {
      salt = salts().get(utcDay(time));
      dayEnd = time - (time % dayMs) + dayMs;
    }
    if (salt === undefined) return "";
    return SHA256.hash(`${salt}\n${address}\n${agent}`, "hex").slice(0, hashHexDigits);
  };
}
