import type { App } from "../../app.ts";
import { splitTarget } from "../../base/request-target.ts";
import { Reply } from "./reply.ts";

/** The page of a list that the query requests. */
type PageRequest = {
  page?: number | undefined;
  pageSize: number;
  startingAfter?: string | undefined;
  endingBefore?: string | undefined;
};

/** The requested page, and how the list is paged. */
type Paging = {
  requested: PageRequest;
  /** The last page that can be requested by number. */
  pageMax: number;
  /** The ids of the first and the last item if pages are found by an id; absent for pages by number. */
  ends?: { first: string; last: string } | undefined;
};

type Call = { deps: Pick<App, "config">; request: Request };
type Relation = "first" | "prev" | "next";

/**
 * Returns a page of a list with a Link header (RFC 8288) to the pages around it. URLs are absolute, below WAYPOST_URL,
 * and keep the query's filters. A full page links to a next page, which may be empty, since the last page is unknown.
 */
export function pagedReply(call: Call, items: readonly unknown[], paging: Paging): Reply {
  const isFull = items.length >= paging.requested.pageSize;
  const links = relations(paging, isFull).map(([relation, changes]) => {
    return `<${address(call, changes)}>; rel="${relation}"`;
  });
  return new Reply({ kind: "json", value: items }, { Link: links.join(", ") });
}

type Changes = Partial<Record<"page" | "startingAfter" | "endingBefore", string>>;

function relations({ requested, pageMax, ends }: Paging, isFull: boolean): [Relation, Changes][] {
  const { page = 1, startingAfter, endingBefore } = requested;
  const found: [Relation, Changes][] = [["first", {}]];
  const isByNumber = ends === undefined || requested.page !== undefined;
  if (isByNumber) {
    if (page > 1) found.push(["prev", { page: String(page - 1) }]);
    if (isFull && page < pageMax) found.push(["next", { page: String(page + 1) }]);
    return found;
  }
  const isBehindFirst = startingAfter !== undefined || (endingBefore !== undefined && isFull);
  if (isBehindFirst) found.push(["prev", { endingBefore: ends.first }]);
  if (isFull || endingBefore !== undefined) found.push(["next", { startingAfter: ends.last }]);
  return found;
}

function address({ deps, request }: Call, changes: Changes): string {
  const { path, query } = splitTarget(request.url);
  const parameters = new URLSearchParams(query);
  for (const name of ["page", "startingAfter", "endingBefore"]) parameters.delete(name);
  for (const [name, value] of Object.entries(changes)) parameters.set(name, value);
  const text = parameters.toString();
  return `${deps.config.WAYPOST_URL.origin}/${path}${text === "" ? "" : `?${text}`}`;
}

/** Returns the ids at the ends of a page; undefined for an empty page. */
export function endsOf(items: readonly { id: string }[]): Paging["ends"] {
  const [first, last] = [items[0], items.at(-1)];
  return first === undefined || last === undefined ? undefined : { first: first.id, last: last.id };
}
