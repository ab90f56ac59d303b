import { ZoomOut } from "lucide-react";
import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { ScrollBox } from "../ui/scroll-box.tsx";
import { Skeleton } from "../ui/states.tsx";
import { CompareMenu } from "./compare-menu.tsx";
import { Figures } from "./figures.tsx";
import { readPeriod } from "./period.ts";
import { useCount, useSeries } from "./report-queries.ts";
import { isTable, toZoom, type Unit } from "./search.ts";
import { isRunning, type Point, pointsOf, unitOf } from "./series.ts";
import { SeriesChart } from "./series-chart.tsx";
import { TableSwitch } from "./table-switch.tsx";
import { UnitChoice } from "./unit-choice.tsx";
import { useView } from "./view.tsx";

/** The headline numbers, and the selected one over time. */
export function SeriesCard() {
  const { analytics } = useTexts();
  const { metric, search } = useView();
  const { data, error, isPlaceholderData, refetch } = useSeries();
  const { data: count, isPlaceholderData: isOtherCount } = useCount();
  const points = data && pointsOf(data, metric);
  const unit = unitOf(points ?? [], search.unit ?? (search.interval === "today" ? "hour" : "day"));
  const title = analytics.seriesTitle[metric];
  const end = isPlaceholderData || isOtherCount || count === undefined ? undefined : Date.parse(count.end);
  return (
    <Card>
      <div className="flex flex-wrap border-b border-line">
        <Figures />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 px-4 pt-3 sm:px-5">
        <Legend points={points} unit={unit} title={title} />
        <div className="ml-auto flex items-center gap-2">
          <ZoomReset />
          <UnitChoice unit={unit} />
          <TableSwitch drawing="series" name={title} />
        </div>
      </div>
      <div className={classNames("px-2 pb-3 pt-1 transition-opacity sm:px-4", isPlaceholderData && "opacity-50")}>
        {error && !points ? (
          <div className="px-2 py-3">
            <ErrorNote error={error} onRetry={() => void refetch()} />
          </div>
        ) : points === undefined ? (
          <Skeleton className="mx-2 my-3 h-60" />
        ) : isTable(search, "series") ? (
          <SeriesTable points={points} unit={unit} />
        ) : (
          <SeriesChart points={points} unit={unit} end={end} />
        )}
      </div>
    </Card>
  );
}

/** The way back from a part of the period to the whole one. */
function ZoomReset() {
  const { analytics } = useTexts();
  const { search, change, timeLabels } = useView();
  const part = readPeriod(search.zoom);
  return (
    <>
      <span role="status" className="sr-only">
        {part && analytics.zoomedTo(timeLabels.period(part))}
      </span>
      {part && (
        <Button size="small" onClick={() => change(toZoom(undefined))}>
          <ZoomOut aria-hidden />
          {analytics.resetZoom}
        </Button>
      )}
    </>
  );
}

type LegendProps = { points: readonly Point[] | undefined; unit: Unit; title: string };

function Legend({ points, unit, title }: LegendProps) {
  const { analytics } = useTexts();
  const { search } = useView();
  // While loading, the legend takes the space it will most likely need.
  const isCompared = points?.some(({ before }) => before !== undefined) ?? search.compare !== "none";
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1 text-[13px] text-muted">
      <h2 className="font-medium text-ink">
        {title} <span className="font-normal text-faint">{analytics.seriesUnits[unit]}</span>
      </h2>
      {isCompared && (
        <span className="flex items-center gap-1.5">
          <span className="h-0.5 w-4 rounded bg-accent" aria-hidden />
          {analytics.thisPeriod}
        </span>
      )}
      <CompareMenu />
    </div>
  );
}

function SeriesTable({ points, unit }: { points: readonly Point[]; unit: Unit }) {
  const { analytics } = useTexts();
  const format = useFormat();
  const { timeLabels, metric, search } = useView();
  const isCompared = points.some(({ before }) => before !== undefined);
  return (
    <ScrollBox label={analytics.seriesTitle[metric]} className="max-h-72 px-2">
      <table className="w-full tabular">
        <thead className="sticky top-0 bg-surface text-left text-xs text-faint">
          <tr className="[&>th]:py-2 [&>th]:pr-4 [&>th]:font-medium">
            <th scope="col">{analytics.unitNames[unit]}</th>
            <th scope="col" className="text-right">
              {analytics[metric]}
            </th>
            {isCompared && (
              <th scope="col" className="text-right">
                {
                  analytics.comparisons[
                    search.compare === undefined || search.compare === "none" ? "previous" : search.compare
                  ]
                }
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {points.map(({ start, value, before }, index) => (
            <tr key={start} className="border-t border-line [&>*]:py-1.5 [&>*]:pr-4">
              <th scope="row" className="whitespace-nowrap text-left font-normal">
                {timeLabels.long(unit, start)}
                {isRunning({ points, unit }, index, Date.now()) && (
                  <span className="text-faint"> ({analytics.soFar})</span>
                )}
              </th>
              <td className="text-right font-medium">{format.number(value)}</td>
              {isCompared && (
                <td className="text-right text-muted">{before === undefined ? "" : format.number(before.value)}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
