import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The public addresses of IPv6 (RFC 4291, section 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * True for an address of the public internet; false for this machine, private networks and reserved ranges. An IPv4
 * address mapped into IPv6 is judged as IPv4. Addresses that a gateway translates to IPv4 (NAT64, 6to4, Teredo) are not
 * public, because the IPv4 address behind them is unknown.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
}
