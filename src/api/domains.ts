import { z } from "@hono/zod-openapi";
import type { App } from "../app.ts";
import { isoTime } from "../base/time.ts";
import type { Warn } from "../base/warning.ts";
import { createDomain } from "../domains/create-domain.ts";
import { deleteDomain } from "../domains/delete-domain.ts";
import { failingGraceMs, slugCharactersMax } from "../domains/domain.ts";
import {
  associationCharactersMax,
  type DomainSettings,
  hstsSecondsMax,
  logoCharactersMax,
  placeholderCharactersMax,
  urlCharactersMax,
} from "../domains/domain-settings.ts";
import { countMatchingDomains, type DomainRow, getDomain, listDomains, makeDomainPrimary } from "../domains/domains.ts";
import { reportDns, routingTarget } from "../domains/report-dns.ts";
import { updateDomain } from "../domains/update-domain.ts";
import { verifyDomain } from "../domains/verify-domain.ts";
import { callsOfPage } from "./calls-of-page.ts";
import { certificateEndpoints } from "./certificates.ts";
import { DomainListQuery, domainFilterQuery, domainSelection } from "./domain-filter.ts";
import { pageMax, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { ignored } from "./http/ignored-names.ts";
import { bodyLimits } from "./http/json-body.ts";
import { pagedReply } from "./http/paging.ts";

const endpoint = endpointUsing({
  tag: "Domains",
  uses: ["config", "db", "linkQueries", "now", "redirects", "resolver"],
});

const text = z.string().nullable();

/** A domain as the API shows it. Dub's contract fixes all fields except the last six, which appear only while set. */
const Domain = z
  .object({
    id: z.string(),
    slug: z.string().openapi({ description: "The domain's name, in lower-case ASCII form." }),
    verified: z.boolean(),
    primary: z
      .boolean()
      .openapi({ description: "Whether new links that name no domain use this one, once it is verified." }),
    archived: z.boolean(),
    placeholder: text,
    expiredUrl: text.openapi({ description: "The destination of expired links that have no expiredUrl." }),
    notFoundUrl: text.openapi({ description: "The destination of unknown keys." }),
    logo: text,
    assetLinks: text.openapi({ description: "Served at /.well-known/assetlinks.json." }),
    appleAppSiteAssociation: text.openapi({ description: "Served at /.well-known/apple-app-site-association." }),
    registeredDomain: z.null(),
    createdAt: timestamp,
    updatedAt: timestamp,
    honorDoNotTrack: z.literal(true).optional(),
    caseSensitive: z.literal(true).optional(),
    httpsRedirect: z
      .literal(false)
      .optional()
      .openapi({ description: "False when the domain's links are served over HTTP too." }),
    hstsMaxAgeSeconds: z
      .int()
      .optional()
      .openapi({ description: "The max-age that browsers get over HTTPS, in Strict-Transport-Security." }),
    failingUntil: timestamp.optional().openapi({
      description: "The ownership record is missing; links work until this time.",
    }),
    instance: z.literal(true).optional().openapi({
      description: "True for the service's domain, which needs no record and which only owners change.",
    }),
  })
  .openapi("Domain");

const example: z.input<typeof Domain> = {
  id: "dom_01JD4X0Q3M8Y7RZ5V2K6T9W1AB",
  slug: "go.example.com",
  verified: true,
  primary: true,
  archived: false,
  placeholder: "https://example.com/a-long-page",
  expiredUrl: null,
  notFoundUrl: "https://example.com/404",
  logo: null,
  assetLinks: null,
  appleAppSiteAssociation: null,
  registeredDomain: null,
  createdAt: "2026-11-20T09:30:00.000Z",
  updatedAt: "2026-11-20T09:30:00.000Z",
};

/** The schema checks types only. maxLength is documentation: the use cases check it after trimming. */
function settingText(charactersMax: number, description: string) {
  return z.string().nullish().openapi({ maxLength: charactersMax, description });
}

const settingFields = {
  expiredUrl: settingText(urlCharactersMax, "http or https URL for expired links; null clears it."),
  notFoundUrl: settingText(urlCharactersMax, "http or https URL for unknown keys; null clears it."),
  placeholder: settingText(placeholderCharactersMax, "Shown in the empty destination field."),
  archived: z.boolean().optional(),
  logo: settingText(logoCharactersMax, "Image as a data URL, or its http or https URL."),
  assetLinks: settingText(associationCharactersMax, "JSON text of assetlinks.json."),
  appleAppSiteAssociation: settingText(associationCharactersMax, "JSON text of apple-app-site-association."),
  honorDoNotTrack: z
    .boolean()
    .nullish()
    .openapi({ description: "Leaves visitor, region and city out of clicks with a Do Not Track header." }),
  httpsRedirect: z.boolean().nullish().openapi({
    description:
      "Whether visitors over HTTP are sent to HTTPS, on the port of WAYPOST_HTTP_PORT and once the domain has a certificate. True by default.",
  }),
  hstsMaxAgeSeconds: z.int().min(0).max(hstsSecondsMax).nullish().openapi({
    description:
      "How long browsers use only HTTPS after each visit over HTTPS, in seconds. 0 makes them forget it; null, the default, sends no such header.",
    example: 31_536_000,
  }),
  caseSensitive: z
    .boolean()
    .optional()
    .openapi({ description: "Whether keys that differ only in case name different links. Fixed at creation." }),
} satisfies Record<keyof DomainSettings, z.ZodType>;

/** Fields of Dub's domains that Waypost ignores. */
const dubFields = { deepviewData: ignored() };

const slug = z.string().openapi({ maxLength: slugCharactersMax, example: "go.example.com" });
const slugPath = z.object({ slug: z.string().openapi({ example: "go.example.com" }) });

const dnsRecord = z.object({
  type: z.enum(["A", "AAAA", "CNAME", "CAA", "TXT"]),
  name: z.string(),
  value: z.string(),
  ttlSeconds: z.int(),
  server: z.string().openapi({ description: "The DNS server that answered." }),
  tag: z.string().optional(),
  isCritical: z.boolean().optional(),
});

/** Inline in the document, since a generated client mistakes a reference that may be null. */
const routing = z.object({
  expected: z
    .array(z.object({ type: z.enum(["CNAME", "A", "AAAA"]), name: z.string(), value: z.string() }))
    .openapi({ description: "One of these records is enough." }),
  found: z.array(dnsRecord),
  conflicts: z.array(dnsRecord).openapi({ description: "Records that point elsewhere." }),
  matches: z.boolean(),
});

/** The report of a domain's DNS records, as the API shows it. */
const DnsReport = z
  .object({
    slug: z.string(),
    status: z.enum(["pending", "verified", "failing"]),
    ownership: z.object({
      expected: z.object({ name: z.string(), type: z.literal("TXT"), value: z.string() }).nullable(),
      found: z.array(dnsRecord),
      matches: z.boolean(),
    }),
    routing,
    www: routing.nullable().openapi({
      description:
        "The routing of the domain with www. before it, which visitors can use too. Optional, and null unless the domain is the top of its zone.",
    }),
    certificate: z.object({
      found: z.array(dnsRecord).openapi({ description: "The CAA records in force." }),
      allowedIssuers: z
        .array(z.string())
        .nullable()
        .openapi({ description: "Authorities that may issue a certificate; null if every authority may." }),
    }),
    zone: z
      .object({ name: z.string(), nameServers: z.array(z.string()) })
      .nullable()
      .openapi({
        description: "The zone that holds the domain's records, with its name servers; null if none was found.",
      }),
    failedLookups: z.array(z.object({ type: dnsRecord.shape.type, name: z.string(), reason: z.string() })),
  })
  .openapi("DnsReport");

const ownershipExample = { name: "_waypost.go.example.com", type: "TXT", value: "waypost-verify=4f2nB8" } as const;
const aliasExample = { type: "CNAME", name: "go.example.com", value: "links.example.com" } as const;
const answeredBy = { ttlSeconds: 300, server: "192.0.2.53" };

/** The operations on domains. */
export const domainEndpoints = [
  endpoint({
    method: "post",
    path: "/domains",
    operationId: "createDomain",
    summary: "Add a domain",
    description:
      "The domain is pending until its ownership record is found; GET /domains/{slug}/dns shows that record. The first domain becomes primary; until it is verified, links that name no domain are on the service's domain.",
    scope: "domains.write",
    bodySchema: z.object({ slug, ...settingFields, ...dubFields }),
    bodyLimit: bodyLimits.link,
    bodyExample: { slug: "go.example.com", notFoundUrl: "https://example.com/404" },
    status: 201,
    responseSchema: Domain,
    responseExample: { ...example, verified: false },
    problems: ["conflict"],
    handle: async (call) => domainResponse(call, await createDomain(call.deps, call.actor, call.body)),
  }),
  endpoint({
    method: "get",
    path: "/domains",
    operationId: "listDomains",
    summary: "List domains",
    description: "Each 256 KiB of texts in a page, such as logos and app association files, counts as one request.",
    scope: "domains.read",
    querySchema: DomainListQuery,
    responseSchema: z.array(Domain),
    responseExample: [example],
    isPaged: true,
    async handle(call) {
      const selection = domainSelection(call.query);
      const { deps, actor, spend } = call;
      // One page of a workspace at a time, since a page may have ten megabytes.
      const domains = await deps.linkQueries.run(actor.workspaceId, async (db) => {
        const page = await listDomains({ db }, actor, selection);
        spend(callsOfPage(page) - 1);
        return page;
      });
      await warnIfBlocked(call, domains);
      return pagedReply(call, domains.map(serialize), { requested: selection, pageMax });
    },
  }),
  endpoint({
    method: "get",
    path: "/domains/count",
    operationId: "countDomains",
    summary: "Count domains",
    scope: "domains.read",
    querySchema: z.object(domainFilterQuery),
    responseSchema: z.int(),
    responseExample: 3,
    handle: ({ deps, actor, query: { archived = false, search } }) =>
      countMatchingDomains(deps, actor, { archived, search }),
  }),
  ...certificateEndpoints,
  endpoint({
    method: "get",
    path: "/domains/{slug}",
    operationId: "getDomain",
    summary: "Retrieve a domain",
    scope: "domains.read",
    pathSchema: slugPath,
    responseSchema: Domain,
    responseExample: example,
    handle: async (call) => domainResponse(call, await getDomain(call.deps, call.actor, call.path.slug)),
  }),
  endpoint({
    method: "patch",
    path: "/domains/{slug}",
    operationId: "updateDomain",
    summary: "Update a domain",
    description: "Omitted fields stay unchanged; null clears. A new slug makes the domain pending again.",
    scope: "domains.write",
    pathSchema: slugPath,
    bodySchema: z.object({ slug: slug.optional(), ...settingFields, ...dubFields }),
    bodyLimit: bodyLimits.link,
    bodyExample: { notFoundUrl: "https://example.com/404", archived: false },
    responseSchema: Domain,
    responseExample: example,
    problems: ["conflict"],
    handle: async (call) =>
      domainResponse(call, await updateDomain(call.deps, call.actor, { slug: call.path.slug, changes: call.body })),
  }),
  endpoint({
    method: "delete",
    path: "/domains/{slug}",
    operationId: "deleteDomain",
    summary: "Delete a domain and its links",
    description:
      "The links stop redirecting at once and disappear from all lists. They are erased in the background, a hundred at a time; an externalId can be used again once its link is erased.",
    scope: "domains.write",
    pathSchema: slugPath,
    responseSchema: z.object({ slug: z.string() }),
    responseExample: { slug: "go.example.com" },
    handle: ({ deps, actor, path }) => deleteDomain(deps, actor, path.slug),
  }),
  endpoint({
    method: "post",
    path: "/domains/{slug}/primary",
    operationId: "makeDomainPrimary",
    summary: "Make a domain primary",
    description: "New links without a domain then use it. 409 for a pending domain, whose links do not redirect.",
    scope: "domains.write",
    pathSchema: slugPath,
    responseSchema: Domain,
    responseExample: example,
    problems: ["conflict"],
    handle: async (call) => domainResponse(call, await makeDomainPrimary(call.deps, call.actor, call.path.slug)),
  }),
  endpoint({
    method: "get",
    path: "/domains/{slug}/dns",
    operationId: "reportDns",
    summary: "Report a domain's DNS records, expected and found",
    description:
      "Shows the ownership record, the routing, and the authorities that may issue the domain's certificate. Changes nothing.",
    scope: "domains.read",
    pathSchema: slugPath,
    responseSchema: DnsReport,
    responseExample: {
      slug: "go.example.com",
      status: "pending",
      ownership: { expected: ownershipExample, found: [], matches: false },
      routing: { expected: [aliasExample], found: [{ ...aliasExample, ...answeredBy }], conflicts: [], matches: true },
      www: null,
      certificate: { found: [], allowedIssuers: null },
      zone: { name: "example.com", nameServers: ["ns1.example.net", "ns2.example.net"] },
      failedLookups: [],
    },
    handle: ({ deps, actor, path }) => reportDns(deps, actor, { slug: path.slug, target: routingTarget(deps.config) }),
  }),
  endpoint({
    method: "post",
    path: "/domains-v2/{id}/verify",
    operationId: "verifyDomain",
    summary: "Check a domain's DNS record and verify it",
    description:
      "success is true if the domain is verified after this check. Otherwise message names the expected record and the records found.",
    scope: "domains.write",
    pathSchema: z.object({ id: z.string().openapi({ example: example.id }) }),
    responseSchema: z.object({ success: z.boolean(), message: z.string() }),
    responseExample: {
      success: true,
      message: "go.example.com is verified: its TXT record was found at _waypost.go.example.com.",
    },
    handle: ({ deps, actor, path }) => verifyDomain(deps, actor, path.id),
  }),
];

type ResponseCall = { deps: Pick<App, "redirects">; warn: Warn | undefined };

/** Returns a domain as the API shows it; warns if the operator has blocked it. */
async function domainResponse(call: ResponseCall, domain: DomainRow): Promise<z.input<typeof Domain>> {
  await warnIfBlocked(call, [domain]);
  return serialize(domain);
}

async function warnIfBlocked({ deps, warn }: ResponseCall, domains: readonly DomainRow[]): Promise<void> {
  if (warn === undefined) return;
  const blocks = await deps.redirects.lookup.blocks();
  for (const { slug } of domains) {
    if (!blocks.hasDomain(slug)) continue;
    warn({
      code: "blocked",
      message: `The operator of this service has blocked ${slug}; visitors to its links get a page that says so (410).`,
    });
  }
}

function serialize(domain: DomainRow): z.input<typeof Domain> {
  const { id, placeholder, expiredUrl, notFoundUrl, logo, assetLinks, appleAppSiteAssociation } = domain;
  return {
    id,
    slug: domain.slug,
    verified: domain.status === "verified",
    primary: domain.primary === 1,
    archived: domain.archived === 1,
    placeholder,
    expiredUrl,
    notFoundUrl,
    logo,
    assetLinks,
    appleAppSiteAssociation,
    registeredDomain: null,
    createdAt: isoTime(domain.createdAt),
    updatedAt: isoTime(domain.updatedAt),
    ...(domain.honorDoNotTrack === 1 ? { honorDoNotTrack: true } : {}),
    ...(domain.caseSensitive === 1 ? { caseSensitive: true } : {}),
    ...(domain.httpsRedirect === 1 ? {} : { httpsRedirect: false }),
    ...(domain.hstsMaxAgeSeconds === null ? {} : { hstsMaxAgeSeconds: domain.hstsMaxAgeSeconds }),
    ...(domain.failingSince === null ? {} : { failingUntil: isoTime(domain.failingSince + failingGraceMs) }),
    ...(domain.isInstance === 1 ? { instance: true } : {}),
  };
}
