import type { DnsLookup, Resolver } from "./dns.ts";
import type { NameServerAnswer } from "./domain.ts";

/**
 * Asks the name servers of a zone for the ownership record, because a resolver may still have an older answer.
 *
 * 1. The zone is the closest name at or above the domain that has NS records; resolvers find it and its servers.
 * 2. At most nameServersMax servers are asked, at one address each, all at the same time; each step has a budget, which
 *    add up to five seconds.
 * 3. Owners of zones choose these addresses, so `lookupAt` refuses those that are not public, and answers count only if
 *    they are authoritative. See docs/decisions/0018-authoritative-answers.md.
 */

const nameServersMax = 3;
/** Names at which NS records are looked up: the domain and its parents. */
const zonesMax = 5;
const zoneBudgetMs = 1_500;
const addressBudgetMs = 1_500;
const answerBudgetMs = 2_000;

type Deps = Pick<Resolver, "lookup" | "lookupAt">;

/**
 * The answers of a domain's name servers about the TXT records at `name`; none of servers that gave no credible answer.
 * Never rejects for an outage.
 */
export async function askNameServers(
  resolver: Deps,
  { slug, name }: { slug: string; name: string },
): Promise<NameServerAnswer[]> {
  const servers = await nameServersOf(resolver, slug);
  const answers = await Promise.all(servers.map((server) => askOne(resolver, server, name)));
  return answers.filter((answer) => answer !== undefined);
}

/** The name servers of the closest zone, in alphabetical order. */
async function nameServersOf({ lookup }: Deps, slug: string): Promise<string[]> {
  const labels = slug.split(".");
  const names = labels.map((_, index) => labels.slice(index).join(".")).slice(0, Math.min(zonesMax, labels.length - 1));
  const found = await Promise.all(names.map((zone) => lookup(zone, "NS", zoneBudgetMs)));
  for (const [index, answer] of found.entries()) {
    // The servers at the end of an alias are those of another zone.
    const own = recordsOf(answer).filter((record) => record.type === "NS" && record.name === names[index]);
    if (own.length > 0) return values(own).filter(isHostName).sort().slice(0, nameServersMax);
  }
  return [];
}

/** DNS allows any bytes in a name, but messages show these. */
function isHostName(name: string): boolean {
  return name.length <= 253 && /^([a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/.test(name);
}

async function askOne(
  { lookup, lookupAt }: Deps,
  nameServer: string,
  name: string,
): Promise<NameServerAnswer | undefined> {
  const addresses = await Promise.all([
    lookup(nameServer, "A", addressBudgetMs),
    lookup(nameServer, "AAAA", addressBudgetMs),
  ]);
  const [address] = addresses.flatMap((answer) => values(recordsOf(answer)));
  if (address === undefined) return undefined;
  const answer = await lookupAt(address, { name, type: "TXT", budgetMs: answerBudgetMs });
  switch (answer.kind) {
    case "found":
      return { nameServer, lookup: { kind: "found", records: values(answer.records) } };
    case "absent":
      return { nameServer, lookup: { kind: "absent", reason: answer.reason } };
    case "unreachable":
      return undefined;
  }
}

function recordsOf(answer: DnsLookup) {
  return answer.kind === "found" ? answer.records : [];
}

function values(records: readonly { value: string }[]): string[] {
  return records.map(({ value }) => value);
}
