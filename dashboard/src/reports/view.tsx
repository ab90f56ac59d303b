import { createContext, type ReactNode, useContext, useMemo } from "react";
import { currentZoneName } from "../base/time-zones.ts";
import { useFormat } from "../texts/texts.tsx";
import { type Moments, momentsOf } from "./moments.ts";
import type { AnalyticsSearch, SearchChange } from "./search.ts";
import type { Metric } from "./series.ts";
import { type ReportQuery, reportQueryOf, type Source } from "./source.ts";

/** What every part of a report works with. */
export type View = {
  source: Source;
  search: AnalyticsSearch;
  /** Changes the address, and with it the report. */
  change(change: SearchChange): void;
  timezone: string;
  metric: Metric;
  /** Which clicks are meant; what of them is counted is each part's own. */
  reportQuery: ReportQuery;
  moments: Moments;
};

const Current = createContext<View | undefined>(undefined);

type ViewProps = Pick<View, "source" | "search" | "change"> & { children: ReactNode };

/**
 * Gives the parts of a report what they work with. `source` and `change` have to stay the same between drawings, or
 * every part is drawn anew.
 */
export function ViewProvider({ source, search, change, children }: ViewProps) {
  const { locale } = useFormat();
  const view = useMemo((): View => {
    const timezone = search.timezone ?? browserTimeZone();
    const metric = search.metric ?? "clicks";
    const reportQuery = reportQueryOf(search, timezone);
    return { source, search, change, timezone, metric, reportQuery, moments: momentsOf(locale, timezone) };
  }, [source, search, change, locale]);
  return <Current value={view}>{children}</Current>;
}

/** The report that is shown. */
export function useView(): View {
  const view = useContext(Current);
  if (view === undefined) throw new Error("A view was asked for outside a report.");
  return view;
}

/** The IANA name of the time zone that this device is set to. */
export function browserTimeZone(): string {
  return currentZoneName(new Intl.DateTimeFormat().resolvedOptions().timeZone);
}
