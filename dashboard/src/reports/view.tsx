import { createContext, type ReactNode, useContext, useMemo } from "react";
import { browserTimeZone } from "../base/time-zones.ts";
import { useFormat } from "../texts/texts.tsx";
import type { AnalyticsSearch, SearchChange } from "./search.ts";
import type { Metric } from "./series.ts";
import { type ReportQuery, reportQueryOf, type Source } from "./source.ts";
import { type TimeLabels, timeLabelsOf } from "./time-labels.ts";

/** The state that all parts of a report share. */
type View = {
  source: Source;
  search: AnalyticsSearch;
  /** Changes the URL, and with it the report. */
  change(change: SearchChange): void;
  timezone: string;
  metric: Metric;
  /** The clicks of the report; each part sets its own metric. */
  reportQuery: ReportQuery;
  timeLabels: TimeLabels;
  /** True if the reader administers the instance; false on shared pages, whose readers are not signed in. */
  isAdministrator: boolean;
};

const Current = createContext<View | undefined>(undefined);

type ViewProps = Pick<View, "source" | "search" | "change"> & { isAdministrator?: boolean; children: ReactNode };

/** Provides the state to the parts of a report. Pass a stable `source` and `change`, or all parts render again. */
export function ViewProvider({ source, search, change, isAdministrator = false, children }: ViewProps) {
  const { locale } = useFormat();
  const view = useMemo((): View => {
    const timezone = search.timezone ?? browserTimeZone();
    const metric = search.metric ?? "clicks";
    const reportQuery = reportQueryOf(search, timezone);
    const timeLabels = timeLabelsOf(locale, timezone);
    return { source, search, change, timezone, metric, reportQuery, timeLabels, isAdministrator };
  }, [source, search, change, locale, isAdministrator]);
  return <Current value={view}>{children}</Current>;
}

/** The state of the surrounding report. Throws outside one. */
export function useView(): View {
  const view = useContext(Current);
  if (view === undefined) throw new Error("useView needs a ViewProvider.");
  return view;
}
