import { CalendarX2, FilterX, MousePointerClick } from "lucide-react";
import type { ReactNode } from "react";
import { WaypostError } from "../../../sdk/client.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/states.tsx";
import { BreakdownCard } from "./breakdown-card.tsx";
import { readFilters } from "./filters.ts";
import { targetsOfOneLink } from "./groupings.ts";
import { MapCard } from "./map-card.tsx";
import { useAnyClicks, useCount, useRows } from "./report-queries.ts";
import { onlyLinkIn, toPeriod, withoutFilters } from "./search.ts";
import { SeriesCard } from "./series-card.tsx";
import { useView } from "./view.tsx";
import { WeekCard } from "./week-card.tsx";

type ReportProps = {
  /** Shown instead of a report while there has never been a click. */
  first?: ReactNode;
};

/** All cards of a report, or the reason why there are none. */
export function Report({ first }: ReportProps) {
  const { search, source } = useView();
  const { data, error } = useCount();
  const isEmpty = data?.clicks === 0;
  const link = onlyLinkIn(search);
  // Some sources do not cover all time.
  const coversAllTime = source.intervals.includes("all");
  const { data: ever } = useAnyClicks(isEmpty && coversAllTime);
  if (error instanceof WaypostError && error.code === "not_found" && readFilters(search).length > 0)
    return <FilterGone />;
  if (isEmpty && ever?.clicks === 0) return <>{first}</>;
  return (
    <>
      <SeriesCard />
      {isEmpty && (ever !== undefined || !coversAllTime) && <NoneInRange />}
      {!isEmpty && (
        <div className="grid grid-cols-1 gap-5 lg:grid-cols-2 lg:[&>:last-child:nth-child(odd)]:col-span-2">
          {link === undefined ? <BreakdownCard card="targets" /> : <OneLinkCard />}
          <BreakdownCard card="sources" />
          <MapCard />
          <BreakdownCard card="places" />
          <BreakdownCard card="agents" />
          <BreakdownCard card="kinds" />
          <BreakdownCard card="utm" />
          <WeekCard />
        </div>
      )}
    </>
  );
}

/**
 * The destinations of the only link, when visitors went to several. Rows of links, domains, folders and tags would only
 * repeat the filter.
 */
function OneLinkCard() {
  const { search } = useView();
  const { data: rows = [] } = useRows("top_urls");
  const isFiltered = search.url !== undefined || search.baseUrl !== undefined;
  return rows.length > 1 || isFiltered ? <BreakdownCard card="targets" tabs={targetsOfOneLink} /> : null;
}

function FilterGone() {
  const { analytics } = useTexts();
  const { change } = useView();
  return (
    <Empty
      icon={FilterX}
      title={analytics.filterGone}
      action={<Button onClick={() => change(withoutFilters())}>{analytics.clearFilters}</Button>}
    >
      {analytics.filterGoneHint}
    </Empty>
  );
}

function NoneInRange() {
  const { analytics } = useTexts();
  const { search, change, source } = useView();
  const longest = (["all", "1y"] as const).find((interval) => source.intervals.includes(interval));
  const isFiltered = readFilters(search).length > 0 || search.bots === "only";
  return (
    <Empty
      icon={isFiltered ? FilterX : CalendarX2}
      title={isFiltered ? analytics.noneWithFilters : analytics.noneInRange}
      className="rounded-xl border border-dashed border-line"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {isFiltered && (
            <Button onClick={() => change({ ...withoutFilters(), bots: undefined })}>{analytics.clearFilters}</Button>
          )}
          {longest !== undefined && longest !== search.interval && (
            <Button onClick={() => change(toPeriod({ interval: longest }))}>
              {longest === "all" ? analytics.showAllTime : analytics.intervals[longest]}
            </Button>
          )}
        </div>
      }
    >
      {isFiltered ? analytics.noneWithFiltersHint : longest === "all" ? analytics.noneInRangeHint : undefined}
    </Empty>
  );
}

/** Shown before the first click: how to get one. */
export function NoClicks({ children }: { children?: ReactNode }) {
  const { analytics } = useTexts();
  return (
    <Empty
      icon={MousePointerClick}
      title={analytics.noClicks}
      className="rounded-xl border border-dashed border-line py-20"
      action={children}
    >
      {analytics.noClicksHint}
    </Empty>
  );
}
