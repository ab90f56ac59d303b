import type { DnsProvider } from "./dns-providers.ts";

/** A record as the report expects it, with its full name. */
export type ExpectedRecord = { type: "CNAME" | "A" | "AAAA" | "TXT"; name: string; value: string };

/** A record as it is typed into a provider's form. */
type DnsEntry = {
  type: ExpectedRecord["type"] | "ALIAS";
  /** "" for a field that stays empty. */
  name: string;
  value: string;
  /** True when the name is the zone's own, at which most providers allow no CNAME. */
  isApex: boolean;
  /** True when this provider cannot hold the record: a CNAME at the zone's own name. */
  isImpossible: boolean;
};

/**
 * The entry for a record. Without a provider the name is the full one; without a zone too, since nothing tells which part
 * of it the provider appends.
 */
export function dnsEntryOf(
  record: ExpectedRecord,
  zone: string | undefined,
  provider: DnsProvider | undefined,
): DnsEntry {
  const isApex = record.name === zone;
  const isHost = record.type === "CNAME";
  const apexType = isApex && isHost ? provider?.apexType : undefined;
  return {
    type: apexType ?? record.type,
    name: shownName(record.name, zone, provider),
    value: shownValue(record, provider),
    isApex,
    isImpossible: isApex && isHost && apexType === undefined,
  };
}

function shownName(name: string, zone: string | undefined, provider: DnsProvider | undefined): string {
  if (provider === undefined || zone === undefined) return name;
  if (name === zone) return provider.apexName;
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name;
}

function shownValue({ type, value }: ExpectedRecord, provider: DnsProvider | undefined): string {
  if (type === "TXT" && provider?.quotesTxt === true) return `"${value}"`;
  return type === "CNAME" && provider?.needsFinalDot === true ? `${value}.` : value;
}
