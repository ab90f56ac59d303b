import type { Schemas } from "../../../sdk/client.ts";

/** A domain as the API answers it. */
export type Domain = Omit<Schemas["Domain"], "registeredDomain">;

/** Whether the links of a domain work, and why; daysLeft are whole ones, until when they do without the record. */
export type DomainState =
  | { kind: "instance" }
  | { kind: "verified" }
  | { kind: "pending" }
  | { kind: "failing"; daysLeft: number };

const dayMs = 24 * 60 * 60 * 1_000;

/** What a domain is now. */
export function stateOf({ verified, instance, failingUntil }: Domain, now: number): DomainState {
  if (instance) return { kind: "instance" };
  if (failingUntil !== undefined) {
    return { kind: "failing", daysLeft: Math.max(0, Math.floor((Date.parse(failingUntil) - now) / dayMs)) };
  }
  return { kind: verified ? "verified" : "pending" };
}
