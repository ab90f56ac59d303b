import { z } from "@hono/zod-openapi";
import { type Blocks, isBlockedKey } from "../access/blocks.ts";
import type { App } from "../app.ts";
import { isoTime } from "../base/time.ts";
import { mapInSlices } from "../base/time-slices.ts";
import { failingGraceMs } from "../domains/domain.ts";
import { findNamedLinks } from "../links/find-links.ts";
import type { Link } from "../links/link.ts";
import { pageSizeMax } from "../links/list-links.ts";
import { shortLinkOf } from "../links/short-link.ts";
import { isServing } from "../redirects/lookup.ts";
import { queryList } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";

const endpoint = endpointUsing("config", "database", "now", "redirects");

/** What keeps visitors from a link, as the API answers it. */
const LinkWarning = z
  .object({
    linkId: z.string(),
    code: z.enum(["blocked", "domain_not_verified"]),
    cause: z.enum(["link", "domain", "workspace", "user", "host", "pending", "failing"]).openapi({
      description:
        "What the operator has blocked: the `link`, its `domain`, its `workspace`, the `user` who created it, or a `host` that it leads to. Or the state of its domain: `pending`, or `failing`, so that the link works only for a time.",
    }),
    message: z.string().openapi({ description: "An English sentence, as in the header Waypost-Warning." }),
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
    summary: `List what keeps visitors from up to ${pageSizeMax} links`,
    description:
      "The warnings `blocked` and `domain_not_verified` of the header Waypost-Warning, for each link and without the header's limits; none for a link that visitors reach. A name that no link has is passed over.",
    tag: "Links",
    scope: "links.read",
    querySchema: z.object({
      linkIds: queryList(pageSizeMax).optional().openapi({ description: "Ids, or `ext_` and externalIds." }),
    }),
    status: 200,
    responseSchema: z.array(LinkWarning),
    responseExample: [
      {
        linkId: "link_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
        code: "blocked",
        cause: "link",
        message: blockedMessage("https://go.example.com/spring"),
      },
    ],
    async handle({ deps, actor, query: { linkIds = [] } }) {
      const links = await findNamedLinks({ db: deps.database.reads }, actor, linkIds);
      return [...(await blockWarnings(deps, links)), ...(await domainWarnings(deps, links))];
    },
  }),
];

/** Tells which of the links are blocked, one warning each. */
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
  const own = blocks.blockOf(link);
  if (own !== undefined) return own;
  const onDomain = blocks.onDomain(link.domain);
  if (isBlockedKey(onDomain, link.key)) return onDomain === "all" ? "domain" : "link";
  return blocks.hasHosts && targetsOf(link).some((url) => blocks.hasHostOf(url)) ? "host" : undefined;
}

function blockedMessage(shortLink: string): string {
  return `The operator of this service has blocked ${shortLink}; visitors get a page that says so (410).`;
}

function blockedHostMessage(shortLink: string): string {
  return `${shortLink} leads to a host that the operator of this service has blocked; visitors get a page that says so (410).`;
}

/** Every url that a link may send a visitor to. */
function targetsOf({ url, expiredUrl, ios, android, geo, rules, testVariants }: Link): string[] {
  const single = [url, expiredUrl, ios, android].filter((target) => target !== null);
  const lists = [...(rules ?? []), ...(testVariants ?? [])].map((item) => item.url);
  return [...single, ...Object.values(geo ?? {}), ...lists];
}

/** Tells which of the links are on a domain that is not verified, or soon no longer; those of a domain say the same. */
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

/** Asked of the look-up that visitors are answered by, so that the warning says what they get. */
async function domainWarning(
  { redirects, now }: WarningDeps,
  { domainId, slug }: { domainId: string; slug: string },
): Promise<Omit<LinkWarning, "linkId"> | undefined> {
  const domain = await redirects.lookup.domain(slug);
  const code = "domain_not_verified";
  // Of several workspaces that hold a slug, visitors meet the links of one.
  if (domain?.id !== domainId || !isServing(domain, redirects.isUnverifiedAllowed, now())) {
    const next = `GET /v1/domains/${slug}/dns shows the record that is missing.`;
    return { code, cause: "pending", message: `${slug} is not verified, so its links do not redirect. ${next}` };
  }
  if (domain.failingSince === null || redirects.isUnverifiedAllowed) return undefined;
  const end = isoTime(domain.failingSince + failingGraceMs);
  return {
    code,
    cause: "failing",
    message: `The TXT record of ${slug} is missing; its links stop redirecting at ${end}.`,
  };
}
