import assert from "node:assert";
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { dayMs, isoTime } from "../base/time.ts";
import type { CheckOutcome } from "../database/domain-tables.ts";

/**
 * The states of a domain and the transitions between them.
 *
 * 1. pending → verified when the ownership record is found.
 * 2. verified → failing when the record is not found; links keep working for failingGraceMs.
 * 3. failing → verified when the record is found again; failing → pending after failingGraceMs without it.
 * 4. An unreachable resolver changes nothing, since it says nothing about the record.
 * 5. failingSince is set exactly while the status is failing.
 */

export type DomainStatus = "pending" | "verified" | "failing";

/** The key of the link that a visit to the bare domain follows. */
export const rootKey = "_root";

/** How long links of a failing domain work after the first check that missed the record. */
export const failingGraceMs = 7 * dayMs;

/** Longest slug accepted, in characters of its punycode form. */
export const slugCharactersMax = 190;

const labelCharactersMax = 63; // RFC 1035, section 2.3.4
const foundRecordsShownMax = 3;
const foundCharactersShownMax = 80;

/** A domain name that a person wrote: its slug, or why it is invalid, as a text that follows a field's name. */
type SlugReading = { kind: "slug"; slug: string } | { kind: "refused"; reason: string };

/** The name and value of the record that proves the ownership of a domain. */
export type OwnershipRecord = { name: string; type: "TXT"; value: string };

/** Why no server gave a credible answer. */
export type UnreachableReason = "timeout" | "servfail" | "refused" | "network" | "unusable" | "no_server";

/** A question without a credible answer. */
export type Unreachable = {
  kind: "unreachable";
  reason: UnreachableReason;
  /** The server that failed, for the operator's log; absent when there was no server to ask. */
  server?: string;
};

/** The outcome of a TXT lookup; each record is one text, its strings joined. */
export type TxtLookup = TxtAnswer | Unreachable;

/** A credible answer; ttlSeconds says how long resolvers may keep it. */
type TxtAnswer =
  | { kind: "found"; records: string[]; ttlSeconds?: number }
  | { kind: "absent"; reason: "nxdomain" | "empty"; ttlSeconds?: number };

/** What a name server of the domain's zone answered; nameServer is its host name. */
export type NameServerAnswer = { nameServer: string; lookup: TxtAnswer };

/** The columns of a domain that its state depends on. */
type DomainState = { status: DomainStatus; failingSince: number | null };

/** A workspace's claim to a domain: its state, and the text of the ownership record. */
export type DomainClaim = DomainState & { slug: string; token: string };

/** The outcome of a check of the ownership record: the next state, and a message. */
export type Verdict = DomainState & {
  /** True when this check proved the ownership. */
  success: boolean;
  outcome: Exclude<CheckOutcome, "taken">;
  /** For the caller; if success is false, it names the expected record and what was found. */
  message: string;
};

/**
 * Decides the next state of a domain from one lookup of the ownership record by a resolver, and the answers of the
 * domain's name servers if they were asked. The record proves the ownership wherever it was found.
 * Guarantee: an unreachable lookup returns the state it was given.
 */
export function judge(
  domain: DomainClaim,
  lookup: TxtLookup,
  now: number,
  nameServers: readonly NameServerAnswer[] = [],
): Verdict {
  const expected = ownershipRecord(domain.slug, domain.token);
  const expectation = `Expected a TXT record at ${expected.name} with the value ${expected.value}`;
  if (lookup.kind === "unreachable") {
    return {
      status: domain.status,
      failingSince: domain.failingSince,
      success: false,
      outcome: "unanswered",
      message: `${expectation}, but the check failed: ${unreachableText[lookup.reason]}. Nothing was changed; try again later.`,
    };
  }
  if (isProof(lookup, domain)) {
    return proven(`${domain.slug} is verified: its TXT record was found at ${expected.name}.`);
  }
  const ahead = nameServers.find((answer) => isProof(answer.lookup, domain));
  if (ahead !== undefined) return proven(provenByNameServer(domain, ahead, lookup));
  const [first] = nameServers;
  // A resolver may have an older answer than the domain's name server.
  const latest = first?.lookup ?? lookup;
  const source = first === undefined ? "" : ` (asked its name server ${first.nameServer})`;
  return latest.kind === "absent"
    ? unproven(domain, `${expectation}, but ${absentText[latest.reason]}${source}.`, { outcome: "missing", now })
    : unproven(domain, `${expectation}, but found ${shownRecords(latest.records)}${source}.`, {
        outcome: "different",
        now,
      });
}

/** True when an answer contains the record that proves the claim. */
export function isProof(lookup: TxtLookup, { slug, token }: Pick<DomainClaim, "slug" | "token">): boolean {
  const { value } = ownershipRecord(slug, token);
  return lookup.kind === "found" && lookup.records.some((record) => record.trim() === value);
}

function proven(message: string): Verdict {
  return { status: "verified", failingSince: null, success: true, outcome: "found", message };
}

function provenByNameServer({ slug }: DomainClaim, { nameServer }: NameServerAnswer, older: TxtAnswer): string {
  return older.ttlSeconds === undefined
    ? `${slug} is verified: its name server ${nameServer} has the TXT record. Other DNS servers still have an older answer.`
    : `${slug} is verified: its name server ${nameServer} has the TXT record. Other DNS servers see it within ${older.ttlSeconds} seconds.`;
}

/** The TXT record that proves a workspace's ownership of the slug; a live site uses no such name. */
export function ownershipRecord(slug: string, token: string): OwnershipRecord {
  return { name: `_waypost.${slug}`, type: "TXT", value: `waypost-verify=${token}` };
}

const www = "www.";

/** The host names that a domain answers, its slug first; see docs/decisions/0019-www-is-part-of-a-domain.md. */
export function hostNamesOf({ slug, isInstance }: { slug: string; isInstance: 0 | 1 }): string[] {
  return isInstance === 1 ? [slug] : [slug, `${www}${slug}`];
}

/** The domain to which a host with "www." belongs; undefined for other hosts. */
export function withoutWww(host: string): string | undefined {
  return host.startsWith(www) ? host.slice(www.length) : undefined;
}

/** True when the domain's links redirect: it is verified, or failing for less than failingGraceMs. */
export function linksWork(state: DomainState, now: number): boolean {
  switch (state.status) {
    case "verified":
      return true;
    case "failing":
      return now < graceEnd(state);
    case "pending":
      return false;
  }
}

/**
 * The slug of a domain name as people write it: trimmed, lower-case punycode, without a trailing dot. The reason of a
 * refusal describes a valid name and follows a field's name.
 */
export function normalizeSlug(input: string): SlugReading {
  const written = input.trim();
  const misfit = hostProblem(written);
  if (misfit !== undefined) return refused(misfit);
  // Percent signs, paths and ports are refused above because domainToASCII decodes or drops them silently.
  const slug = withoutTrailingDot(domainToASCII(written));
  const flaw = slug === "" ? "has characters that no domain name can have" : slugProblem(slug);
  return flaw === undefined ? { kind: "slug", slug } : refused(flaw);
}

/**
 * The slug of the instance's own domain, from its public URL (http or https): the host without port.
 * Unlike normalizeSlug, it accepts localhost, single labels and addresses; an IPv6 address keeps its brackets.
 */
export function instanceSlug(url: URL): string {
  return withoutTrailingDot(url.hostname.toLowerCase());
}

/** What a check found that did not find the record, and when. */
type Miss = { outcome: "missing" | "different"; now: number };

function unproven(domain: DomainClaim, observed: string, { outcome, now }: Miss): Verdict {
  switch (domain.status) {
    case "pending":
      return { status: "pending", failingSince: null, success: false, outcome, message: observed };
    case "verified":
      return failing(now, observed, outcome);
    case "failing": {
      // A later time was written while the clock was ahead, and would keep the links for as long.
      if (now < graceEnd(domain)) return failing(Math.min(failingSinceOf(domain), now), observed, outcome);
      const message = `${observed} It has been missing for 7 days, so the domain is pending again and its links no longer redirect.`;
      return { status: "pending", failingSince: null, success: false, outcome, message };
    }
  }
}

function failing(failingSince: number, observed: string, outcome: Miss["outcome"]): Verdict {
  const message = `${observed} Its links redirect until ${isoTime(failingSince + failingGraceMs)}.`;
  return { status: "failing", failingSince, success: false, outcome, message };
}

function graceEnd(state: DomainState): number {
  return failingSinceOf(state) + failingGraceMs;
}

function failingSinceOf({ status, failingSince }: DomainState): number {
  assert(failingSince !== null, `a ${status} domain has failingSince ${failingSince}`);
  return failingSince;
}

const unreachableText: Record<UnreachableReason, string> = {
  timeout: "no DNS server answered in time",
  servfail: "the name servers of the domain failed to answer (SERVFAIL)",
  refused: "the DNS server refused the query (REFUSED)",
  network: "the DNS server could not be reached",
  unusable: "the DNS server's response was invalid",
  no_server: "no DNS server is configured",
};

const absentText: Record<"nxdomain" | "empty", string> = {
  nxdomain: "this name does not exist",
  empty: "found no TXT record there",
};

/** The records found, as one text of bounded length, since they can hold any text. */
function shownRecords(records: string[]): string {
  const shown = records.slice(0, foundRecordsShownMax).map((record) => `"${printable(record)}"`);
  const hidden = records.length - shown.length;
  return hidden > 0 ? `${shown.join(", ")} and ${hidden} more` : shown.join(", ");
}

function printable(record: string): string {
  const cut = record.slice(0, foundCharactersShownMax).replace(/[^\x20-\x7e]/g, "?");
  return record.length > foundCharactersShownMax ? `${cut}...` : cut;
}

function refused(flaw: string): SlugReading {
  return { kind: "refused", reason: `must be a domain name such as go.example.com, but this ${flaw}.` };
}

/** The reason why a text is no host. */
function hostProblem(written: string): string | undefined {
  if (written === "") return "is empty";
  if (written.length > slugCharactersMax + 1) return tooLong; // one more for a trailing dot
  if (isIP(written.replace(/^\[|\]$/g, "")) !== 0) return isAddress;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(written)) return "has a scheme";
  if (/\s/.test(written)) return "has a space";
  if (/[/\\?#]/.test(written)) return "has a path or query";
  if (written.includes("@")) return "has an @";
  if (written.includes(":")) return "has a port";
  if (written.includes("%")) return "has a percent sign";
  if (/(^|\.)(\d+|0x[0-9a-f]*)\.?$/i.test(written)) return isAddress;
  return undefined;
}

/** The reason why a host, in its ASCII form, is no slug. */
function slugProblem(slug: string): string | undefined {
  if (isIP(slug) !== 0) return isAddress;
  if (slug.length > slugCharactersMax) return tooLong;
  if (slug.startsWith(www)) return "begins with www., which every domain answers too; leave it out";
  const labels = slug.split(".");
  if (labels.length < 2) return "has no dot";
  for (const label of labels) {
    if (label === "") return "has two dots in a row or begins with a dot";
    if (label.length > labelCharactersMax) return `has a part longer than ${labelCharactersMax} characters`;
    if (label.includes("_")) return "has an underscore";
    if (label.startsWith("-") || label.endsWith("-")) return "has a part that begins or ends with a hyphen";
    if (!/^[a-z0-9-]+$/.test(label)) return "has characters that no domain name can have";
  }
  return undefined;
}

const tooLong = `is longer than ${slugCharactersMax} characters`;
const isAddress = "ends in a number, as IP addresses do";

function withoutTrailingDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}
