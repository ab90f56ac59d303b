import { SHA256 } from "bun";
import { LruCache } from "../base/lru-cache.ts";
import { dayMs, utcDay } from "../base/time.ts";
import { clickHeaderMax } from "./click.ts";

/**
 * The visitor hash: the same for one address and user agent during one UTC day, and irreversible afterwards.
 *
 * 1. It is SHA-256 over a key and the address, cut to 64 bits. The key is SHA-256 over the day's secret salt and the
 *    user agent. So a user agent, which many visitors share, is hashed once a day, and a visit costs one or two blocks.
 * 2. The salts are stored, so that a restart does not count a visitor twice, and destroyed after two days. Without the
 *    salt, an attacker cannot find the address of a hash by hashing all addresses.
 */
/** How long the salt of a day is stored, from the start of the day. */
export const saltLifeMs = 2 * dayMs;

/** The salts of the days around now, by UTC day. */
export type DaySalts = ReadonlyMap<string, string>;

/** A hash as two halves, each a signed 32-bit number; both are 0 when there is no hash. */
type VisitorHash = { readonly high: number; readonly low: number };

/**
 * Returns the hash of an address and user agent at a time, or `noVisitor` while the salt of the day is unknown. The
 * returned object is valid until the next call.
 */
export type VisitorHasher = (address: string, agent: string, time: number) => VisitorHash;

/** The value without a hash. */
export const noVisitor: VisitorHash = { high: 0, low: 0 };

/**
 * Size of the cache of user agents' keys; at most twice as many. User agents longer than clickHeaderMax are not cached:
 * they may be substrings, which would keep their packets in memory (http1/header-value-cache.ts copies shorter ones).
 */
const recentAgentsMax = 5_000;
/** Hex digits of the key: 128 bits, so that an IPv4 address fits into the same block. */
const keyDigits = 32;

/** Returns a hasher that reads the salt of the day from `salts`. The caller may replace the salts at any time. */
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
