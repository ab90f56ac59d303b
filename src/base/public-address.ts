import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** All that is given out for the public internet in IPv6 (RFC 4291, section 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an address belongs to a machine of the public internet: neither this machine's own, nor a private network's,
 * nor reserved for another use. An IPv4 address mapped into IPv6 is judged as what it is; what a gateway would
 * translate into an IPv4 address (NAT64, 6to4, Teredo) is not public, since nobody here knows what lies behind it.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
}
