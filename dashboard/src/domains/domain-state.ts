import type { Schemas } from "../../../sdk/client.ts";
import { dayMs } from "../base/time.ts";

/** A domain as the API returns it. */
export type Domain = Omit<Schemas["Domain"], "registeredDomain">;

/** Whether the links of a domain work. daysLeft counts until those of a failing one stop; 0 on the last day. */
export type DomainState =
  | { kind: "instance" }
  | { kind: "verified" }
  | { kind: "pending" }
  | { kind: "failing"; daysLeft: number };

/**
 * The URL of a domain's root link: https, except that the service's own domain uses the scheme and port of `origin`.
 */
export function domainUrl({ slug, instance }: Domain, origin: string): string {
  if (!instance) return `https://${slug}`;
  const url = new URL(origin);
  url.hostname = slug;
  return url.origin;
}

/** The fields that determine a domain's state. */
export type StateFields = Pick<Domain, "verified" | "instance" | "failingUntil">;

/** The current state of a domain. */
export function stateOf({ verified, instance, failingUntil }: StateFields, now: number): DomainState {
  if (instance) return { kind: "instance" };
  if (failingUntil !== undefined) {
    const daysLeft = (Date.parse(failingUntil) - now) / dayMs;
    // Rounded, since seven days are never quite whole when a person sees them.
    return { kind: "failing", daysLeft: daysLeft < 1 ? 0 : Math.round(daysLeft) };
  }
  return { kind: verified ? "verified" : "pending" };
}
