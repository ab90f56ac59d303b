/** Returns the network of an address: an IPv4 address, or the /64 that an IPv6 household has. */
export function networkOf(address: string): string {
  return prefixOf(address, 4);
}

/**
 * Returns the largest block of addresses that one subscriber gets on request: an IPv4 address, or an IPv6 /48 (RFC
 * 6177). An IPv4 /24 would combine strangers, such as customers of a hosting company; with an IPv6 /64, one subscriber
 * would have 65,536 blocks.
 */
export function siteOf(address: string): string {
  return prefixOf(address, 3);
}

/** Returns an IPv4 address, or the first 16-bit groups of an IPv6 address. */
function prefixOf(address: string, groupsMax: number): string {
  // An IPv4 address may have an IPv6 prefix (::ffff:).
  if (address.includes(".")) return address.slice(address.lastIndexOf(":") + 1);
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  if (tail === undefined) return groups.slice(0, groupsMax).join(":");
  const zeros = 8 - groups.length - tail.split(":").filter(Boolean).length;
  return [...groups, ...Array<string>(Math.max(0, zeros)).fill("0"), ...tail.split(":")].slice(0, groupsMax).join(":");
}
