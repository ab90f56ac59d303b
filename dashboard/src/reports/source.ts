import { answerOf, type Schemas, type Waypost, WaypostError } from "../../../sdk/client.ts";
import type { operations } from "../../../sdk/schema.d.ts";
import { openConcurrencyLimit } from "../base/concurrency-limit.ts";
import { shownAddress } from "../base/url-text.ts";
import { type FilterName, type Filters, filterNames, type NamedFilter } from "./filters.ts";
import { type Grouping, groupings, isGrouping, type Row } from "./groupings.ts";
import { type AnalyticsSearch, type Interval, intervalDefault, intervals } from "./search.ts";

/** What `GET /v1/analytics` can be asked with. */
type Query = NonNullable<operations["retrieveAnalytics"]["parameters"]["query"]>;
/** What clicks are grouped by to be answered with rows, the stretches of a series among it. */
export type GroupBy = Exclude<NonNullable<Query["groupBy"]>, "count">;
/** Which clicks a report is about, and what of them is counted. */
export type ReportQuery = Filters &
  Pick<Query, "interval" | "start" | "end" | "timezone" | "bots" | "metric" | "compare">;
export type Count = Schemas["AnalyticsCount"];

/** Where reports come from: the clicks of a workspace, or those that somebody has shared. */
export type Source = {
  /** Begins the keys of everything that is read from it. */
  key: readonly unknown[];
  /** What it can be asked for. */
  intervals: readonly Interval[];
  groupings: readonly Grouping[];
  filters: readonly FilterName[];
  count(reportQuery: ReportQuery, signal: AbortSignal): Promise<Count>;
  rows(groupBy: GroupBy, reportQuery: ReportQuery, signal: AbortSignal): Promise<Row[]>;
  /** What a link, folder or tag is called; its id when it is gone. */
  nameOf(filter: NamedFilter, id: string, signal: AbortSignal): Promise<string>;
  /** Links whose short link or destination holds the text, as rows without clicks. */
  findLinks?(text: string, signal: AbortSignal): Promise<Row[]>;
};

/** Questions on their way at once: a browser opens six connections to a host, of which live clicks hold one. */
export const queriesAtOnceMax = 4;

const allGroupings = Object.keys(groupings).filter(isGrouping);

/** The clicks of a workspace. */
export function workspaceSource(workspaceId: number, api: Waypost): Source {
  const limited = openConcurrencyLimit(queriesAtOnceMax);
  const ask = (query: Query, signal: AbortSignal) =>
    limited(async () => {
      // Who left the question while it waited does not need its answer.
      signal.throwIfAborted();
      return await answerOf(api.GET("/analytics", { params: { query }, signal }));
    });
  return {
    key: [workspaceId, "analytics"],
    intervals,
    groupings: allGroupings,
    filters: filterNames,
    async count(reportQuery, signal) {
      return countIn(await ask({ ...reportQuery, groupBy: "count" }, signal));
    },
    async rows(groupBy, reportQuery, signal) {
      return rowsIn(await ask({ ...reportQuery, groupBy }, signal));
    },
    async nameOf(filter, id, signal) {
      try {
        return await limited(() => findName(api, filter, id, signal));
      } catch (error) {
        signal.throwIfAborted();
        // What is gone has no name; the reports say that it is not there.
        if (error instanceof WaypostError && error.code === "not_found") return id;
        throw error;
      }
    },
    findLinks: (text, signal) => limited(() => linksLike(api, text, signal)),
  };
}

/** What reports are answered with: a count for `groupBy: "count"`, rows for all else, which the types do not tell apart. */
type Answer = Count | Row[];

/** The count in the answer to `groupBy: "count"`. Throws for rows. */
export function countIn(answer: Answer): Count {
  if (Array.isArray(answer)) throw new Error("A count was answered with rows.");
  return answer;
}

/** The rows in the answer to any other grouping. Throws for a count. */
export function rowsIn(answer: Answer): Row[] {
  if (!Array.isArray(answer)) throw new Error("A grouping was answered with a count.");
  return answer;
}

/** Links offered beside those that were clicked. */
const linksFoundMax = 20;

async function linksLike(api: Waypost, search: string, signal: AbortSignal): Promise<Row[]> {
  const query = { search, pageSize: linksFoundMax };
  const links = await answerOf(api.GET("/links", { params: { query }, signal }));
  return links.map(({ id, shortLink, url, domain, key }) => ({ id, shortLink, url, domain, key, ...noClicks }));
}

const noClicks = { clicks: 0, leads: 0, sales: 0, saleAmount: 0 };

async function findName(api: Waypost, filter: NamedFilter, id: string, signal: AbortSignal): Promise<string> {
  switch (filter) {
    case "linkId": {
      const link = await answerOf(api.GET("/links/{linkId}", { params: { path: { linkId: id } }, signal }));
      return shownAddress(link.shortLink);
    }
    case "folderId":
      return (await answerOf(api.GET("/folders/{id}", { params: { path: { id } }, signal }))).name;
    case "tagId": {
      const tags = await answerOf(api.GET("/tags", { params: { query: { ids: [id] } }, signal }));
      return tags.find((tag) => tag.id === id)?.name ?? id;
    }
  }
}

/** The question that the page's address asks, in a time zone. */
export function reportQueryOf(search: AnalyticsSearch, timezone: string): ReportQuery {
  const { interval = intervalDefault, start, end, bots, filters } = partsOf(search);
  const range = start !== undefined && end !== undefined ? { start, end } : { interval };
  return { ...range, timezone, ...(bots !== undefined && { bots }), ...filters };
}

function partsOf({ interval, start, end, bots, ...rest }: AnalyticsSearch) {
  const { timezone: _, metric: __, compare: ___, tabs: ____, tables: _____, live: ______, ...filters } = rest;
  return { interval, start, end, bots, filters };
}
