import { answerOf, type Schemas, type Waypost, WaypostError } from "../../../sdk/client.ts";
import type { operations } from "../../../sdk/schema.d.ts";
import { openConcurrencyLimit } from "../base/concurrency-limit.ts";
import { displayUrl } from "../base/url-text.ts";
import { type FilterName, type Filters, filterNames, type NamedFilter } from "./filters.ts";
import { type Grouping, groupings, isGrouping, type Row } from "./groupings.ts";
import {
  type AnalyticsSearch,
  customPeriodOf,
  type Interval,
  intervalDefault,
  intervals,
  type Unit,
} from "./search.ts";

/** The query of `GET /v1/analytics`. */
type Query = NonNullable<operations["retrieveAnalytics"]["parameters"]["query"]>;
/** Groupings that return rows, including series. */
export type GroupBy = Exclude<NonNullable<Query["groupBy"]>, "count">;
/** The clicks and the metric of a report. */
export type ReportQuery = Filters &
  Pick<Query, "interval" | "start" | "end" | "timezone" | "bots" | "metric"> &
  Comparison & { unit?: Unit };
/** The period with which a report is compared. */
export type Comparison = Pick<Query, "compare" | "compareStart" | "compareEnd">;
type Count = Schemas["AnalyticsCount"];

/** The source of reports: the clicks of a workspace, or those of a share. */
export type Source = {
  /** Prefix of all its query keys. */
  key: readonly unknown[];
  /** The supported values. */
  intervals: readonly Interval[];
  groupings: readonly Grouping[];
  filters: readonly FilterName[];
  count(reportQuery: ReportQuery, signal: AbortSignal): Promise<Count>;
  rows(groupBy: GroupBy, reportQuery: ReportQuery, signal: AbortSignal): Promise<Row[]>;
  /** The name of a link, folder or tag; its id when it was deleted. */
  nameOf(filter: NamedFilter, id: string, signal: AbortSignal): Promise<string>;
  /** Links whose short link or destination contains the text, as rows without clicks. */
  findLinks?(text: string, signal: AbortSignal): Promise<Row[]>;
};

/** Concurrent queries: a browser opens six connections to a host, and live clicks use one. */
export const concurrentQueriesMax = 4;

const allGroupings = Object.keys(groupings).filter(isGrouping);

/** The source of a workspace's clicks. */
export function workspaceSource(workspaceId: number, api: Waypost): Source {
  const limited = openConcurrencyLimit(concurrentQueriesMax);
  const ask = (query: Query, signal: AbortSignal) =>
    limited(async () => {
      // A cancelled query does not need its answer.
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
        // Deleted objects have no name; the reports say that they are gone.
        if (error instanceof WaypostError && error.code === "not_found") return id;
        throw error;
      }
    },
    findLinks: (text, signal) => limited(() => linksLike(api, text, signal)),
  };
}

/** The answer of a report: a count for `groupBy: "count"`, otherwise rows. The API's types do not distinguish them. */
type Answer = Count | Row[];

/** Narrows an answer to a count. Throws for rows. */
export function countIn(answer: Answer): Count {
  if (Array.isArray(answer)) throw new Error("Expected a count, got rows.");
  return answer;
}

/** Narrows an answer to rows. Throws for a count. */
export function rowsIn(answer: Answer): Row[] {
  if (!Array.isArray(answer)) throw new Error("Expected rows, got a count.");
  return answer;
}

/** Links offered in addition to those with clicks. */
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
      return displayUrl(link.shortLink);
    }
    case "folderId":
      return (await answerOf(api.GET("/folders/{id}", { params: { path: { id } }, signal }))).name;
    case "tagId": {
      const tags = await answerOf(api.GET("/tags", { params: { query: { ids: [id] } }, signal }));
      return tags.find((tag) => tag.id === id)?.name ?? id;
    }
  }
}

/** The query of the page's URL, in a time zone. */
export function reportQueryOf(search: AnalyticsSearch, timezone: string): ReportQuery {
  const { interval = intervalDefault, bots, filters } = partsOf(search);
  const range = customPeriodOf(search) ?? { interval };
  return { ...range, timezone, ...(bots !== undefined && { bots }), ...filters };
}

function partsOf({ interval, bots, ...rest }: AnalyticsSearch) {
  const { start: _, end: __, zoom: ___, unit: ____, timezone: _____, metric: ______, ...others } = rest;
  const { compare: _______, compareStart: ________, compareEnd: _________, ...shown } = others;
  const { tabs: __________, tables: ___________, live: ____________, ...filters } = shown;
  return { interval, bots, filters };
}
