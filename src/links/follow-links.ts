import { Problem } from "../base/problem.ts";
import { mapInSlices, yieldIfSliceSpent as nextSlice } from "../base/time-slices.ts";
import type { Tx } from "../database/outbox.ts";
import type { DomainsTable } from "../database/schema.ts";
import { passPath } from "./destination-url.ts";
import { charactersOf, type FollowedLink, fallsBackToDomain, followedColumns, targetsOf } from "./link-targets.ts";
import { type ForwardingKey, foldedKeyOf, forwardingKeys, withoutTrailingPunctuation } from "./visited-key.ts";

/**
 * Follows visitors of links over other short links of this service, for all links of a call at once.
 *
 * 1. All targets of a link are followed, hop by hop, as long as they are on domains of this service. A target that only
 *    some visitors reach counts like any other: for them the loop is real. Pending domains are followed too, since they
 *    may be verified later.
 * 2. An address names the link that a visitor would meet: by its key, by the beginning of the path where a link forwards
 *    the rest, or without the marks at its end. The link of a forwarded path is followed with that path, and a link that
 *    forwards paths is followed with one too. An address without a link leads to its domain's notFoundUrl, and a link that
 *    ends and has no expiredUrl to its domain's.
 * 3. Each address is looked up once, and each link is read and parsed once, however many links lead there. Each hop takes
 *    two queries for a domain, and one for ten of its links; links whose targets are all elsewhere take one query in all.
 * 4. followedAddressesMax and followedCharactersMax bound the work. Links beyond them are refused: a loop that is not found
 *    would be worse than a tree of short links that nobody can survey. The work gives way to visitors between slices.
 */

/** Redirects followed from one target. */
export const hopsMax = 10;
/** Addresses on domains of this service that are looked up for one call. */
export const followedAddressesMax = 2_000;
/** What the targets of the links that are reached may have together; a link may have 250 KiB. */
const followedCharactersMax = 1024 ** 2;
/** Values named in one query, whose rows are short. */
const namedMax = 500;
/** Links read in one query: each may have hundreds of kilobytes. */
const linksReadAtOnce = 10;
/** Stands for the path that a visitor adds behind the key of a link which forwards it. */
const samplePath = "/-";

/** A visit of a link with a forwarded path, or of an address without a link, and where it may lead within this service. */
export type TargetNode = {
  link: FollowedLink | undefined;
  rest: string;
  domain: Domain | undefined;
  edges: TargetEdge[];
};
/** A way on: a target of a field. */
type TargetEdge = { field: string; to: TargetNode };
type Domain = Pick<DomainsTable, "id" | "slug" | "isInstance" | "caseSensitive" | "notFoundUrl" | "expiredUrl">;

/**
 * The visits of the links, as the transaction has stored them, with all ways on over hopsMax hops.
 * Throws "unprocessable_entity" for links that lead to more than the bounds allow.
 */
export async function followLinks(tx: Tx, links: readonly FollowedLink[], appUrl: URL): Promise<TargetNode[]> {
  const graph = new TargetGraph(tx, appUrl);
  const starts = await graph.begin(links);
  let nodes = starts;
  for (let hop = 0; hop < hopsMax && nodes.length > 0; hop++) nodes = await graph.followHop(nodes);
  return starts;
}

/** An address on a domain of this service, and the keys that its path may name. */
type Address = { url: string; domain: Domain; keys: Keys };
/** What a visitor of an address meets. */
type ResolvedUrl = { url: string; domain: Domain; linkId: string | undefined; rest: string };

class TargetGraph {
  readonly #tx: Tx;
  readonly #appUrl: URL;
  /** By url: what visitors meet there, undefined elsewhere. */
  readonly #nodeByUrl = new Map<string, TargetNode | undefined>();
  /** By link, or domain, and forwarded path. */
  readonly #nodes = new Map<string, TargetNode>();
  readonly #links = new Map<string, FollowedLink>();
  readonly #targets = new Map<string, [string, string][]>();
  #addresses = 0;
  #characters = 0;

  constructor(tx: Tx, appUrl: URL) {
    this.#tx = tx;
    this.#appUrl = appUrl;
  }

  async begin(links: readonly FollowedLink[]): Promise<TargetNode[]> {
    const domainIds = new Set(links.flatMap((link) => (fallsBackToDomain(link) ? [link.domainId] : [])));
    const domains = new Map((await domainsWith(this.#tx, "id", [...domainIds])).map((domain) => [domain.id, domain]));
    return links.flatMap((link) => {
      this.#links.set(link.id, link);
      const rests = link.forwardPath === 1 ? ["", samplePath] : [""];
      return rests.map((rest) => this.#node(link, domains.get(link.domainId), rest).node);
    });
  }

  /** Finds the ways on of visits, and returns the visits that were not met before. */
  async followHop(nodes: readonly TargetNode[]): Promise<TargetNode[]> {
    const edges = await mapInSlices(nodes, (node) => ({ node, targets: this.#targetsFrom(node) }));
    const urls = new Set(edges.flatMap(({ targets }) => targets.map(([, url]) => url)));
    const next = await this.#findLinkAt([...urls].filter((url) => !this.#nodeByUrl.has(url)));
    await mapInSlices(edges, ({ node, targets }) => {
      for (const [field, url] of targets) {
        const to = this.#nodeByUrl.get(url);
        if (to !== undefined) node.edges.push({ field, to });
      }
    });
    return next;
  }

  /** Where a visit leads, with the fields that say so. */
  #targetsFrom({ link, domain, rest }: TargetNode): [string, string][] {
    if (link === undefined) return domain?.notFoundUrl ? [["notFoundUrl", domain.notFoundUrl]] : [];
    const known = this.#targets.get(link.id) ?? targetsOf(link);
    this.#targets.set(link.id, known);
    const targets = known.map(([field, url]): [string, string] => [
      field,
      field === "expiredUrl" ? url : passPath(url, rest),
    ]);
    return fallsBackToDomain(link) && domain?.expiredUrl ? [...targets, ["expiresAt", domain.expiredUrl]] : targets;
  }

  /** Notes what visitors of the urls meet, and returns the visits that were not met before. */
  async #findLinkAt(urls: readonly string[]): Promise<TargetNode[]> {
    const resolved = await this.#findLinks(await this.#addressesOf(urls));
    await this.#readLinks([...new Set(resolved.flatMap(({ linkId }) => linkId ?? []))]);
    const found = resolved.map(({ url, domain, linkId, rest }) => {
      const link = linkId === undefined ? undefined : this.#links.get(linkId);
      // A root link without a url is as good as none.
      const nodeByUrl = this.#node(link?.url === "" ? undefined : link, domain, rest);
      this.#nodeByUrl.set(url, nodeByUrl.node);
      return nodeByUrl;
    });
    return found.flatMap(({ node, isNew }) => (isNew ? [node] : []));
  }

  #node(
    link: FollowedLink | undefined,
    domain: Domain | undefined,
    rest: string,
  ): { node: TargetNode; isNew: boolean } {
    const name = `${link?.id ?? domain?.id} ${rest}`;
    const known = this.#nodes.get(name);
    if (known !== undefined) return { node: known, isNew: false };
    const node: TargetNode = { link, domain, rest, edges: [] };
    this.#nodes.set(name, node);
    return { node, isNew: true };
  }

  /** Those of the urls that are on domains of this service. */
  async #addressesOf(urls: readonly string[]): Promise<Address[]> {
    const parsed = await mapInSlices(urls, (text) => {
      this.#nodeByUrl.set(text, undefined);
      const url = URL.parse(text);
      return url !== null && /^https?:$/.test(url.protocol) ? [{ text, url }] : [];
    });
    const byHost = Map.groupBy(parsed.flat(), ({ url }) => url.hostname.replace(/\.$/, ""));
    const addresses: Address[] = [];
    for (const domain of await domainsWith(this.#tx, "slug", [...byHost.keys()])) {
      for (const { text, url } of byHost.get(domain.slug) ?? []) {
        // With its port, since another service may have the same name beside the instance.
        const isHere = domain.isInstance === 1 ? url.host === this.#appUrl.host : url.port === "";
        if (!isHere) continue;
        if (++this.#addresses > followedAddressesMax) throw tooManyFollowed();
        await nextSlice();
        addresses.push({ url: text, domain, keys: keysOf(url.pathname.slice(1), domain) });
      }
    }
    return addresses;
  }

  async #findLinks(addresses: readonly Address[]): Promise<ResolvedUrl[]> {
    const resolved: ResolvedUrl[] = [];
    for (const [domain, onDomain] of Map.groupBy(addresses, (address) => address.domain)) {
      const links = await this.#placesWith(domain.id, [...new Set(onDomain.flatMap(({ keys }) => namesOf(keys)))]);
      for (const { url, keys } of onDomain) resolved.push({ url, domain, ...findLinkAt(links, keys) });
    }
    return resolved;
  }

  async #placesWith(domainId: string, foldedKeys: readonly string[]): Promise<Map<string, Place>> {
    const places = await inBatches(foldedKeys, namedMax, (part) =>
      this.#tx
        .selectFrom("links")
        .select(["id", "foldedKey", "forwardPath"])
        .where("domainId", "=", domainId)
        .where("foldedKey", "in", part)
        .execute(),
    );
    return new Map(places.map((place) => [place.foldedKey, place]));
  }

  async #readLinks(ids: readonly string[]): Promise<void> {
    const unread = ids.filter((id) => !this.#links.has(id));
    await inBatches(unread, linksReadAtOnce, async (part) => {
      const links = await this.#tx
        .selectFrom("links")
        .select(["id", ...followedColumns])
        .where("id", "in", part)
        .execute();
      for (const link of links) {
        this.#characters += charactersOf(link);
        this.#links.set(link.id, link);
      }
      if (this.#characters > followedCharactersMax) throw tooManyFollowed();
      return links;
    });
  }
}

function tooManyFollowed(): Problem {
  return new Problem(
    "unprocessable_entity",
    `The targets lead on to more than ${followedAddressesMax} short links of this service, or to very large ones, too many to look for circles among them: lead to fewer, or save fewer links at once.`,
  );
}

/** The keys that a path may name, in the order in which a visitor's request tries them. */
type Keys = { exact: string | undefined; forwarding: ForwardingKey[]; bare: string | undefined };
type Place = { id: string; foldedKey: string; forwardPath: 0 | 1 };

function keysOf(path: string, { caseSensitive }: Domain): Keys {
  const domain = { isCaseSensitive: caseSensitive === 1 };
  const exact = foldedKeyOf(path, domain);
  const bare = exact === undefined ? undefined : withoutTrailingPunctuation(exact);
  return { exact, forwarding: forwardingKeys(path, domain), bare };
}

function namesOf({ exact, forwarding, bare }: Keys): string[] {
  return [exact, bare, ...forwarding.map(({ key }) => key)].flatMap((key) => key ?? []);
}

function findLinkAt(links: ReadonlyMap<string, Place>, { exact = "", forwarding, bare = "" }: Keys) {
  const named = links.get(exact);
  if (named !== undefined) return { linkId: named.id, rest: "" };
  const forwarder = forwarding.find(({ key }) => links.get(key)?.forwardPath === 1);
  if (forwarder !== undefined) return { linkId: links.get(forwarder.key)?.id, rest: forwarder.rest };
  return { linkId: links.get(bare)?.id, rest: "" };
}

async function domainsWith(tx: Tx, column: "id" | "slug", values: readonly string[]): Promise<Domain[]> {
  return await inBatches(values, namedMax, (part) =>
    tx
      .selectFrom("domains")
      .select(["id", "slug", "isInstance", "caseSensitive", "notFoundUrl", "expiredUrl"])
      .where(column, "in", part)
      .limit(namedMax)
      .execute(),
  );
}

/** Reads rows by parts of their names, and gives way to visitors in between. */
async function inBatches<Row>(
  names: readonly string[],
  partMax: number,
  read: (part: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < names.length; start += partMax) {
    await nextSlice();
    for (const row of await read(names.slice(start, start + partMax))) rows.push(row);
  }
  return rows;
}
