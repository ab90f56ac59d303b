import { z } from "@hono/zod-openapi";
import { isoTime } from "../base/time.ts";
import { checkOutcomes } from "../database/domain-tables.ts";
import { checksPerDomainMax, listDomainChecks, type DomainCheck as StoredCheck } from "../domains/domain-checks.ts";
import { timestamp } from "./field-schemas.ts";
import { endpointUsing } from "./http/endpoint.ts";

const endpoint = endpointUsing({ tag: "Domains", uses: ["db"] });

/** Checks in a row with the same outcome, as the API shows them. */
const DomainCheck = z
  .object({
    id: z.string(),
    outcome: z.enum(checkOutcomes).openapi({
      description:
        "`found`: the ownership record; `missing`: no TXT record; `different`: only other TXT records; `unanswered`: no DNS server answered, so nothing changed; `taken`: the record, but another workspace had verified the domain.",
    }),
    status: z.enum(["pending", "verified", "failing"]).openapi({ description: "The domain's status after the check." }),
    message: z.string().openapi({ description: "What the newest of these checks found." }),
    checks: z.int().openapi({ description: "How many checks in a row had this outcome." }),
    firstAt: timestamp,
    lastAt: timestamp,
  })
  .openapi("DomainCheck");

const example: z.input<typeof DomainCheck> = {
  id: "chk_01KAFXV8E3M2Q7N4T9W5Y6Z0AB",
  outcome: "found",
  status: "verified",
  message: "go.example.com is verified: its TXT record was found at _waypost.go.example.com.",
  checks: 12,
  firstAt: "2026-11-20T09:30:00.000Z",
  lastAt: "2026-11-23T08:10:00.000Z",
};

/** The operations on the checks of domains. */
export const domainCheckEndpoints = [
  endpoint({
    method: "get",
    path: "/domains/{slug}/checks",
    operationId: "listDomainChecks",
    summary: "List the checks of a domain",
    description: `The checks of the ownership record, newest first. Checks in a row with the same outcome are one entry. Waypost keeps the last ${checksPerDomainMax} entries, for a year.`,
    scope: "domains.read",
    pathSchema: z.object({ slug: z.string().openapi({ example: "go.example.com" }) }),
    responseSchema: z.array(DomainCheck),
    responseExample: [example],
    handle: async ({ deps, actor, path }) => (await listDomainChecks(deps, actor, { slug: path.slug })).map(serialize),
  }),
];

function serialize({ firstAt, lastAt, ...check }: StoredCheck): z.input<typeof DomainCheck> {
  return { ...check, firstAt: isoTime(firstAt), lastAt: isoTime(lastAt) };
}
