import type { DnsRecord } from "./domain-queries.ts";

/** A found record, and how it relates to the domain. */
export type FoundAs = { record: DnsRecord; as: "right" | "wrong" | "conflict" };

/** Compares found records with the expected value; matching ones come first. */
export function foundFor(expected: { value: string }, found: readonly DnsRecord[]): FoundAs[] {
  const marked = found.map((record): FoundAs => {
    return { record, as: record.value.trim() === expected.value ? "right" : "wrong" };
  });
  return marked.sort((one, other) => Number(one.as !== "right") - Number(other.as !== "right"));
}
