import type { paths } from "../../../sdk/schema.d.ts";

/** The links page, as its URL describes it: filters, order and the open dialog. Invalid values are left out. */
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
  /** Includes archived links. */
  archived?: true;
  /** The first and last day of creation, such as 2026-11-20, in the browser's time zone. */
  from?: string;
  to?: string;
  /** Newest first when absent. */
  order?: LinkOrder;
  /** The open dialog: at most one of these is set, most with a link's id. */
  create?: true;
  /** The destination that a new link starts with. */
  url?: string;
  /** The id of a link whose fields a new link starts with. */
  copy?: string;
  edit?: string;
  history?: string;
  why?: string;
  qr?: string;
  share?: string;
  /** The dialog of tags or folders. */
  manage?: "tags" | "folders";
};

/** TABLE of the orders of the list, with their API parameters. */
const orders = {
  newest: { sortBy: "createdAt", sortOrder: "desc" },
  oldest: { sortBy: "createdAt", sortOrder: "asc" },
  mostClicked: { sortBy: "clicks", sortOrder: "desc" },
  leastClicked: { sortBy: "clicks", sortOrder: "asc" },
  lastClicked: { sortBy: "lastClicked", sortOrder: "desc" },
} as const;
type LinkOrder = keyof typeof orders;
/** The orders in the menu; the first is the default, which the URL leaves out. */
export const linkOrders = ["newest", "oldest", "mostClicked", "leastClicked", "lastClicked"] as const;

/** Characters of a text in the page's query. */
export const textCharactersMax = 1_000;

/** Parses the page's query. */
export function readLinksSearch(query: Record<string, unknown>): LinksSearch {
  const read: LinksSearch = {};
  for (const name of [
    "search",
    "domain",
    "tags",
    "folder",
    "creator",
    "url",
    "copy",
    "edit",
    "history",
    "why",
    "qr",
    "share",
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

/** The router parses 2026 as a number and true as a boolean; for text fields they are text. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
  const text = String(value);
  return text === "" || text.length > textCharactersMax ? undefined : text;
}

function isYes(value: unknown): boolean {
  return value === true || value === 1 || value === "true" || value === "1";
}

/** The query of `GET /v1/links`. */
export type LinkListQuery = NonNullable<paths["/links"]["get"]["parameters"]["query"]>;
/** The part of the query that selects links; `GET /v1/links/count` accepts the same. */
export type LinkFilter = Omit<LinkListQuery, "page" | "pageSize" | "sortBy" | "sortOrder">;

/** The API filter of the page. */
export function filterOf(search: LinksSearch): LinkFilter {
  const after = instantOfDay(search.from ?? "");
  const before = instantOfDay(search.to ?? "", 1);
  const tagIds = tagIdsOf(search);
  return {
    // A domain's root link belongs to the domain's page.
    root: false,
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

/** The API query of the page's list. */
export function listQueryOf(search: LinksSearch): LinkListQuery {
  return { ...filterOf(search), ...orders[search.order ?? "newest"] };
}

/** The ids of the tags to filter by; empty for no tag filter. */
export function tagIdsOf({ tags = "" }: LinksSearch): string[] {
  return tags.split(",").filter((id) => id !== "");
}

const filterNames = ["domain", "tags", "tagMatch", "folder", "creator", "archived", "from", "to"] as const;

/** The number of active filters, not counting the search text. */
export function filtersCountOf(search: LinksSearch): number {
  return filterNames.filter((name) => name !== "tagMatch" && search[name] !== undefined).length;
}

/** The same list without filters and search. */
export function withoutFilters({ order }: LinksSearch): LinksSearch {
  return order === undefined ? {} : { order };
}

/** The parts of the page's query that a saved view keeps, in the order in which it keeps them. */
const viewNames = ["search", ...filterNames, "order"] as const;

/** The query of a saved view: search, filters and order, without the open dialog. Equal lists have equal queries. */
export function viewQueryOf(search: LinksSearch): string {
  const kept = viewNames.flatMap((name) => (search[name] === undefined ? [] : [[name, String(search[name])]]));
  return new URLSearchParams(kept).toString();
}

/** The page that a saved view opens, without parts that are no longer valid. */
export function searchOfView(query: string): LinksSearch {
  return readLinksSearch(Object.fromEntries(new URLSearchParams(query)));
}

/** The change that closes the open dialog. */
export const noDialog = {
  create: undefined,
  url: undefined,
  copy: undefined,
  edit: undefined,
  history: undefined,
  why: undefined,
  qr: undefined,
  share: undefined,
  manage: undefined,
} as const;

/** True while a dialog covers the list. */
export function hasDialog(search: LinksSearch): boolean {
  return Object.keys(noDialog).some((name) => Object.hasOwn(search, name));
}

/** The search after a change; undefined removes a field. */
export function changed(search: LinksSearch, changes: { [Name in keyof LinksSearch]?: LinksSearch[Name] | undefined }) {
  return readLinksSearch({ ...search, ...changes });
}

/** The start of a day in the browser's time zone, plus `daysLater`; undefined for an invalid day. */
function instantOfDay(day: string, daysLater = 0): Date | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === undefined || Number.isNaN(Date.parse(day))) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + daysLater);
}

/** The order of this name as the URL holds it; undefined for the default. */
export function orderNamed(name: string): LinkOrder | undefined {
  const order = linkOrders.find((known) => known === name);
  return order === "newest" ? undefined : order;
}
