import { isIP } from "node:net";
import type { PortKind } from "../redirects/redirect-request.ts";

/** The longest address has 45 characters. */
const proxyLineBytesMax = 64;
const portKinds: readonly PortKind[] = ["plain", "http", "https"];
const newline = "\n".charCodeAt(0);

/** A client whose requests are forwarded: its address, "" for one that disconnected early, and where it connected. */
export type ForwardedClient = { peer: string; port: PortKind };

/**
 * The PROXY line: a redirect worker sends the client's address and port to the main process before the client's bytes.
 */
export function proxyLine({ peer, port }: ForwardedClient): Buffer {
  return Buffer.from(`${port} ${peer}\n`);
}

/** Parses the PROXY line at the beginning of `bytes`; the client's bytes begin at `length`. */
export function parseProxyLine(
  bytes: Buffer,
): { kind: "line"; client: ForwardedClient; length: number } | { kind: "incomplete" } | { kind: "none" } {
  const end = bytes.subarray(0, proxyLineBytesMax).indexOf(newline);
  if (end === -1) return { kind: bytes.length < proxyLineBytesMax ? "incomplete" : "none" };
  const [name, peer = ""] = bytes.toString("latin1", 0, end).split(" ");
  const port = portKinds.find((known) => known === name);
  if (port === undefined) return { kind: "none" };
  return { kind: "line", client: { peer: isIP(peer) === 0 ? "" : peer, port }, length: end + 1 };
}
