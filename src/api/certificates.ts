import { z } from "@hono/zod-openapi";
import {
  listCertificates,
  reportCertificate,
  reportedStates,
  retryCertificate,
} from "../certificates/report-certificate.ts";
import { DomainListQuery, domainSelection } from "./domain-filter.ts";
import { pageMax, timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";
import { pagedReply } from "./http/paging.ts";

const endpoint = endpointUsing({ tag: "Domains", uses: ["certificates", "config", "db", "now"] });

/** The certificate of one host name. */
const nameFields = {
  state: z.enum(reportedStates).openapi({
    description:
      "off: this service orders no certificate for the domain. unverified: the domain is not verified. waiting: DNS does not point here, or a CAA record excludes the authority. ordering: the order runs. valid. renewalFailed: still valid, but the last renewal failed. failed: there is none, and the last attempt failed. expired.",
  }),
  notBefore: timestamp.nullable(),
  notAfter: timestamp.nullable(),
  problem: z.string().nullable().openapi({
    description: "Why the last attempt failed, in the certificate authority's words where it said something.",
  }),
  nextAttemptAt: timestamp.nullable().openapi({ description: "The time of the next attempt or renewal." }),
};

/** A domain's TLS certificates, as the API shows them. */
const DomainCertificate = z
  .object({
    slug: z.string(),
    ...nameFields,
    www: z
      .object({ name: z.string(), ...nameFields })
      .nullable()
      .openapi({
        description:
          "The certificate of the domain's second name, `www.` before the slug. It is optional and waits until the DNS of that name points here. null when the domain gets none.",
      }),
  })
  .openapi("DomainCertificate");

const exampleOfName = {
  state: "valid",
  notBefore: "2026-11-20T09:30:00.000Z",
  notAfter: "2027-02-18T09:30:00.000Z",
  problem: null,
  nextAttemptAt: "2027-01-19T09:30:00.000Z",
} as const;

const example: z.input<typeof DomainCertificate> = {
  slug: "example.com",
  ...exampleOfName,
  www: { name: "www.example.com", ...exampleOfName },
};

const slugPath = z.object({ slug: z.string().openapi({ example: "go.example.com" }) });

/** The operations on certificates of domains. */
export const certificateEndpoints = [
  endpoint({
    method: "get",
    path: "/domains/certificates",
    operationId: "listDomainCertificates",
    summary: "List the states of domains' certificates",
    description: "One entry for each domain that GET /domains lists with the same parameters, in the same order.",
    scope: "domains.read",
    querySchema: DomainListQuery,
    responseSchema: z.array(DomainCertificate),
    responseExample: [example],
    isPaged: true,
    async handle(call) {
      const selection = domainSelection(call.query);
      const certificates = await listCertificates(call.deps, call.actor, selection);
      return pagedReply(call, certificates, { requested: selection, pageMax });
    },
  }),
  endpoint({
    method: "get",
    path: "/domains/{slug}/certificate",
    operationId: "getDomainCertificate",
    summary: "Retrieve the state of a domain's certificate",
    scope: "domains.read",
    pathSchema: slugPath,
    responseSchema: DomainCertificate,
    responseExample: example,
    handle: ({ deps, actor, path }) => reportCertificate(deps, actor, path.slug),
  }),
  endpoint({
    method: "post",
    path: "/domains/{slug}/certificate/retry",
    operationId: "retryDomainCertificate",
    summary: "Try again to order a domain's certificate",
    description:
      "Runs the next attempt for the domain and its `www.` name now; changes nothing while the certificate is valid. 429 when the last attempt is too recent, or the authority asked to wait; the message says which, and when the next attempt is possible.",
    scope: "domains.write",
    pathSchema: slugPath,
    responseSchema: DomainCertificate,
    responseExample: { ...example, state: "ordering", notBefore: null, notAfter: null },
    handle: ({ deps, actor, path }) => retryCertificate(deps, actor, path.slug),
  }),
];
