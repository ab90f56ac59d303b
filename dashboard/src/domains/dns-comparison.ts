import type { DnsRecord } from "./domain-queries.ts";

/** A found record, and how it relates to the domain. */
export type ComparedRecord = { record: DnsRecord; as: "right" | "wrong" | "conflict" };

/** Compares found records with the expected value; matching ones come first. */
export function compareRecords(expected: { value: string }, found: readonly DnsRecord[]): ComparedRecord[] {
  const marked = found.map((record): ComparedRecord => {
    return { record, as: record.value.trim() === expected.value ? "right" : "wrong" };
  });
  return marked.sort((one, other) => Number(one.as !== "right") - Number(other.as !== "right"));
}
