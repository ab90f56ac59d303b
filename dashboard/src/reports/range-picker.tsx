import { CalendarDays, ChevronDown } from "lucide-react";
import { useState } from "react";
import { dayMs } from "../base/time.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Popover } from "../ui/popover.tsx";
import { OptionButton } from "./option-button.tsx";
import { periodBetween } from "./period.ts";
import { PeriodForm } from "./period-form.tsx";
import { useCount } from "./report-queries.ts";
import { customPeriodOf, intervalDefault, toPeriod } from "./search.ts";
import { TimeZoneField } from "./time-zone-field.tsx";
import { useView } from "./view.tsx";

/** Chooses the period: a named one, or a custom one of whole days or to the minute, and the time zone of its days. */
export function RangePicker() {
  const { analytics } = useTexts();
  const { search, change, timeLabels, source } = useView();
  const [isOpen, setOpen] = useState(false);
  const { interval = intervalDefault } = search;
  const custom = customPeriodOf(search);
  const shown = custom === undefined ? analytics.intervals[interval] : timeLabels.period(custom);
  const choose = (period: Parameters<typeof toPeriod>[0]) => {
    change(toPeriod(period));
    setOpen(false);
  };
  return (
    <Popover
      trigger={
        <Button aria-label={`${analytics.range}: ${shown}`} className="min-w-0 max-w-full">
          <CalendarDays className="text-faint" aria-hidden />
          <span className="truncate">{shown}</span>
          <ChevronDown className="text-faint" aria-hidden />
        </Button>
      }
      label={analytics.range}
      align="end"
      className="max-h-[min(42rem,var(--radix-popper-available-height))] w-84 p-0"
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      <ul className="grid auto-cols-fr grid-flow-col grid-rows-8 gap-0.5 p-1.5">
        {source.intervals.map((each) => (
          <li key={each}>
            <OptionButton
              isSelected={custom === undefined && each === interval}
              onSelect={() => choose(each === intervalDefault ? {} : { interval: each })}
            >
              {analytics.intervals[each]}
            </OptionButton>
          </li>
        ))}
      </ul>
      <CustomRange onChoose={choose} />
      <TimeZoneField />
    </Popover>
  );
}

const daysByDefault = 7;

/** Begins with the period that the page shows. */
function CustomRange({ onChoose }: { onChoose(period: { start: string; end: string }): void }) {
  const { analytics } = useTexts();
  const { search, timezone } = useView();
  const { data } = useCount();
  const { start = Date.now() - daysByDefault * dayMs, end = Date.now() } = data ?? {};
  const initial = customPeriodOf(search) ?? periodBetween(start, end, timezone);
  return <PeriodForm title={analytics.customRange} initial={initial} onSubmit={onChoose} />;
}
