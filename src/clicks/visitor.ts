import { SHA256 } from "bun";
import { LruCache } from "../base/lru-cache.ts";
import { dayMs, utcDay } from "../base/time.ts";
import { clickHeaderMax } from "./click.ts";

/**
 * The visitor hash: the same for one address and user agent during one UTC day, and for nobody to undo afterwards.
 *
 * 1. It is SHA-256 over a key and the address, cut to 64 bits; the key is SHA-256 over a secret salt of the day and the
 *    user agent. So the agent, which many share, is read once a day, and each visitor costs one or two blocks.
 * 2. The salts are kept so that a restart does not count a visitor twice, and destroyed after two days; without its
 *    salt a hash cannot be tried against addresses any more.
 */
export const saltLifeMs = 2 * dayMs;

/** The salts of the days around now, by UTC day. */
export type DaySalts = ReadonlyMap<string, string>;

/** A hash in two halves, each a signed 32-bit number; both 0 when there is no hash. */
type VisitorHash = { readonly high: number; readonly low: number };

/**
 * Gives the hash of an address and user agent at a time, valid until the next call; none while no salt of the day is
 * known.
 */
export type VisitorHasher = (address: string, agent: string, time: number) => VisitorHash;

/** The value when there is no hash. */
export const noVisitor: VisitorHash = { high: 0, low: 0 };

/** User agents whose key is remembered; twice as many at most. Header fields up to clickHeaderMax are separate texts. */
const recentAgentsMax = 5_000;
/** Hex digits of the key: 128 bits, so that an IPv4 address fits into the same block. */
const keyDigits = 32;

/** A hasher that reads the salt of the day from `salts`, which the caller may exchange at any time. */
export function visitorHasher(salts: () => DaySalts): VisitorHasher {
  let dayEnd = 0;
  let salt: string | undefined;
  let keys = new LruCache<string, string>(recentAgentsMax, { keepsKeys: true });
  const digest = new Uint8Array(SHA256.byteLength);
  const words = new Int32Array(digest.buffer);
  const hash = { high: 0, low: 0 };

  function renewSalt(time: number): void {
    salt = salts().get(utcDay(time));
    dayEnd = time - (time % dayMs) + dayMs;
    keys = new LruCache(recentAgentsMax, { keepsKeys: true });
  }

  function keyOf(agent: string): string {
    const known = keys.get(agent);
    if (known !== undefined) return known;
    const key = SHA256.hash(`${salt}\n${agent}`, "hex").slice(0, keyDigits);
    if (agent.length <= clickHeaderMax) keys.set(agent, key);
    return key;
  }

  return (address, agent, time) => {
    if (time >= dayEnd || time < dayEnd - dayMs || salt === undefined) renewSalt(time);
    if (salt === undefined) return noVisitor;
    SHA256.hash(keyOf(agent) + address, digest);
    hash.high = words[0] ?? 0;
    hash.low = words[1] ?? 0;
    return hash;
  };
}
