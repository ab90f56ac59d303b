const proxyHeaders: ReadonlySet<string> = new Set(["forwarded", "via", "x-real-ip"]);

/**
 * True when a header says that a proxy has forwarded the request.
 * Known weakness: a proxy that adds none of these headers is not recognized.
 */
export function isForwarded({ headers }: Request): boolean {
  return [...headers.keys()].some((name) => name.startsWith("x-forwarded-") || proxyHeaders.has(name));
}

/** True for an address of this machine. */
export function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\.|^::1$/.test(address);
}
