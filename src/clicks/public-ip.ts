import { isIPv6 } from "node:net";

/** An IP address as numbers: IPv4 as an unsigned 32-bit integer, IPv6 as eight groups of 16 bits. */
export type IpNumbers = { kind: "ipv4"; address: number } | { kind: "ipv6"; groups: readonly number[] };

/**
 * Parses a public IP address; undefined for any other text. An IPv4 address mapped into IPv6 (::ffff:1.2.3.4) is
 * returned as the IPv4 address.
 */
export function publicIp(text: string): IpNumbers | undefined {
  const address = parseIpv4(text);
  if (address !== undefined) return isPublicIpv4(address) ? { kind: "ipv4", address } : undefined;
  if (!text.includes(":") || text.includes("%") || !isIPv6(text)) return undefined;
  const groups = ipv6Groups(text);
  const mapped = mappedIpv4(groups);
  if (mapped !== undefined) return isPublicIpv4(mapped) ? { kind: "ipv4", address: mapped } : undefined;
  return isPublicIpv6(groups) ? { kind: "ipv6", groups } : undefined;
}

const [zero, nine, dot] = [48, 57, 46];

/** Parses a dotted IPv4 address without leading zeros; undefined for any other text. Runs for every visit. */
function parseIpv4(text: string): number | undefined {
  if (text.length > "255.255.255.255".length) return undefined;
  let address = 0;
  let octet = -1;
  let dots = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === dot) {
      if (octet === -1 || ++dots > 3) return undefined;
      address = address * 256 + octet;
      octet = -1;
    } else {
      if (code < zero || code > nine || octet === 0) return undefined;
      octet = (octet === -1 ? 0 : octet * 10) + code - zero;
      if (octet > 255) return undefined;
    }
  }
  return dots === 3 && octet !== -1 ? address * 256 + octet : undefined;
}

/** The groups of a valid IPv6 address without a zone. */
function ipv6Groups(text: string): number[] {
  const [head = "", tail] = text.split("::");
  const first = groupsOf(head);
  if (tail === undefined) return first;
  const last = groupsOf(tail);
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

function groupsOf(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    const address = group.includes(".") ? (parseIpv4(group) ?? 0) : undefined;
    return address === undefined ? [Number.parseInt(group, 16)] : [address >>> 16, address & 0xff_ff];
  });
}

function mappedIpv4(groups: readonly number[]): number | undefined {
  const [a, b, c, d, e, f, high = 0, low = 0] = groups;
  return a === 0 && b === 0 && c === 0 && d === 0 && e === 0 && f === 0xff_ff ? high * 65_536 + low : undefined;
}

/** False in the blocks that IANA's registry of special-purpose addresses lists. */
function isPublicIpv4(address: number): boolean {
  const first = address >>> 24;
  const second = (address >>> 16) & 255;
  const third = (address >>> 8) & 255;
  if (first === 0 || first === 10 || first === 127 || first >= 224) return false;
  if (first === 100) return second < 64 || second > 127;
  if (first === 169) return second !== 254;
  if (first === 172) return second < 16 || second > 31;
  if (first === 192) return second !== 168 && !(second === 0 && (third === 0 || third === 2));
  if (first === 198) return second !== 18 && second !== 19 && !(second === 51 && third === 100);
  return !(first === 203 && second === 0 && third === 113);
}

/** Public IPv6 addresses are those in 2000::/3, except 2001:db8::/32 and 3fff::/20, which are for documentation. */
function isPublicIpv6([first = 0, second = 0]: readonly number[]): boolean {
  if (first < 0x20_00 || first >= 0x40_00) return false;
  if (first === 0x20_01) return second !== 0x0d_b8;
  return first !== 0x3f_ff || second >= 0x10_00;
}
