import type { App } from "../app.ts";

/** The client's address: the peer's, or the one that a trusted proxy names. */
export function clientAddress({ redirects }: Pick<App, "redirects">, { headers }: Request, peer: string): string {
  return redirects.clientAddress(peer, headers.get("x-forwarded-for"));
}
