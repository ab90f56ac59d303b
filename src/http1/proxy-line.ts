import { isIP } from "node:net";

/** The longest address has 45 characters. */
const proxyLineBytesMax = 64;
const newline = "\n".charCodeAt(0);

/** The PROXY line: a redirect worker sends the client's address to the main process before the client's bytes. */
export function proxyLine(peer: string): Buffer {
  return Buffer.from(`${peer}\n`);
}

/**
 * Parses the PROXY line at the beginning of `bytes`; the client's bytes begin at `length`.
 * The address is "" for a client that disconnected before its address was known.
 */
export function parseProxyLine(
  bytes: Buffer,
): { kind: "line"; peer: string; length: number } | { kind: "incomplete" } | { kind: "none" } {
  const end = bytes.subarray(0, proxyLineBytesMax).indexOf(newline);
  if (end === -1) return { kind: bytes.length < proxyLineBytesMax ? "incomplete" : "none" };
  const peer = bytes.toString("latin1", 0, end);
  return { kind: "line", peer: isIP(peer) === 0 ? "" : peer, length: end + 1 };
}
