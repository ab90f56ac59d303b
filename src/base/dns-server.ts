import { isIP } from "node:net";

/** A DNS server; `text` is how it was written. */
export type DnsServer = { ip: string; port: number; text: string };

const dnsPort = 53;

/** Parses "ip", "ip:port" or "[ipv6]:port"; undefined for any other text. */
export function readDnsServer(text: string): DnsServer | undefined {
  if (isIP(text) !== 0) return { ip: text, port: dnsPort, text };
  const [, v6 = "", v4 = "", digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (!(port >= 1 && port <= 65_535)) return undefined;
  if (isIP(v6) === 6) return { ip: v6, port, text };
  return isIP(v4) === 4 ? { ip: v4, port, text } : undefined;
}
