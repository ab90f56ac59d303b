import type { z } from "@hono/zod-openapi";
import type { App } from "../app.ts";
import { mapInSlices } from "../base/time-slices.ts";
import type { Warn } from "../base/warning.ts";
import type { Link } from "../links/link.ts";
import { type Link as LinkSchema, serializeLink } from "./link-schemas.ts";
import { blockWarnings, domainWarnings } from "./link-warnings.ts";

type ResponseCall = { deps: Pick<App, "config" | "now" | "redirects">; warn: Warn | undefined };
type LinkResponse = z.input<typeof LinkSchema>;

/** Returns a link as the API shows it; warns if visitors cannot reach it. */
export async function linkResponse(call: ResponseCall, link: Link): Promise<LinkResponse> {
  await addWarnings(call, [link]);
  return serializeLink(link, call.deps.config.WAYPOST_URL);
}

/** Returns links as the API shows them; warns about blocked links, and once about each unverified domain. */
export async function linkResponses(call: ResponseCall, links: readonly Link[]): Promise<LinkResponse[]> {
  await addWarnings(call, links);
  return await mapInSlices(links, (link) => serializeLink(link, call.deps.config.WAYPOST_URL));
}

/**
 * Skips the lookups for a call without a response: a transaction that reads the link must not need a second connection.
 */
async function addWarnings({ deps, warn }: ResponseCall, links: readonly Link[]): Promise<void> {
  if (warn === undefined) return;
  for (const { code, message } of await blockWarnings(deps, links)) warn({ code, message });
  const ofDomains = await domainWarnings(deps, links);
  const byMessage = new Map(ofDomains.map(({ code, message }) => [message, { code, message }]));
  for (const warning of byMessage.values()) warn(warning);
}
