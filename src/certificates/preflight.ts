import type { Resolver } from "../domains/dns.ts";
import type { DomainRow } from "../domains/domains.ts";
import { type HostNameReport, inspectHostName, type RoutingTarget } from "../domains/report-dns.ts";

/** Why an order would fail, as a sentence for the domain's owner. */
type PreflightFailure = { kind: "dns" | "caa"; text: string };

const valuesShownMax = 3;

/**
 * Checks in DNS whether an order can succeed: the host name must route here, and no CAA record may exclude the
 * authority. Returns undefined when both are so. `caaIdentities` are the authority's names in CAA records; null if it
 * publishes none.
 */
export async function checkPreflight(
  { resolver, target }: { resolver: Pick<Resolver, "lookup">; target: RoutingTarget },
  host: { domain: Pick<DomainRow, "slug">; name: string },
  caaIdentities: readonly string[] | null,
): Promise<PreflightFailure | undefined> {
  return preflightFailureOf(await inspectHostName({ resolver }, host, target), caaIdentities);
}

/** Decides from the DNS records of a host name; pure. */
export function preflightFailureOf(
  { name, routing, certificate, failedLookups }: HostNameReport,
  caaIdentities: readonly string[] | null,
): PreflightFailure | undefined {
  // Other failures may be our resolver's; the authority uses its own.
  const failed = failedLookups.find(({ type, reason }) => type === "CAA" && reason === "servfail");
  if (!routing.matches) return { kind: "dns", text: routingText(name, routing, failedLookups) };
  // An authority must not issue a certificate when it cannot read these records (RFC 8659, section 3).
  if (failed !== undefined) {
    return { kind: "caa", text: `The CAA records of ${failed.name} could not be read (${failed.reason}).` };
  }
  const { allowedIssuers } = certificate;
  if (allowedIssuers === null || caaIdentities === null) return undefined;
  if (allowedIssuers.some((issuer) => caaIdentities.includes(issuer))) return undefined;
  const allowed = allowedIssuers.length === 0 ? "no authority" : `only ${listed(allowedIssuers)}`;
  return {
    kind: "caa",
    text: `A CAA record of ${name} allows ${allowed}. Add one for ${listed(caaIdentities.slice(0, 1))}, or remove it.`,
  };
}

function routingText(
  host: string,
  { expected, found, conflicts }: HostNameReport["routing"],
  failedLookups: HostNameReport["failedLookups"],
): string {
  const [first] = expected;
  const wanted =
    first === undefined
      ? ""
      : ` It needs ${first.type === "CNAME" ? "a" : "an"} ${first.type} record with the value ${first.value}.`;
  if (conflicts.length > 0) {
    return `${host} points to ${listed(conflicts.map(({ value }) => value))}, not to this server.${wanted}`;
  }
  const unread = failedLookups.find(({ name }) => name === host);
  if (found.length === 0 && unread !== undefined) {
    return `The DNS records of ${host} could not be read (${unread.reason}).`;
  }
  return `${host} has no DNS record that points to this server.${wanted}`;
}

function listed(values: readonly string[]): string {
  const shown = values.slice(0, valuesShownMax).join(", ");
  return values.length > valuesShownMax ? `${shown} and others` : shown;
}
