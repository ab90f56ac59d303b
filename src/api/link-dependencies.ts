import type { LinkDeps } from "../links/new-links.ts";
import type { UnparsedCall } from "./http/endpoint.ts";

type LinkCall = Pick<UnparsedCall<Pick<LinkDeps, "config" | "db" | "now">>, "deps" | "request" | "warn">;

/**
 * What the use cases of links need in one call: its warnings go to the call's response, and they stop when the client
 * disconnects.
 */
export function linkDeps({ deps, request, warn }: LinkCall) {
  return { ...deps, signal: request.signal, warn } satisfies LinkDeps;
}
