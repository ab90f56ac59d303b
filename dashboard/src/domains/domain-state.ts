import type { Schemas } from "../../../sdk/client.ts";
import { dayMs } from "../base/time.ts";

/** A domain as the API answers it. */
export type Domain = Omit<Schemas["Domain"], "registeredDomain">;

/** Whether the links of a domain work, and why; daysLeft are whole ones, until when they do without the record. */
export type DomainState =
  | { kind: "instance" }
  | { kind: "verified" }
  | { kind: "pending" }
  | { kind: "failing"; daysLeft: number };

/** Where a domain's root link is met: by https, but the service's own domain as the service itself, of which `origin` is one. */
export function homeOf({ slug, instance }: Domain, origin: string): string {
  if (!instance) return `https://${slug}`;
  const url = new URL(origin);
  url.hostname = slug;
  return url.origin;
}

/** By what is told what a domain is. */
export type StateFields = Pick<Domain, "verified" | "instance" | "failingUntil">;

/** What a domain is now. */
export function stateOf({ verified, instance, failingUntil }: StateFields, now: number): DomainState {
  if (instance) return { kind: "instance" };
  if (failingUntil !== undefined) {
    return { kind: "failing", daysLeft: Math.max(0, Math.floor((Date.parse(failingUntil) - now) / dayMs)) };
  }
  return { kind: verified ? "verified" : "pending" };
}
