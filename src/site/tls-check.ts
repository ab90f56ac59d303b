import type { App } from "../app.ts";
import { hostOf } from "../redirects/redirect-handler.ts";
import { isForwarded, isLoopback } from "./own-request.ts";

/** The path, without its leading slash. */
export const tlsCheckPath = "internal/tls-check";

/**
 * Tells a proxy with on-demand certificates whether it may order one for the host in `domain`: 200 for verified and
 * failing domains and the instance's host, else 404. 403 for everyone except a program on this machine and a trusted
 * proxy; a request that either has forwarded is a visitor's.
 */
export async function tlsCheck(app: Pick<App, "redirects">, request: Request, peer: string): Promise<Response> {
  const { isTrusted, lookup } = app.redirects;
  if (isForwarded(request) || !(isLoopback(peer) || isTrusted(peer))) {
    return new Response("Only a proxy on this machine, or one of WAYPOST_TRUSTED_PROXIES, may ask.\n", { status: 403 });
  }
  const host = hostOf(new URL(request.url).searchParams.get("domain") ?? "");
  const domain = await lookup.domain(host);
  return domain === undefined || domain.status === "pending"
    ? new Response("No certificate for this host.\n", { status: 404 })
    : new Response("A certificate may be ordered for this host.\n");
}
