/** Whom an address belongs to: of IPv6, everybody at home has a whole /64. */
export function networkOf(address: string): string {
  return prefixOf(address, 4);
}

/**
 * The largest block of addresses that one subscriber gets for the asking: an address of IPv4, a /48 of IPv6 (RFC 6177).
 * A /24 of IPv4 would put strangers together, as a hosting company's customers; a /64 of IPv6 would give one subscriber
 * 65,536 names.
 */
export function siteOf(address: string): string {
  return prefixOf(address, 3);
}

/** An address of IPv4, or the first groups of 16 bits of one of IPv6. */
function prefixOf(address: string, groupsMax: number): string {
  // One of IPv4 may be written behind a prefix of IPv6.
  if (address.includes(".")) return address.slice(address.lastIndexOf(":") + 1);
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  if (tail === undefined) return groups.slice(0, groupsMax).join(":");
  const zeros = 8 - groups.length - tail.split(":").filter(Boolean).length;
  return [...groups, ...Array<string>(Math.max(0, zeros)).fill("0"), ...tail.split(":")].slice(0, groupsMax).join(":");
}
