import type { DnsRecord } from "./domain-queries.ts";

/** A record that was found, and what it is to the domain. */
export type FoundAs = { record: DnsRecord; as: "right" | "wrong" | "conflict" };

/** The records found where one was expected: those that are it, before the others. */
export function foundFor(expected: { value: string }, found: readonly DnsRecord[]): FoundAs[] {
  const marked = found.map((record): FoundAs => {
    return { record, as: record.value.trim() === expected.value ? "right" : "wrong" };
  });
  return marked.sort((one, other) => Number(one.as !== "right") - Number(other.as !== "right"));
}
