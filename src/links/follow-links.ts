import { Problem } from "../base/problem.ts";
import { mapInSlices, yieldIfSliceSpent } from "../base/time-slices.ts";
import type { Db } from "../database/database.ts";
import type { Tx } from "../database/outbox.ts";
import { prepared, type Slot } from "../database/prepared.ts";
import { readInBatches } from "../database/read-in-batches.ts";
import type { DomainsTable } from "../database/schema.ts";
import { passPath } from "./destination-url.ts";
import { charactersOf, type FollowedLink, fallsBackToDomain, followedColumns, targetsOf } from "./link-targets.ts";
import { type ForwardingKey, foldedKeyOf, forwardingKeys, withoutTrailingPunctuation } from "./visited-key.ts";

/**
 * Follows the targets of links over other short links of this service, for all links of a call at once.
 *
 * 1. All targets of a link are followed, hop by hop, while they are on domains of this service. A target that only some
 *    visitors reach counts like any other: for them the loop is real. Pending domains count, since they may be verified
 *    later.
 * 2. A URL resolves to the link that its visitor would get: by key, by the beginning of the path when a link forwards
 *    the rest, or without trailing punctuation. The link of a forwarded path is followed with that path, and a link
 *    that forwards paths is also followed with a sample path. A URL without a link leads to its domain's notFoundUrl; a
 *    link that ends and has no expiredUrl leads to its domain's expiredUrl.
 * 3. Each URL is resolved once, and each link is read and parsed once. A hop takes two queries per domain and one per
 *    ten links; links without targets on this service take one query in all.
 * 4. followedAddressesMax and followedCharactersMax bound the work; links beyond them are refused, since a missed loop
 *    would be worse. The work yields to visitors between slices.
 */

/** Redirects followed from one target. */
export const hopsMax = 10;
/** URLs on domains of this service that one call resolves. */
export const followedAddressesMax = 2_000;
/** Characters of the targets of all links reached; one link may have 250 KiB. */
const followedCharactersMax = 1024 ** 2;
/** Values in one query with short rows. */
const namedMax = 500;
/** Links read in one query; each may have hundreds of kilobytes. */
const batchLinksMax = 10;
/** A sample of the path that a visitor adds to the key of a link that forwards paths. */
const samplePath = "/-";

/**
 * A node of the graph: a link with a forwarded path, or a domain whose URL has no link; and the edges to other nodes.
 */
export type TargetNode = {
  link: FollowedLink | undefined;
  rest: string;
  domain: Domain | undefined;
  edges: TargetEdge[];
};
/** An edge: the target in a field of the link. */
type TargetEdge = { field: string; to: TargetNode };
type Domain = Pick<DomainsTable, "id" | "slug" | "isInstance" | "caseSensitive" | "notFoundUrl" | "expiredUrl">;

/**
 * The nodes of the links, as the transaction has stored them, with all edges over hopsMax hops.
 * Throws "unprocessable_entity" for links that lead to more than the bounds allow.
 */
export async function followLinks(tx: Tx, links: readonly FollowedLink[], appUrl: URL): Promise<TargetNode[]> {
  const graph = new TargetGraph(tx, appUrl);
  const starts = await graph.begin(links);
  let nodes = starts;
  for (let hop = 0; hop < hopsMax && nodes.length > 0; hop++) nodes = await graph.followHop(nodes);
  return starts;
}

/** A URL on a domain of this service, and the keys that its path can name. */
type Address = { url: string; domain: Domain; keys: Keys };
/** A URL, and the link it resolves to. */
type ResolvedUrl = { url: string; domain: Domain; linkId: string | undefined; rest: string };

class TargetGraph {
  readonly #tx: Tx;
  readonly #appUrl: URL;
  /** The node of each URL; undefined for URLs of other services. */
  readonly #nodeByUrl = new Map<string, TargetNode | undefined>();
  /** The nodes by link or domain, and by forwarded path. */
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

  /** Finds the edges of nodes, and returns the nodes that are new. */
  async followHop(nodes: readonly TargetNode[]): Promise<TargetNode[]> {
    const edges = await mapInSlices(nodes, (node) => ({ node, targets: this.#targetsFrom(node) }));
    const urls = new Set(edges.flatMap(({ targets }) => targets.map(([, url]) => url)));
    const next = await this.#resolveUrls([...urls].filter((url) => !this.#nodeByUrl.has(url)));
    await mapInSlices(edges, ({ node, targets }) => {
      for (const [field, url] of targets) {
        const to = this.#nodeByUrl.get(url);
        if (to !== undefined) node.edges.push({ field, to });
      }
    });
    return next;
  }

  /** The targets of a node, with the fields that hold them. */
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

  /** Resolves the URLs, and returns the nodes that are new. */
  async #resolveUrls(urls: readonly string[]): Promise<TargetNode[]> {
    const resolved = await this.#findLinks(await this.#addressesOf(urls));
    await this.#readLinks([...new Set(resolved.flatMap(({ linkId }) => linkId ?? []))]);
    const found = resolved.map(({ url, domain, linkId, rest }) => {
      const link = linkId === undefined ? undefined : this.#links.get(linkId);
      // A root link without a destination counts as no link.
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

  /** The URLs that are on domains of this service. */
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
        // Compared with the port, since another service can run under the same name.
        const isHere = domain.isInstance === 1 ? url.host === this.#appUrl.host : url.port === "";
        if (!isHere) continue;
        if (++this.#addresses > followedAddressesMax) throw tooManyFollowed();
        await yieldIfSliceSpent();
        addresses.push({ url: text, domain, keys: keysOf(url.pathname.slice(1), domain) });
      }
    }
    return addresses;
  }

  async #findLinks(addresses: readonly Address[]): Promise<ResolvedUrl[]> {
    const resolved: ResolvedUrl[] = [];
    for (const [domain, onDomain] of Map.groupBy(addresses, (address) => address.domain)) {
      const links = await this.#linksWithKeys(domain.id, [...new Set(onDomain.flatMap(({ keys }) => namesOf(keys)))]);
      for (const { url, keys } of onDomain) resolved.push({ url, domain, ...findLinkAt(links, keys) });
    }
    return resolved;
  }

  async #linksWithKeys(domainId: string, foldedKeys: readonly string[]): Promise<Map<string, KeyedLink>> {
    const links = await readInBatches(foldedKeys, namedMax, (part) =>
      this.#tx
        .selectFrom("links")
        .select(["id", "foldedKey", "forwardPath"])
        .where("domainId", "=", domainId)
        .where("foldedKey", "in", part)
        .execute(),
    );
    return new Map(links.map((link) => [link.foldedKey, link]));
  }

  async #readLinks(ids: readonly string[]): Promise<void> {
    const unread = ids.filter((id) => !this.#links.has(id));
    await readInBatches(unread, batchLinksMax, async (part) => {
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
    `The destinations lead to more than ${followedAddressesMax} other short links of this service, or to very large ones, too many to check for redirect loops; use fewer of them, or save fewer links at once.`,
  );
}

/** The keys that a path can name, in the order in which a redirect tries them. */
type Keys = { exact: string | undefined; forwarding: ForwardingKey[]; bare: string | undefined };
type KeyedLink = { id: string; foldedKey: string; forwardPath: 0 | 1 };

function keysOf(path: string, { caseSensitive }: Domain): Keys {
  const domain = { isCaseSensitive: caseSensitive === 1 };
  const exact = foldedKeyOf(path, domain);
  const bare = exact === undefined ? undefined : withoutTrailingPunctuation(exact);
  return { exact, forwarding: forwardingKeys(path, domain), bare };
}

function namesOf({ exact, forwarding, bare }: Keys): string[] {
  return [exact, bare, ...forwarding.map(({ key }) => key)].flatMap((key) => key ?? []);
}

function findLinkAt(links: ReadonlyMap<string, KeyedLink>, { exact = "", forwarding, bare = "" }: Keys) {
  const named = links.get(exact);
  if (named !== undefined) return { linkId: named.id, rest: "" };
  const forwarder = forwarding.find(({ key }) => links.get(key)?.forwardPath === 1);
  if (forwarder !== undefined) return { linkId: links.get(forwarder.key)?.id, rest: forwarder.rest };
  return { linkId: links.get(bare)?.id, rest: "" };
}

async function domainsWith(tx: Tx, column: "id" | "slug", values: readonly string[]): Promise<Domain[]> {
  const [value] = values;
  // The usual case: the targets of one link are on one host.
  if (column === "slug" && value !== undefined && values.length === 1) return await selectWithSlug(tx, { slug: value });
  return await readInBatches(values, namedMax, (part) => selectDomains(tx).where(column, "in", part).execute());
}

const selectWithSlug = prepared((db, value: Slot<{ slug: string }>) =>
  selectDomains(db).where("slug", "=", value("slug")),
);

function selectDomains(db: Db) {
  return db
    .selectFrom("domains")
    .select(["id", "slug", "isInstance", "caseSensitive", "notFoundUrl", "expiredUrl"])
    .limit(namedMax);
}
