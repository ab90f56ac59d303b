import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { dayMs } from "../base/time.ts";
import { keepsUnknown, unknownValue } from "./filters.ts";
import { type Grouping, groupings, leavesOutUnknown, type Row } from "./groupings.ts";
import { numberOf } from "./series.ts";
import type { Comparison, GroupBy, ReportQuery } from "./source.ts";
import { useView } from "./view.tsx";

/** How often the numbers and the cards are refetched while the page is visible. */
const refreshMs = { figures: 30_000, cards: 120_000 };

/** A period that has ended does not change. */
function useRefresh(part: keyof typeof refreshMs) {
  const { reportQuery } = useView();
  const { end } = reportQuery;
  // A day is wide enough for the time zone.
  const hasEnded = end !== undefined && Date.parse(end.slice(0, dayCharacters)) + 3 * dayMs < Date.now();
  return hasEnded ? false : refreshMs[part];
}

const dayCharacters = "2026-11-01".length;

/** The comparison of the page: with the previous period by default, as for a part of a period. */
function useComparison(): Comparison {
  const { search } = useView();
  const { compare = "previous", compareStart, compareEnd, zoom } = search;
  if (compare === "none") return {};
  if (compare !== "custom") return { compare };
  if (zoom !== undefined || compareStart === undefined || compareEnd === undefined) return { compare: "previous" };
  return { compare, compareStart, compareEnd };
}

/** Reads clicks and visitors of the whole period. */
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

/** Reads the metric per hour, day, week or month. */
export function useSeries() {
  const { source, reportQuery, metric, search } = useView();
  const unit = search.unit === undefined ? {} : { unit: search.unit };
  const query: ReportQuery = { ...reportQuery, metric, ...unit, ...useComparison() };
  return useQuery({
    queryKey: [...source.key, "timeseries", query],
    queryFn: ({ signal }) => source.rows("timeseries", query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useRefresh("figures"),
  });
}

/** Reads the rows of a grouping, largest first. */
export function useRows(groupBy: GroupBy, changes: Partial<ReportQuery> = {}) {
  const { source, reportQuery, metric } = useView();
  const query: ReportQuery = { ...reportQuery, metric, ...changes };
  return useQuery({
    queryKey: [...source.key, groupBy, query],
    queryFn: ({ signal }) => source.rows(groupBy, query, signal),
    // Rows of another tab are not kept; they would appear under the wrong heading.
    placeholderData: (before, query) => (query?.queryKey.includes(groupBy) === true ? before : undefined),
    refetchInterval: useRefresh("cards"),
  });
}

/**
 * Reads how many clicks or visitors have no value in a grouping, and so no row; 0 where values are always known. This
 * needs a query, because visitors cannot be summed and the rows are limited.
 */
export function useUnknown(grouping: Grouping, rows: readonly Row[] | undefined): number {
  const { source, reportQuery, metric, search } = useView();
  const { filter } = groupings[grouping];
  const total = useCount().data;
  const sum = rows?.reduce((all, row) => all + numberOf(row, metric), 0);
  const hasRemainder =
    total !== undefined && sum !== undefined && (metric === "visitors" || sum < numberOf(total, metric));
  const isPossible =
    leavesOutUnknown(grouping) && source.filters.includes(filter) && keepsUnknown(filter, search[filter]);
  const query: ReportQuery = { ...reportQuery, metric, [filter]: unknownValue };
  const { data } = useQuery({
    queryKey: [...source.key, "count", query],
    queryFn: ({ signal }) => source.count(query, signal),
    enabled: hasRemainder && isPossible,
    refetchInterval: useRefresh("cards"),
  });
  return data !== undefined && hasRemainder && isPossible ? numberOf(data, metric) : 0;
}

/** Searches links that have no row; empty when the source cannot search. */
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

/** Reads whether there has ever been a click by a person, when the period has none. */
export function useAnyClicks(isOn: boolean) {
  const { source, timezone } = useView();
  const query: ReportQuery = { interval: "all", timezone };
  return useQuery({
    queryKey: [...source.key, "count", query],
    queryFn: ({ signal }) => source.count(query, signal),
    enabled: isOn,
  });
}
