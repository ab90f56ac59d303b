import { dayMs } from "../base/time.ts";
import { useTexts } from "../texts/texts.tsx";
import { OptionButton } from "./option-button.tsx";
import { periodBetween, withoutTimes } from "./period.ts";
import { PeriodForm } from "./period-form.tsx";
import { useCount } from "./report-queries.ts";
import { customPeriodOf, intervalDefault, toPeriod } from "./search.ts";
import { TimeZoneField } from "./time-zone-field.tsx";
import { useView } from "./view.tsx";

/** The named periods, a custom one of whole days or to the minute, and the time zone of the days. */
export function RangePanel({ onDone }: { onDone(): void }) {
  const { analytics } = useTexts();
  const { search, change, source } = useView();
  const { interval = intervalDefault } = search;
  const custom = customPeriodOf(search);
  const choose = (period: Parameters<typeof toPeriod>[0]) => {
    change(toPeriod(period));
    onDone();
  };
  return (
    <>
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
    </>
  );
}

const daysByDefault = 7;

/** Begins with the period that the page shows; while its report loads, with whole days up to today. */
function CustomRange({ onChoose }: { onChoose(period: { start: string; end: string }): void }) {
  const { analytics } = useTexts();
  const { search, timezone } = useView();
  const { data } = useCount();
  const shown = data && periodBetween(data.start, data.end, timezone);
  const byDefault = () => withoutTimes(periodBetween(Date.now() - daysByDefault * dayMs, Date.now(), timezone));
  const initial = customPeriodOf(search) ?? shown ?? byDefault();
  return <PeriodForm title={analytics.customRange} initial={initial} onSubmit={onChoose} />;
}
