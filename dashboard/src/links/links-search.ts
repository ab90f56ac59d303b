import type { paths } from "../../../sdk/schema.d.ts";

/**
 * What the page of links shows, as its address says it: filters, order, and the window that is open. Whatever is no
 * such value is left out.
 */
export type LinksSearch = {
  search?: string;
  /** A domain's slug. */
  domain?: string;
  /** Ids of tags, separated by commas. */
  tags?: string;
  tagMatch?: "all";
  /** A folder's id, or "unsorted". */
  folder?: string;
  /** A user's id. */
  creator?: string;
  /** Archived links, too. */
  archived?: true;
  /** The first and the last day of creation, such as 2026-11-20, in the browser's time zone. */
  from?: string;
  to?: string;
  /** Newest first when absent. */
  order?: LinkOrder;
  /** The window that is open: one of these, most with a link's id. */
  create?: true;
  /** A link's id whose fields a new link begins with. */
  copy?: string;
  edit?: string;
  history?: string;
  why?: string;
  qr?: string;
  /** Management of tags and folders. */
  manage?: "tags" | "folders";
};

/** TABLE of the orders of the list, and what the API calls them. */
const orders = {
  newest: { sortBy: "createdAt", sortOrder: "desc" },
  oldest: { sortBy: "createdAt", sortOrder: "asc" },
  mostClicked: { sortBy: "clicks", sortOrder: "desc" },
  leastClicked: { sortBy: "clicks", sortOrder: "asc" },
  lastClicked: { sortBy: "lastClicked", sortOrder: "desc" },
} as const;
type LinkOrder = keyof typeof orders;
/** The orders as they are offered; the first one is the usual one, which the address does not name. */
export const linkOrders = ["newest", "oldest", "mostClicked", "leastClicked", "lastClicked"] as const;

const textCharactersMax = 1_000;

/** Reads the page's query. */
export function readLinksSearch(query: Record<string, unknown>): LinksSearch {
  const read: LinksSearch = {};
  for (const name of [
    "search",
    "domain",
    "tags",
    "folder",
    "creator",
    "copy",
    "edit",
    "history",
    "why",
    "qr",
  ] as const) {
    const text = textOf(query[name]);
    if (text !== undefined) read[name] = text;
  }
  for (const name of ["from", "to"] as const) {
    const day = textOf(query[name]);
    if (day !== undefined && instantOfDay(day) !== undefined) read[name] = day;
  }
  for (const name of ["archived", "create"] as const) if (isYes(query[name])) read[name] = true;
  if (query["tagMatch"] === "all") read.tagMatch = "all";
  const order = linkOrders.find((known) => known === query["order"]);
  if (order !== undefined && order !== "newest") read.order = order;
  const manage = (["tags", "folders"] as const).find((known) => known === query["manage"]);
  if (manage !== undefined) read.manage = manage;
  return read;
}

/** The address reads 2026 as a number and true as a flag; for a text they are texts. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
  const text = String(value);
  return text === "" || text.length > textCharactersMax ? undefined : text;
}

function isYes(value: unknown): boolean {
  return value === true || value === 1 || value === "true" || value === "1";
}

/** What `GET /v1/links` can be asked with. */
export type LinkListQuery = NonNullable<paths["/links"]["get"]["parameters"]["query"]>;
/** Which links are meant, whatever their order and page; `GET /v1/links/count` takes the same. */
export type LinkFilter = Omit<LinkListQuery, "page" | "pageSize" | "sortBy" | "sortOrder">;

/** Which links the page shows, as the API is asked. */
export function filterOf(search: LinksSearch): LinkFilter {
  const after = instantOfDay(search.from ?? "");
  const before = instantOfDay(search.to ?? "", 1);
  const tagIds = tagIdsOf(search);
  return {
    ...(search.search !== undefined && { search: search.search }),
    ...(search.domain !== undefined && { domain: search.domain }),
    ...(tagIds.length > 0 && { tagIds, tagMatch: search.tagMatch ?? "any" }),
    ...(search.folder !== undefined && { folderId: search.folder }),
    ...(search.creator !== undefined && { userId: search.creator }),
    ...(search.archived && { showArchived: true }),
    ...(after !== undefined && { createdAfter: after.toISOString() }),
    ...(before !== undefined && { createdBefore: before.toISOString() }),
  };
}

/** In which order, as the API is asked. */
export function orderOf({ order = "newest" }: LinksSearch) {
  return orders[order];
}

/** The ids of the tags that are filtered by; none for no such filter. */
export function tagIdsOf({ tags = "" }: LinksSearch): string[] {
  return tags.split(",").filter((id) => id !== "");
}

const filterNames = ["domain", "tags", "tagMatch", "folder", "creator", "archived", "from", "to"] as const;

/** How many filters are set, the search's text aside. */
export function filtersCountOf(search: LinksSearch): number {
  return filterNames.filter((name) => name !== "tagMatch" && search[name] !== undefined).length;
}

/** The same list without filters and search. */
export function withoutFilters({ order }: LinksSearch): LinksSearch {
  return order === undefined ? {} : { order };
}

/** The change that closes whatever window is open. */
export const noDialog = {
  create: undefined,
  copy: undefined,
  edit: undefined,
  history: undefined,
  why: undefined,
  qr: undefined,
  manage: undefined,
} as const;

/** Whether a window lies over the list. */
export function hasDialog(search: LinksSearch): boolean {
  return Object.keys(noDialog).some((name) => Object.hasOwn(search, name));
}

/** The list with a field changed; undefined takes it out. */
export function changed(search: LinksSearch, changes: { [Name in keyof LinksSearch]?: LinksSearch[Name] | undefined }) {
  return readLinksSearch({ ...search, ...changes });
}

/** When a day begins in the browser's time zone, or the day after so many more; undefined for what is no day. */
function instantOfDay(day: string, daysLater = 0): Date | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === undefined || Number.isNaN(Date.parse(day))) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + daysLater);
}

/** The order of this name, as the address holds it; undefined for the usual one. */
export function orderNamed(name: string): LinkOrder | undefined {
  const order = linkOrders.find((known) => known === name);
  return order === "newest" ? undefined : order;
}
