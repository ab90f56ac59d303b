import type { App } from "../app.ts";

/** The address a request comes from: the one at the other end, or what a trusted proxy says of it. */
export function clientAddress({ redirects }: Pick<App, "redirects">, { headers }: Request, peer: string): string {
  return redirects.clientAddress(peer, headers.get("x-forwarded-for"));
}
