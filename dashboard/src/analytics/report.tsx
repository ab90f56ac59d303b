import { CalendarX2, FilterX, MousePointerClick } from "lucide-react";
import type { ReactNode } from "react";
import { WaypostError } from "../../../sdk/client.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/states.tsx";
import { BreakdownCard } from "./breakdown-card.tsx";
import { readFilters } from "./filters.ts";
import type { Grouping } from "./groupings.ts";
import { MapCard } from "./map-card.tsx";
import { useAnyClicks, useCount } from "./reports.ts";
import { withoutFilters } from "./search.ts";
import { SeriesCard } from "./series-card.tsx";
import { useView } from "./view.tsx";
import { WeekCard } from "./week-card.tsx";

type ReportProps = {
  /** What is shown in place of a report while there has never been a click. */
  first: ReactNode;
  /** What the cards do not show, such as the links of a report about one. */
  hidden?: readonly Grouping[];
};

/** All parts of a report, or why there is none. */
export function Report({ first, hidden = [] }: ReportProps) {
  const { search } = useView();
  const { data, error } = useCount();
  const isEmpty = data?.clicks === 0;
  const { data: ever } = useAnyClicks(isEmpty);
  if (error instanceof WaypostError && error.code === "not_found" && readFilters(search).length > 0)
    return <FilterGone />;
  if (isEmpty && ever?.clicks === 0) return <>{first}</>;
  return (
    <>
      <SeriesCard />
      {isEmpty && ever !== undefined && <NoneInRange />}
      {!isEmpty && (
        <div className="grid gap-5 lg:grid-cols-2">
          <BreakdownCard card="targets" hidden={hidden} />
          <BreakdownCard card="sources" />
          <MapCard />
          <BreakdownCard card="places" />
          <BreakdownCard card="agents" />
          <BreakdownCard card="kinds" />
          <WeekCard />
          <BreakdownCard card="utm" />
        </div>
      )}
    </>
  );
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
  const { search, change } = useView();
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
          <Button onClick={() => change({ interval: "all", start: undefined, end: undefined })}>
            {analytics.showAllTime}
          </Button>
        </div>
      }
    >
      {isFiltered ? analytics.noneWithFiltersHint : analytics.noneInRangeHint}
    </Empty>
  );
}

/** For who has no click yet: how to get the first. */
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
