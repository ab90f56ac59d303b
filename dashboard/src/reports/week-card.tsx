import { useState } from "react";
import { classNames } from "../base/class-names.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { ScrollBox } from "../ui/scroll-box.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useCountText } from "./count-text.ts";
import { useRows } from "./report-queries.ts";
import { isTable } from "./search.ts";
import { ShadeLegend } from "./shade-legend.tsx";
import { shadeScaleOf } from "./shade-scale.ts";
import { shadeGrounds } from "./shades.ts";
import { TableSwitch } from "./table-switch.tsx";
import { useView } from "./view.tsx";
import { hoursPerDay, type Week, weekdaysFrom, weekOf } from "./week.ts";

/** The clicks by weekday and hour. */
export function WeekCard() {
  const { analytics } = useTexts();
  const { metric, search, timezone } = useView();
  const { data: rows, error, isPlaceholderData, refetch } = useRows("weekday_hours");
  return (
    <Card
      title={analytics.weekTitle}
      about={analytics.weekHint(timezone)}
      aside={<TableSwitch drawing="week" name={analytics.weekTitle} />}
      className="min-w-0"
    >
      <div className={classNames("@container p-4 transition-opacity", isPlaceholderData && "opacity-50")}>
        {error && !rows ? (
          <ErrorNote error={error} onRetry={() => void refetch()} />
        ) : rows === undefined ? (
          <Skeleton className="h-56" />
        ) : (
          <HeatMap week={weekOf(rows, metric)} isTable={isTable(search, "week")} />
        )}
      </div>
    </Card>
  );
}

/** Every third hour has a label; in a narrow card, where "03 Uhr" is as wide as three columns, every sixth. */
const labelEveryHours = 3;
const labelEveryHoursNarrow = 6;

/** The days stay visible while the hours scroll. */
const stickyColumnClass = "sticky left-0 border-r border-line bg-surface";

/** A table of numbers, either as shades with a readout of the hour under the pointer, or as text. */
function HeatMap({ week, isTable }: { week: Week; isTable: boolean }) {
  const { analytics } = useTexts();
  const { timeLabels } = useView();
  const { firstWeekday } = useFormat();
  const [over, setOver] = useState<{ day: number; hour: number }>();
  const scale = shadeScaleOf(week.days.flat());
  const hours = Array.from({ length: hoursPerDay }, (_, hour) => hour);
  return (
    <ScrollBox label={analytics.weekTitle} className={classNames("overflow-x-auto", isTable && "shade-end")}>
      <table
        className={classNames(
          "w-full border-separate tabular",
          // Hours of equal width with room for numbers; in a narrower card the table scrolls.
          isTable ? "min-w-[64rem] table-fixed border-spacing-0" : "border-spacing-[2px]",
        )}
      >
        <thead>
          <tr className="text-[11px] text-faint">
            <th scope="col" className={classNames("w-10 p-0", isTable && stickyColumnClass)}>
              <span className="sr-only">{analytics.weekdays}</span>
            </th>
            {hours.map((hour) => (
              <th key={hour} scope="col" className="p-0 pb-1 text-left font-normal">
                <span
                  className={
                    isTable
                      ? "block px-1 text-right"
                      : hour % labelEveryHours === 0
                        ? classNames(
                            "block w-0 whitespace-nowrap",
                            hour % labelEveryHoursNarrow !== 0 && "@max-md:sr-only",
                          )
                        : "sr-only"
                  }
                >
                  {isTable ? hour : timeLabels.hour(hour)}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody onPointerLeave={() => setOver(undefined)}>
          {weekdaysFrom(firstWeekday).map((day) => (
            <tr key={timeLabels.weekday(day)}>
              <th
                scope="row"
                className={classNames(
                  "w-10 pr-2 text-left text-xs font-normal text-muted",
                  isTable && classNames(stickyColumnClass, "border-t border-line"),
                )}
              >
                {timeLabels.weekday(day)}
              </th>
              {week.days[day]?.map((number, hour) => (
                <HourCell
                  // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its index
                  key={hour}
                  number={number}
                  shade={scale.shadeOf(number)}
                  isTable={isTable}
                  onOver={() => setOver({ day, hour })}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {!isTable && (
        <div className="mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
          <Readout week={week} over={over} />
          <ShadeLegend scale={scale} />
        </div>
      )}
    </ScrollBox>
  );
}

type CellProps = { number: number; shade: number; isTable: boolean; onOver(): void };

function HourCell({ number, shade, isTable, onOver }: CellProps) {
  const format = useFormat();
  if (isTable) {
    return (
      <td className={classNames("border-t border-line px-1 py-1.5 text-right text-xs", number === 0 && "text-faint")}>
        {format.number(number)}
      </td>
    );
  }
  return (
    <td
      onPointerEnter={onOver}
      className={classNames("h-6 rounded-[3px] p-0 hover:outline-2 hover:outline-ink sm:h-7", shadeGrounds[shade])}
    >
      <span className="sr-only">{format.number(number)}</span>
    </td>
  );
}

/** The hour under the pointer, else the one with the most clicks. */
function Readout({ week, over }: { week: Week; over: { day: number; hour: number } | undefined }) {
  const { analytics } = useTexts();
  const countText = useCountText();
  const { timeLabels } = useView();
  const shown = over ?? mostOf(week);
  if (shown === undefined) return <p className="text-[13px] text-muted">{analytics.emptyCard.plain}</p>;
  const { day, hour } = shown;
  const when = analytics.weekHour(timeLabels.weekdayLong(day), timeLabels.hour(hour), timeLabels.hour(hour + 1));
  const number = week.days[day]?.[hour] ?? 0;
  return (
    <p className="text-[13px] text-muted">
      {over === undefined ? analytics.weekBest(when) : analytics.weekOver(when)}
      <span className="font-medium text-ink tabular">{countText(number)}</span>
    </p>
  );
}

function mostOf({ days, max }: Week): { day: number; hour: number } | undefined {
  if (max === 0) return undefined;
  const day = days.findIndex((hours) => hours.includes(max));
  return { day, hour: days[day]?.indexOf(max) ?? 0 };
}
