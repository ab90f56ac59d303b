import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { answerOf, type Schemas, type Waypost } from "../../../sdk/client.ts";
import { allPages } from "../api/all-pages.ts";
import { rootKey, shortLinkOrigin } from "../api/short-link.ts";
import { waypostIn } from "../api/waypost.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { usableDomainsQuery } from "../domains/usable-domains.ts";
import { type AppliedChange, appliedChanges } from "./applied-changes.ts";
import { type WarnedLink, withWarnings } from "./link-warnings.ts";
import { filterOf, type LinkFilter, type LinkListQuery, type LinksSearch, listQueryOf } from "./links-search.ts";

/** Reads and changes links, tags and folders. Query keys: [workspace, noun, …]. */

export type Link = WarnedLink;
export type Tag = Schemas["Tag"];
export type Folder = Schemas["Folder"];
export type LinkChanges = Schemas["LinkChanges"];

/** Links per page. */
export const pageSize = 100;
/** The maximum number of links in the list, because the API limits page numbers. */
export const listedLinksMax = 1_000 * pageSize;
/** Pages that are not visible are cached this long; a list of 100,000 links must not stay in memory. */
const pageKeptMs = 60_000;
/** Links per bulk call. */
const batchMax = 100;
/** Page sizes of the API's shorter lists. */
const tagsPageSize = 100;
const foldersPageSize = 50;

/** The query of a page of the list, counted from 0. */
export function pageQuery(workspaceId: number, api: Waypost, query: LinkListQuery, page: number) {
  return {
    queryKey: [workspaceId, "links", "page", query, page] as const,
    async queryFn({ signal }: { signal: AbortSignal }): Promise<Link[]> {
      const answered = await api.GET("/links", { params: { query: { ...query, page: page + 1, pageSize } }, signal });
      const links = await answerOf(Promise.resolve(answered));
      return withPendingChanges(await withWarnings(api, links, { response: answered.response, signal }));
    },
    gcTime: pageKeptMs,
  };
}

/** The query of the number of links that match a filter. */
function countQuery(workspaceId: number, api: Waypost, filter: LinkFilter) {
  return {
    queryKey: [workspaceId, "links", "count", filter] as const,
    async queryFn({ signal }: { signal: AbortSignal }): Promise<number> {
      const count = await answerOf(api.GET("/links/count", { params: { query: filter }, signal }));
      return typeof count === "number" ? count : 0;
    },
  };
}

/** Reads the number of links that match a filter. */
export function useLinksCount(filter: LinkFilter) {
  const { id, api } = useWorkspace();
  return useQuery({ ...countQuery(id, api, filter), placeholderData: (before: number | undefined) => before });
}

/**
 * Requests what the list needs first, while the script of its page is still loading. The links come before their number:
 * the server answers the requests of a workspace one after the other.
 */
export function prefetchList(queries: QueryClient, workspaceId: number, search: LinksSearch): void {
  const api = waypostIn(workspaceId);
  void queries.prefetchQuery(pageQuery(workspaceId, api, listQueryOf(search), 0));
  void queries.prefetchQuery(countQuery(workspaceId, api, filterOf(search)));
}

/** Reads all tags of the workspace. */
export function useTags() {
  const { id, api } = useWorkspace();
  return useQuery({
    queryKey: [id, "tags"],
    queryFn: () => allPages<Tag>(tagsPageSize, (query) => answerOf(api.GET("/tags", { params: { query } }))),
  });
}

/** Reads the number of links in each folder that the list shows by default, by the folder's id, if there are folders. */
export function useFolderCounts(hasFolders: boolean): ReadonlyMap<string, number> | undefined {
  const { id, api } = useWorkspace();
  const { data } = useQuery({
    queryKey: [id, "links", "listed", "folderId"],
    queryFn: () => answerOf(api.GET("/links/count", { params: { query: { groupBy: "folderId", root: false } } })),
    enabled: hasFolders,
  });
  if (!Array.isArray(data)) return undefined;
  return new Map(data.map(({ folderId, _count }) => [folderId ?? "", _count]));
}

/** Reads all folders of the workspace. */
export function useFolders() {
  const { id, api } = useWorkspace();
  return useQuery({
    queryKey: [id, "folders"],
    queryFn: () => allPages<Folder>(foldersPageSize, (query) => answerOf(api.GET("/folders", { params: { query } }))),
  });
}

/** Reads the domains that are not archived. */
export function useDomains() {
  const { id, api } = useWorkspace();
  return useQuery(usableDomainsQuery(id, api));
}

/** The domain of new links when none is chosen; "" for the service's own, also while the primary domain is pending. */
export function useDefaultDomain(): string {
  const primary = useDomains().data?.find((domain) => domain.primary);
  const isPending = primary?.verified === false && primary.failingUntil === undefined;
  return isPending ? "" : (primary?.slug ?? "");
}

/**
 * The origin of the short links on a domain; "" means the service's own domain. It is the origin of a known link, or of
 * the domain's root link; until the root link is loaded, a likely guess.
 */
export function useShortLinkOrigin(domain: string, known?: Pick<Link, "domain" | "shortLink">): string {
  const { id, api } = useWorkspace();
  const { data: root } = useQuery({
    queryKey: [id, "domains", "root link", domain],
    queryFn: () => answerOf(api.GET("/links/info", { params: { query: { domain, key: rootKey } } })),
    enabled: domain !== "" && known?.domain !== domain,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return shortLinkOrigin(domain, location, known?.domain === domain ? known : root);
}

/** A link and the ETag of its response, which detects changes by others. */
export type TaggedLink = { link: Link; etag: string };

/** Reads a link. Throws WaypostError "not_found" when it does not exist. */
export async function readLink(api: Waypost, linkId: string): Promise<TaggedLink> {
  const answered = await api.GET("/links/{linkId}", { params: { path: { linkId } } });
  const read = await answerOf(Promise.resolve(answered));
  const [link = read] = await withWarnings(api, [read], answered);
  return { link, etag: answered.response.headers.get("ETag") ?? "" };
}

/** Reads a link for everything except the editor, which reads its own copy. */
export function useLink(linkId: string) {
  const { id, api } = useWorkspace();
  return useQuery({ queryKey: [id, "links", "one", linkId], queryFn: () => readLink(api, linkId) });
}

/**
 * Reads the current state of links; deleted ones are left out. The API has no list by ids, but an empty bulk change
 * returns the links and leaves no trace.
 */
export async function readLinks(api: Waypost, ids: string[]): Promise<Link[]> {
  const links: Link[] = [];
  for (const batch of batchesOf(ids)) {
    const answers = await answerOf(api.PATCH("/links/bulk", { body: { linkIds: batch, data: {} } }));
    for (const answer of answers) if ("id" in answer) links.push(answer);
  }
  return links;
}

/** Links, and the change that all of them get. */
export type LinkChange = { links: readonly AppliedChange[]; data: BulkChanges };

/** What changing many links did. */
type BulkResult = {
  /** The changes that were made, to undo them. */
  made: AppliedChange[];
  /** The ids of the links that are now as requested. */
  changedIds: ReadonlySet<string>;
  /** Why the remaining links were not changed; undefined when no call failed. */
  error: unknown;
};

/** Changes many links, in batches. The first batch that fails is the last one. */
export async function changeLinks(api: Waypost, changes: readonly LinkChange[]): Promise<BulkResult> {
  const made: AppliedChange[] = [];
  const changedIds = new Set<string>();
  try {
    for (const { batch, data } of changes.flatMap(inBatches)) {
      const linkIds = batch.map(({ id }) => id);
      const answers = await answerOf(api.PATCH("/links/bulk", { body: { linkIds, data } }));
      const changed = answers.filter((answer) => "id" in answer);
      made.push(...appliedChanges(batch, changed));
      for (const { id } of changed) changedIds.add(id);
    }
    return { made, changedIds, error: undefined };
  } catch (error) {
    return { made, changedIds, error };
  }
}

function inBatches({ links, data }: LinkChange) {
  return batchesOf(links).map((batch) => ({ batch, data }));
}

/** How many links an undo restored, how many had changed since, and how many could not be restored. */
export type UndoResult = { undone: number; changedSince: number; failed: number };

/** Undoes changes, in batches. Links that have changed since stay as they are. */
export async function undoChanges(api: Waypost, changes: readonly AppliedChange[]): Promise<UndoResult> {
  const result: UndoResult = { undone: 0, changedSince: 0, failed: 0 };
  for (const batch of batchesOf(changes)) {
    const body = { changes: batch.map(({ id, updatedAt }) => ({ linkId: id, updatedAt })) };
    for (const answer of await answerOf(api.POST("/links/undo", { body }))) {
      if ("id" in answer) result.undone += 1;
      else if (answer.code === "precondition_failed") result.changedSince += 1;
      else result.failed += 1;
    }
  }
  return result;
}

type BulkChanges = Omit<LinkChanges, "domain" | "key" | "externalId">;

/** Deletes many links for good, in batches. Resolves with the number of deleted links. */
export async function deleteLinks(api: Waypost, ids: string[], onStep: (done: number) => void): Promise<number> {
  let deleted = 0;
  for (const batch of batchesOf(ids)) {
    const answer = await answerOf(api.DELETE("/links/bulk", { params: { query: { linkIds: batch } } }));
    deleted += answer.deletedCount;
    onStep(batch.length);
  }
  return deleted;
}

function batchesOf<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / batchMax) }, (_, index) =>
    items.slice(index * batchMax, (index + 1) * batchMax),
  );
}

/** Changes to show in cached pages before the server responds, by link id. */
type CachedChanges = ReadonlyMap<string, Partial<Link>>;

/** Changes that the server has not answered, in the order of their calls. */
const pendingChanges = new Set<CachedChanges>();

/**
 * Shows changes of links in the cached pages, and in pages that are read before `end` is called: the server may not have
 * made the changes when it reads them.
 */
export function showPendingChanges(queries: QueryClient, workspaceId: number, changes: CachedChanges): { end(): void } {
  pendingChanges.add(changes);
  updateCachedLinks(queries, workspaceId, changes);
  return { end: () => void pendingChanges.delete(changes) };
}

function withPendingChanges(links: Link[]): Link[] {
  return [...pendingChanges].reduce(applyChanges, links);
}

/** Applies changes to links in the cached pages. */
export function updateCachedLinks(queries: QueryClient, workspaceId: number, cachedChanges: CachedChanges): void {
  queries.setQueriesData<Link[]>(
    { queryKey: [workspaceId, "links", "page"] },
    (links) => links && applyChanges(links, cachedChanges),
  );
}

function applyChanges(links: Link[], cachedChanges: CachedChanges): Link[] {
  return links.map((link) => {
    const changes = cachedChanges.get(link.id);
    return changes === undefined ? link : { ...link, ...changes };
  });
}

/** Returns a function that refetches everything about links. */
export function useRefreshLinks() {
  const { id } = useWorkspace();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [id, "links"] });
}
