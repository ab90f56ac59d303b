import { BlockList, isIP, isIPv6 } from "node:net";
import { LruCache } from "../base/lru-cache.ts";

/** Size of the cache of peers, which are proxies or visitors, and whether each is trusted; at most twice as many. */
const recentPeersMax = 10_000;
/** The longest IP address, IPv6 that ends in IPv4 notation. Without a zone, which means nothing on other machines. */
export const addressCharactersMax = 45;
/** The most hops of X-Forwarded-For that are read, from the nearest one on. */
const hopsMax = 20;

/**
 * Returns the visitor's address from the connection's peer and X-Forwarded-For: the last address that is not a trusted
 * proxy's. Ignores the X-Forwarded-For of an untrusted peer. The address may be a substring of the request, which keeps
 * the request in memory: a cache of addresses must copy them, as LruCache does.
 */
export type ClientAddress = (peer: string, forwardedFor: string | null) => string;

/** Returns the function for these proxies: addresses and networks ("10.0.0.0/8"), checked by the configuration. */
export function clientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return (peer) => unmapped(peer);
  const isTrusted = trustChecker(trustedProxies);

  return (peer, forwardedFor) => {
    let address = unmapped(peer);
    if (forwardedFor === null) return address;
    for (const hop of nearestFirst(forwardedFor)) {
      if (!isTrusted(address)) return address;
      // Nearly all hops are an IPv4 address without a port.
      const isPlain = isIP(hop) === 4;
      const next = isPlain ? hop : canonical(withoutPort(hop.trim()));
      // Beyond a hop such as "unknown", no address is known: the proxy that wrote it is the last one.
      if (!isPlain && (next.length > addressCharactersMax || isIP(next) === 0)) return address;
      address = next;
    }
    return address;
  };
}

/** Returns a predicate for peers that are one of the proxies. */
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
 * The canonical spelling of an IPv6 address (RFC 5952), which the operating system uses for a connection's peer: other
 * spellings of the address would count as other visitors. Returns other texts, and addresses with a zone, unchanged.
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

/** The IPv4 address of a peer on an IPv6 socket; other addresses unchanged. */
function unmapped(address: string): string {
  return mapped.test(address) ? address.slice("::ffff:".length) : address;
}

/** Some proxies write "192.0.2.1:54321" or "[2001:db8::1]:443". */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(hop)?.[1];
  if (bracketed !== undefined) return bracketed;
  return /^\d+\.\d+\.\d+\.\d+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(":")) : hop;
}
