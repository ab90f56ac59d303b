import type { z } from "@hono/zod-openapi";
import { mapInSlices } from "../base/time-slices.ts";
import type { Link } from "../links/link.ts";
import type { Call } from "./endpoint.ts";
import { type Link as LinkSchema, serialiseLink } from "./link-schemas.ts";
import { blockWarnings, domainWarnings } from "./link-warnings.ts";

type AnsweredCall = Pick<Call<unknown, unknown, unknown>, "app" | "warn">;
type LinkAnswer = z.input<typeof LinkSchema>;

/** A link as the API answers it; warns when visitors cannot reach it. */
export async function linkAnswer(call: AnsweredCall, link: Link): Promise<LinkAnswer> {
  await warnOf(call, [link]);
  return serialiseLink(link, call.app.config.WAYPOST_URL);
}

/** Links as the API answers them; warns of those that are blocked, and once for each of their domains that is not verified. */
export async function linkAnswers(call: AnsweredCall, links: readonly Link[]): Promise<LinkAnswer[]> {
  await warnOf(call, links);
  return await mapInSlices(links, (link) => serialiseLink(link, call.app.config.WAYPOST_URL));
}

/** Looks nothing up for a call without a response: a transaction that reads the link must need no second connection. */
async function warnOf({ app, warn }: AnsweredCall, links: readonly Link[]): Promise<void> {
  if (warn === undefined) return;
  for (const { code, message } of await blockWarnings(app, links)) warn({ code, message });
  const ofDomains = await domainWarnings(app, links);
  const byMessage = new Map(ofDomains.map(({ code, message }) => [message, { code, message }]));
  for (const warning of byMessage.values()) warn(warning);
}
