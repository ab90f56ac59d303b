import { isIP } from "node:net";
import type { Actor } from "../access/actor.ts";
import type { Config } from "../config.ts";
import type { Db } from "../database/database.ts";
import type { DnsLookup, DnsRecord, DnsType, Resolver } from "./dns.ts";
import {
  type DomainStatus,
  hostNamesOf,
  type OwnershipRecord,
  ownershipRecord,
  type UnreachableReason,
} from "./domain.ts";
import { type DomainRow, findOwnDomain } from "./domains.ts";

/** The targets that short domains should point to. */
export type RoutingTarget = { cnameTarget: string; ips: readonly string[] };

/** Returns the targets of the configuration. */
export function routingTarget(
  config: Pick<Config, "WAYPOST_CNAME_TARGET" | "WAYPOST_URL" | "WAYPOST_IPS">,
): RoutingTarget {
  return { cnameTarget: config.WAYPOST_CNAME_TARGET || config.WAYPOST_URL.hostname, ips: config.WAYPOST_IPS };
}

/** A record that a server returned. */
type FoundRecord = DnsRecord & { server: string };
/** A record that would send visitors here. */
type ExpectedRecord = { type: "CNAME" | "A" | "AAAA"; name: string; value: string };
/** A question that no server answered. */
type FailedLookup = { type: DnsType; name: string; reason: UnreachableReason };

/** The records that decide where visitors of a name go. */
type Routing = {
  /** Any one suffices: the CNAME, or an address record. */
  expected: ExpectedRecord[];
  found: FoundRecord[];
  /** The records found that point elsewhere. */
  conflicts: FoundRecord[];
  /** True when a record points here and none points elsewhere. */
  matches: boolean;
};

/** Expected and found records side by side. */
type DnsReport = {
  slug: string;
  status: DomainStatus;
  ownership: {
    /** null for the instance's own domain, which needs no record. */
    expected: OwnershipRecord | null;
    found: FoundRecord[];
    matches: boolean;
  };
  routing: Routing;
  /**
   * The routing of the domain's second name, "www." before it, which is optional; null unless the domain is the top of
   * its zone, where people expect it.
   */
  www: Routing | null;
  /**
   * The zone that holds the domain's records, with its name servers in alphabetical order: they tell the DNS provider.
   * null when no name server was found.
   */
  zone: { name: string; nameServers: string[] } | null;
  certificate: {
    /** The effective CAA records: those of the closest name that has any. */
    found: FoundRecord[];
    /** The authorities that may issue a certificate for the domain; null when none is excluded. */
    allowedIssuers: string[] | null;
  };
  failedLookups: FailedLookup[];
};

/** Names whose CAA and NS records are looked up at most: the name and its parents. */
const askedNamesMax = 5;

type Deps = { db: Db; resolver: Pick<Resolver, "lookup"> };
type Question = { name: string; type: DnsType };
type Answered = Question & { lookup: DnsLookup };

/**
 * Reports the DNS records of a domain of the actor's workspace, next to the expected ones. Changes nothing. All
 * questions run at the same time, so the report takes no longer than the resolver's budget for one.
 * Throws "not_found".
 */
export async function reportDns(
  { db, resolver }: Deps,
  actor: Actor,
  { slug, target }: { slug: string; target: RoutingTarget },
): Promise<DnsReport> {
  const domain = await findOwnDomain(db, actor.workspaceId, slug);
  const wanted = lowerCaseTarget(target);
  return compare(domain, wanted, await ask(resolver, questionsAbout(domain, wanted)));
}

/** The records that decide whether an authority can issue a certificate for one host name. */
export type HostNameReport = Pick<DnsReport, "routing" | "certificate" | "failedLookups"> & { name: string };

/** Inspects one of the host names of a domain. */
export async function inspectHostName(
  { resolver }: Pick<Deps, "resolver">,
  { domain, name }: { domain: Pick<DomainRow, "slug">; name: string },
  target: RoutingTarget,
): Promise<HostNameReport> {
  const { slug } = domain;
  const wanted = lowerCaseTarget(target);
  const questions = routingQuestions(name === slug ? [slug] : [slug, name], wanted);
  for (const asked of nameAndParents(name)) questions.push({ name: asked, type: "CAA" });
  const answered = await ask(resolver, questions);
  const found = finder(answered);
  const routing = compareRouting(slug, wanted, found);
  return {
    name,
    routing: name === slug ? routing : compareRouting(name, wanted, found, routing.matches ? [slug] : []),
    certificate: effectiveCaa(name, found),
    failedLookups: answered.flatMap(failedLookupOf),
  };
}

async function ask(resolver: Deps["resolver"], questions: Question[]): Promise<Answered[]> {
  const askable = questions.filter(({ name }) => isAskable(name));
  return await Promise.all(
    askable.map(async (question) => ({ ...question, lookup: await resolver.lookup(question.name, question.type) })),
  );
}

function lowerCaseTarget({ cnameTarget, ips }: RoutingTarget): RoutingTarget {
  return { cnameTarget: cnameTarget.toLowerCase().replace(/\.$/, ""), ips };
}

function questionsAbout(domain: DomainRow, target: RoutingTarget): Question[] {
  const { slug } = domain;
  const questions: Question[] = [{ name: ownershipRecord(slug, domain.token).name, type: "TXT" }];
  questions.push(...routingQuestions(hostNamesOf(domain), target));
  for (const name of nameAndParents(slug)) questions.push({ name, type: "CAA" }, { name, type: "NS" });
  return questions;
}

function routingQuestions(names: readonly string[], { cnameTarget }: RoutingTarget): Question[] {
  const questions: Question[] = [];
  for (const name of names) {
    for (const type of ["CNAME", "A", "AAAA"] as const) questions.push({ name, type });
  }
  // The target's own addresses tell whether an address record points here, such as those of a flattened CNAME.
  if (names.includes(cnameTarget)) return questions;
  for (const type of ["A", "AAAA"] as const) questions.push({ name: cnameTarget, type });
  return questions;
}

/** The resolver takes no addresses and no impossible names; they have no records. */
function isAskable(name: string): boolean {
  return isIP(name) === 0 && name.length <= 253 && /^([a-z0-9_-]{1,63}\.)+[a-z0-9_-]{1,63}$/.test(name);
}

/** The name and its parents, closest first, without the top level (RFC 8659, section 3). */
function nameAndParents(slug: string): string[] {
  const labels = slug.split(".");
  return labels.map((_, index) => labels.slice(index).join(".")).slice(0, Math.min(askedNamesMax, labels.length - 1));
}

/** Compares the answers with the expected records; pure. */
function compare(domain: DomainRow, target: RoutingTarget, answered: Answered[]): DnsReport {
  const found = finder(answered);
  const zone = findZone(nameAndParents(domain.slug).map((name) => ({ name, servers: found(name, "NS") })));
  const [, second] = hostNamesOf(domain);
  const www = zone?.name === domain.slug ? second : undefined;
  // Nothing depends on the name servers, and on a second name that is not shown.
  const relied = answered.filter(({ name, type }) => type !== "NS" && (name !== second || www !== undefined));
  const routing = compareRouting(domain.slug, target, found);
  const proof = ownershipRecord(domain.slug, domain.token);
  const proofs = domain.isInstance === 1 ? [] : found(proof.name, "TXT");
  return {
    slug: domain.slug,
    status: domain.status,
    ownership: {
      expected: domain.isInstance === 1 ? null : proof,
      found: proofs,
      matches: domain.isInstance === 1 || proofs.some((record) => record.value.trim() === proof.value),
    },
    routing,
    // An alias of the domain itself follows it.
    www: www === undefined ? null : compareRouting(www, target, found, routing.matches ? [domain.slug] : []),
    zone,
    certificate: effectiveCaa(domain.slug, found),
    failedLookups: relied.flatMap(failedLookupOf),
  };
}

/** The closest name that has name servers. Those at the end of an alias belong to another zone. */
function findZone(names: { name: string; servers: FoundRecord[] }[]): DnsReport["zone"] {
  for (const { name, servers } of names) {
    const own = servers.filter((record) => record.name === name);
    if (own.length > 0) return { name, nameServers: own.map(({ value }) => value).sort() };
  }
  return null;
}

type Finder = (name: string, type: DnsType) => FoundRecord[];

function finder(answered: Answered[]): Finder {
  return (name, type) => answered.flatMap((answer) => recordsOf(answer, { name, type }));
}

function failedLookupOf({ name, type, lookup }: Answered): FailedLookup[] {
  return lookup.kind === "unreachable" ? [{ type, name, reason: lookup.reason }] : [];
}

function recordsOf({ name, type, lookup }: Answered, question: Question): FoundRecord[] {
  if (name !== question.name || type !== question.type || lookup.kind !== "found") return [];
  return lookup.records.map((record) => ({ ...record, server: lookup.server }));
}

/** `aliases` are other names that lead here. */
function compareRouting(
  slug: string,
  { cnameTarget, ips }: RoutingTarget,
  foundAt: Finder,
  aliases: readonly string[] = [],
): Routing {
  const expected = expectedRouting(slug, { cnameTarget, ips });
  const targetAddresses = cnameTarget === slug ? [] : [...foundAt(cnameTarget, "A"), ...foundAt(cnameTarget, "AAAA")];
  const rightAddresses = new Set([...expected, ...targetAddresses].map((record) => addressForm(record.value)));
  const found = [...foundAt(slug, "CNAME"), ...foundAt(slug, "A"), ...foundAt(slug, "AAAA")];
  const leadsHere = (record: FoundRecord) =>
    record.type === "CNAME"
      ? record.value === cnameTarget || aliases.includes(record.value)
      : rightAddresses.has(addressForm(record.value));
  const isAliased = found.some((record) => record.type === "CNAME" && leadsHere(record));
  // Behind the right alias, the target decides the addresses.
  const judged = isAliased ? found.filter((record) => record.type === "CNAME" || record.name === slug) : found;
  const conflicts = judged.filter((record) => !leadsHere(record));
  return { expected, found, conflicts, matches: conflicts.length === 0 && judged.some(leadsHere) };
}

function expectedRouting(slug: string, { cnameTarget, ips }: RoutingTarget): ExpectedRecord[] {
  const addresses = isIP(bare(cnameTarget)) === 0 ? ips : [bare(cnameTarget), ...ips];
  const records: ExpectedRecord[] = addresses.map((value) => ({
    type: isIP(value) === 6 ? "AAAA" : "A",
    name: slug,
    value,
  }));
  if (isIP(bare(cnameTarget)) !== 0 || cnameTarget === slug) return records;
  return [{ type: "CNAME", name: slug, value: cnameTarget }, ...records];
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

/** One form of each address, however an IPv6 address is written. */
function addressForm(value: string): string {
  return isIP(value) === 6 ? new URL(`http://[${value}]`).hostname : value;
}

function effectiveCaa(name: string, foundAt: Finder): DnsReport["certificate"] {
  const byName = nameAndParents(name).map((asked) => foundAt(asked, "CAA"));
  return readCaa(byName.find((records) => records.length > 0) ?? []);
}

function readCaa(found: FoundRecord[]): DnsReport["certificate"] {
  const issuers = found.filter((record) => record.type === "CAA" && record.tag === "issue");
  if (issuers.length === 0) return { found, allowedIssuers: null };
  // Parameters follow the issuer's name after a semicolon; a value without a name allows no authority.
  const names = issuers.map(({ value }) => (value.split(";")[0] ?? "").trim().toLowerCase());
  return { found, allowedIssuers: [...new Set(names.filter((name) => name !== ""))] };
}
