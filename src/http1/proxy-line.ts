import { isIP } from "node:net";

/** The longest address has 45 characters. */
const proxyLineBytesMax = 64;
const newline = "\n".charCodeAt(0);

/** What a redirect worker says of a client to the main process, before the client's own bytes: its address. */
export function proxyLine(peer: string): Buffer {
  return Buffer.from(`${peer}\n`);
}

/**
 * Reads the greeting at the beginning of `bytes`; `length` is where the client's own bytes begin.
 * The address is "" for a client that had gone before it was known.
 */
export function parseProxyLine(
  bytes: Buffer,
): { kind: "line"; peer: string; length: number } | { kind: "incomplete" } | { kind: "none" } {
  const end = bytes.subarray(0, proxyLineBytesMax).indexOf(newline);
  if (end === -1) return { kind: bytes.length < proxyLineBytesMax ? "incomplete" : "none" };
  const peer = bytes.toString("latin1", 0, end);
  return { kind: "line", peer: isIP(peer) === 0 ? "" : peer, length: end + 1 };
}
