import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { keepsUnknown, unknownValue } from "./filters.ts";
import { type Grouping, groupings, leavesOutUnknown, type Row } from "./groupings.ts";
import { numberOf } from "./series.ts";
import type { GroupBy, ReportQuery } from "./source.ts";
import { useView } from "./view.tsx";

/** How often the figures, and the many cards, are asked for again while the page is looked at. */
const refreshMs = { figures: 30_000, cards: 120_000 };

/** A stretch that is over does not change any more. */
function useRefresh(part: keyof typeof refreshMs) {
  const { reportQuery } = useView();
  return reportQuery.end === undefined ? refreshMs[part] : false;
}

/** The compared stretch, unless the page is asked for none. */
function useComparison() {
  const { search } = useView();
  return search.compare === "none" ? {} : ({ compare: "previous" } as const);
}

/** Clicks and visitors of the whole stretch. */
export function useCount() {
  const { source, reportQuery } = useView();
  const query: ReportQuery = { ...reportQuery, metric: "visitors", ...useComparison() };
  return useQuery({
    queryKey: [...source.key, "count", query],
    queryFn: ({ signal }) => source.count(query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useRefresh("figures"),
  });
}

/** The number asked about, of each hour, day or month. */
export function useSeries() {
  const { source, reportQuery, metric } = useView();
  const query: ReportQuery = { ...reportQuery, metric, ...useComparison() };
  return useQuery({
    queryKey: [...source.key, "timeseries", query],
    queryFn: ({ signal }) => source.rows("timeseries", query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useRefresh("figures"),
  });
}

/** The rows of a grouping, most first. */
export function useRows(groupBy: GroupBy, changes: Partial<ReportQuery> = {}) {
  const { source, reportQuery, metric } = useView();
  const query: ReportQuery = { ...reportQuery, metric, ...changes };
  return useQuery({
    queryKey: [...source.key, groupBy, query],
    queryFn: ({ signal }) => source.rows(groupBy, query, signal),
    // Rows of another tab are not held on to: they would stand under the wrong name.
    placeholderData: (before, query) => (query?.queryKey.includes(groupBy) === true ? before : undefined),
    refetchInterval: useRefresh("cards"),
  });
}

/**
 * How much of the number asked about has no value in a grouping, and so no row; 0 where a value is always known. It is
 * asked for, since visitors cannot be added up, and rows end somewhere.
 */
export function useUnknown(grouping: Grouping, rows: readonly Row[] | undefined): number {
  const { source, reportQuery, metric, search } = useView();
  const { filter } = groupings[grouping];
  const total = useCount().data;
  const sum = rows?.reduce((all, row) => all + numberOf(row, metric), 0);
  const isAnyLeft =
    total !== undefined && sum !== undefined && (metric === "visitors" || sum < numberOf(total, metric));
  const isPossible =
    leavesOutUnknown(grouping) && source.filters.includes(filter) && keepsUnknown(filter, search[filter]);
  const query: ReportQuery = { ...reportQuery, metric, [filter]: unknownValue };
  const { data } = useQuery({
    queryKey: [...source.key, "count", query],
    queryFn: ({ signal }) => source.count(query, signal),
    enabled: isAnyLeft && isPossible,
    refetchInterval: useRefresh("cards"),
  });
  return data !== undefined && isAnyLeft && isPossible ? numberOf(data, metric) : 0;
}

/** Links whose clicks are not among the rows, found by what they are called; none where the source cannot search. */
export function useFoundLinks(text: string, isOn: boolean) {
  const { source } = useView();
  const { findLinks } = source;
  return useQuery({
    queryKey: [...source.key, "found", text],
    queryFn: ({ signal }) => findLinks?.(text, signal) ?? [],
    enabled: isOn && text !== "" && findLinks !== undefined,
    placeholderData: keepPreviousData,
  });
}

/** Whether a person has ever clicked, whatever the page is asked for; asked when the stretch has no clicks. */
export function useAnyClicks(isOn: boolean) {
  const { source, timezone } = useView();
  const query: ReportQuery = { interval: "all", timezone };
  return useQuery({
    queryKey: [...source.key, "count", query],
    queryFn: ({ signal }) => source.count(query, signal),
    enabled: isOn,
  });
}
