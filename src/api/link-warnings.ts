import { z } from "@hono/zod-openapi";
import { type Blocks, isBlockedKey } from "../access/blocks.ts";
import type { App } from "../app.ts";
import { isoTime } from "../base/time.ts";
import { mapInSlices } from "../base/time-slices.ts";
import { failingGraceMs } from "../domains/domain.ts";
import { whereRecordIs } from "../domains/domains.ts";
import { bytesOfLinks, findNamedLinks } from "../links/find-links.ts";
import type { Link } from "../links/link.ts";
import { pageSizeMax } from "../links/list-links.ts";
import { shortLinkOf } from "../links/short-link.ts";
import { isServing } from "../redirects/lookup.ts";
import { callsOfCharacters } from "./calls-of-page.ts";
import { queryList } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";

const endpoint = endpointUsing({ tag: "Links", uses: ["config", "linkQueries", "now", "redirects"] });

/** A reason why visitors do not reach a link, as the API shows it. */
const LinkWarning = z
  .object({
    linkId: z.string(),
    code: z.enum(["blocked", "domain_not_verified"]),
    cause: z.enum(["link", "domain", "workspace", "user", "host", "pending", "failing"]).openapi({
      description:
        "The object that the operator has blocked: the `link`, its `domain`, its `workspace`, the `user` who created it, or a destination `host`. Or the state of the domain: `pending`, or `failing`, so that the link works only for a limited time.",
    }),
    message: z.string().openapi({ description: "A message in English, as in the header Waypost-Warning." }),
  })
  .openapi("LinkWarning");

type LinkWarning = z.infer<typeof LinkWarning>;
type WarningDeps = Pick<App, "config" | "now" | "redirects">;

/** The operation that lists warnings. */
export const linkWarningEndpoints = [
  endpoint({
    method: "get",
    path: "/links/warnings",
    operationId: "listLinkWarnings",
    summary: `List the warnings of up to ${pageSizeMax} links`,
    description:
      "Returns the warnings `blocked` and `domain_not_verified` of the header Waypost-Warning for each link, without the header's limits. A link that visitors reach has none. Unknown names are skipped. Each 256 KiB of texts of the links counts as one request.",
    scope: "links.read",
    querySchema: z.object({
      linkIds: queryList(pageSizeMax).optional().openapi({ description: "Ids, or `ext_` and externalIds." }),
    }),
    responseSchema: z.array(LinkWarning),
    responseExample: [
      {
        linkId: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
        code: "blocked",
        cause: "link",
        message: blockedMessage("https://go.example.com/spring"),
      },
    ],
    async handle({ deps, actor, query: { linkIds = [] }, spend }) {
      const links = await deps.linkQueries.run(actor.workspaceId, async (db) => {
        spend(callsOfCharacters(await bytesOfLinks(db, actor.workspaceId, linkIds)) - 1);
        return await findNamedLinks({ db }, actor, linkIds);
      });
      return [...(await blockWarnings(deps, links)), ...(await domainWarnings(deps, links))];
    },
  }),
];

/** Returns one warning for each blocked link. */
export async function blockWarnings(deps: WarningDeps, links: readonly Link[]): Promise<LinkWarning[]> {
  const blocks = await deps.redirects.lookup.blocks();
  if (blocks.isEmpty) return [];
  const warnings = await mapInSlices(links, (link) => blockWarning(blocks, link, deps.config.WAYPOST_URL));
  return warnings.filter((warning) => warning !== undefined);
}

function blockWarning(blocks: Blocks, link: Link, appUrl: URL): LinkWarning | undefined {
  const cause = blockCause(blocks, link);
  if (cause === undefined) return undefined;
  const shortLink = shortLinkOf(link, appUrl);
  const message = cause === "host" ? blockedHostMessage(shortLink) : blockedMessage(shortLink);
  return { linkId: link.id, code: "blocked", cause, message };
}

function blockCause(blocks: Blocks, link: Link): LinkWarning["cause"] | undefined {
  const kind = blocks.kindOfBlock(link);
  if (kind !== undefined) return kind;
  if (blocks.hasDomain(link.domain)) return "domain";
  if (isBlockedKey(blocks.blockedKeysOn(link.domain), link.key)) return "link";
  return blocks.hasHosts && targetsOf(link).some((url) => blocks.hasHostOf(url)) ? "host" : undefined;
}

function blockedMessage(shortLink: string): string {
  return `The operator of this service has blocked ${shortLink}; visitors get a page that says so (410).`;
}

function blockedHostMessage(shortLink: string): string {
  return `${shortLink} leads to a host that the operator of this service has blocked; visitors get a page that says so (410).`;
}

/** Returns every URL that a link may redirect to. */
function targetsOf({ url, expiredUrl, ios, android, geo, rules, testVariants }: Link): string[] {
  const single = [url, expiredUrl, ios, android].filter((target) => target !== null);
  const lists = [...(rules ?? []), ...(testVariants ?? [])].map((item) => item.url);
  return [...single, ...Object.values(geo ?? {}), ...lists];
}

/** Returns one warning for each link on a domain that is unverified or failing. */
export async function domainWarnings(deps: WarningDeps, links: readonly Link[]): Promise<LinkWarning[]> {
  // The instance's own domain is always verified, and most links of a page are on the same domain.
  const onDomains = Map.groupBy(
    links.filter(({ isOnInstanceDomain }) => !isOnInstanceDomain),
    ({ domainId }) => domainId,
  );
  const warnings: LinkWarning[] = [];
  for (const [domainId, [link, ...others]] of onDomains) {
    if (link === undefined) continue;
    const warning = await domainWarning(deps, { domainId, slug: link.domain });
    if (warning === undefined) continue;
    for (const { id } of [link, ...others]) warnings.push({ linkId: id, ...warning });
  }
  return warnings;
}

/** Uses the lookup of the redirects, so that the warning matches what visitors get. */
async function domainWarning(
  { redirects, now }: WarningDeps,
  { domainId, slug }: { domainId: string; slug: string },
): Promise<Omit<LinkWarning, "linkId"> | undefined> {
  const domain = await redirects.lookup.domain(slug);
  const code = "domain_not_verified";
  // If several workspaces have the slug, visitors reach the links of only one.
  if (domain?.id !== domainId || !isServing(domain, redirects.isUnverifiedAllowed, now())) {
    const message = `${slug} is not verified, so its links do not redirect. ${whereRecordIs(slug)}`;
    return { code, cause: "pending", message };
  }
  if (domain.failingSince === null || redirects.isUnverifiedAllowed) return undefined;
  const end = isoTime(domain.failingSince + failingGraceMs);
  return {
    code,
    cause: "failing",
    message: `The TXT record of ${slug} is missing; its links stop redirecting at ${end}.`,
  };
}
