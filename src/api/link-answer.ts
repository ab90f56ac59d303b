import type { z } from "@hono/zod-openapi";
import { type Blocks, isBlockedKey } from "../access/blocks.ts";
import type { App } from "../app.ts";
import { isoTime } from "../base/time.ts";
import { inSlices } from "../base/time-slices.ts";
import type { Warn, Warning } from "../base/warning.ts";
import { failingGraceMs } from "../domains/domain.ts";
import type { Link } from "../links/link.ts";
import { shortLinkOf } from "../links/short-link.ts";
import { answers } from "../redirects/lookup.ts";
import type { Call } from "./endpoint.ts";
import { type Link as LinkSchema, serialiseLink } from "./link-schemas.ts";

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
  return await inSlices(links, (link) => serialiseLink(link, call.app.config.WAYPOST_URL));
}

/** Looks nothing up for a call without a response: a transaction that reads the link must need no second connection. */
async function warnOf({ app, warn }: AnsweredCall, links: readonly Link[]): Promise<void> {
  if (warn === undefined) return;
  await warnOfBlocks(app, warn, links);
  await warnOfDomains(app, warn, links);
}

async function warnOfBlocks(app: App, warn: Warn, links: readonly Link[]): Promise<void> {
  const blocks = await app.redirects.lookup.blocks();
  if (blocks.isEmpty) return;
  const messages = await inSlices(links, (link) =>
    blockMessage(blocks, link, shortLinkOf(link, app.config.WAYPOST_URL)),
  );
  for (const message of messages) if (message !== undefined) warn({ code: "blocked", message });
}

function blockMessage(blocks: Blocks, link: Link, shortLink: string): string | undefined {
  if (blocks.hasLink(link) || isBlockedKey(blocks.onDomain(link.domain), link.key)) {
    return `The operator of this service has blocked ${shortLink}; visitors get a page that says so (410).`;
  }
  if (!blocks.hasHosts || !targetsOf(link).some((url) => blocks.hasHostOf(url))) return undefined;
  return `${shortLink} leads to a host that the operator of this service has blocked; visitors get a page that says so (410).`;
}

/** Every url that a link may send a visitor to. */
function targetsOf({ url, expiredUrl, ios, android, geo, rules, testVariants }: Link): string[] {
  const single = [url, expiredUrl, ios, android].filter((target) => target !== null);
  const lists = [...(rules ?? []), ...(testVariants ?? [])].map((item) => item.url);
  return [...single, ...Object.values(geo ?? {}), ...lists];
}

async function warnOfDomains(app: App, warn: Warn, links: readonly Link[]): Promise<void> {
  // The instance's own domain is always verified, and most links of a page are on the same domain.
  const slugs = new Map(links.flatMap((link) => (link.isOnInstanceDomain ? [] : [[link.domainId, link.domain]])));
  for (const [domainId, slug] of slugs) {
    const warning = await domainWarning(app, { domainId, slug });
    if (warning !== undefined) warn(warning);
  }
}

/** Asked of the look-up that visitors are answered by, so that the warning says what they get. */
async function domainWarning(
  { redirects, now }: Pick<App, "redirects" | "now">,
  { domainId, slug }: { domainId: string; slug: string },
): Promise<Warning | undefined> {
  const domain = await redirects.lookup.domain(slug);
  const code = "domain_not_verified";
  // Of several workspaces that hold a slug, visitors meet the links of one.
  if (domain?.id !== domainId || !answers(domain, redirects.isUnverifiedAllowed, now())) {
    const next = `GET /v1/domains/${slug}/dns shows the record that is missing.`;
    return { code, message: `${slug} is not verified, so its links do not redirect. ${next}` };
  }
  if (domain.failingSince === null || redirects.isUnverifiedAllowed) return undefined;
  const end = isoTime(domain.failingSince + failingGraceMs);
  return { code, message: `The TXT record of ${slug} is missing; its links stop redirecting at ${end}.` };
}
