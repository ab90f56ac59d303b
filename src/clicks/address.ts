import { BlockList, isIP, isIPv6 } from "node:net";
import { LruCache, ownKey } from "../base/lru-cache.ts";

/** Peers remembered as trusted or not; a peer is a proxy or a visitor's connection. */
const recentPeersMax = 10_000;
/** The longest IP address there is, an IPv4 one written as the end of an IPv6 one; zones mean nothing elsewhere. */
export const addressCharactersMax = 45;
/** Hops of X-Forwarded-For looked at, from the nearest one on. */
const hopsMax = 20;

/**
 * Tells the address of the visitor from the connection's and X-Forwarded-For: the last address that is not a trusted
 * proxy's. What an untrusted peer claims is not believed.
 */
export type ClientAddress = (peer: string, forwardedFor: string | null) => string;

/** Builds the function from addresses and networks ("10.0.0.0/8"), as the configuration has checked them. */
export function clientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return (peer) => unmapped(peer);
  const isTrusted = trustChecker(trustedProxies);

  return (peer, forwardedFor) => {
    let address = unmapped(peer);
    if (forwardedFor === null) return address;
    for (const hop of nearestFirst(forwardedFor)) {
      if (!isTrusted(address)) return address;
      // Nearly all hops are an address and nothing else.
      const isPlain = isIP(hop) === 4;
      const next = isPlain ? hop : canonical(withoutPort(hop.trim()));
      // "unknown" and the like: nothing is known beyond the proxy that wrote it.
      if (!isPlain && (next.length > addressCharactersMax || isIP(next) === 0)) return address;
      // Addresses are remembered, and a part of a header would keep all of it.
      address = next === forwardedFor ? next : ownKey(next);
    }
    return address;
  };
}

/** Tells whether a connection's other end is one of the proxies. */
export function trustedPeers(trustedProxies: readonly string[]): (peer: string) => boolean {
  if (trustedProxies.length === 0) return () => false;
  const isTrusted = trustChecker(trustedProxies);
  return (peer) => isTrusted(unmapped(peer));
}

function trustChecker(networks: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const network of networks) addNetwork(trusted, network);
  const recent = new LruCache<string, boolean>(recentPeersMax);
  return (address) => {
    const known = recent.get(address);
    if (known !== undefined) return known;
    const answer = trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");
    recent.set(address, answer);
    return answer;
  };
}

function nearestFirst(forwardedFor: string): string[] {
  return forwardedFor.includes(",") ? forwardedFor.split(",").slice(-hopsMax).reverse() : [forwardedFor];
}

function addNetwork(list: BlockList, network: string): void {
  const [address = "", bits] = network.split("/");
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}

/**
 * The address in the one spelling that the operating system gives a connection's peer (RFC 5952): an IPv6 address can be
 * written in many, and each would be another visitor. What is no IPv6 address, or names a zone, stays as it is.
 */
function canonical(address: string): string {
  if (!address.includes(":") || !isIPv6(address)) return address;
  const written = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
  if (written === undefined) return address;
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(written) ?? [];
  if (high === undefined || low === undefined) return written;
  const [upper, lower] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [upper >> 8, upper & 255, lower >> 8, lower & 255].join(".");
}

const mapped = /^::ffff:\d+\./i;

/** An IPv4 address that came in over an IPv6 socket. */
function unmapped(address: string): string {
  return mapped.test(address) ? address.slice("::ffff:".length) : address;
}

/** Some proxies write "192.0.2.1:54321" or "[2001:db8::1]:443". */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(hop)?.[1];
  if (bracketed !== undefined) return bracketed;
  return /^\d+\.\d+\.\d+\.\d+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop;
}
