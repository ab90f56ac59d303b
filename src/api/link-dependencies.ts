import type { LinkDeps } from "../links/new-links.ts";
import type { Call } from "./http/endpoint.ts";

/** What the verbs on links work with in one call: its warnings go to the call's response, its end stops what they do. */
export function linkDeps({ app, request, warn }: Pick<Call<unknown, unknown, unknown>, "app" | "request" | "warn">) {
  return { ...app, signal: request.signal, warn } satisfies LinkDeps;
}
