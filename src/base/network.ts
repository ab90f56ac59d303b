/** Whom an address belongs to: of IPv6, everybody at home has a whole /64. */
export function networkOf(address: string): string {
  // One of IPv4 may be written behind a prefix of IPv6.
  if (address.includes(".")) return address.slice(address.lastIndexOf(":") + 1);
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  if (tail === undefined) return groups.slice(0, 4).join(":");
  const zeros = 8 - groups.length - tail.split(":").filter(Boolean).length;
  return [...groups, ...Array<string>(Math.max(0, zeros)).fill("0"), ...tail.split(":")].slice(0, 4).join(":");
}
