import { CalendarDays, Check, ChevronDown } from "lucide-react";
import { type FormEvent, useState } from "react";
import { localTime } from "../base/local-time.ts";
import { weekMs } from "../base/time.ts";
import { parseTime } from "../base/time-text.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { DateField } from "../ui/date-field.tsx";
import { Field } from "../ui/field.tsx";
import { Popover } from "../ui/popover.tsx";
import { intervalDefault } from "./search.ts";
import { TimeZoneField } from "./time-zone-field.tsx";
import { useView } from "./view.tsx";

/** Chooses the period: a named one, or a custom one to the minute, and the time zone of its days. */
export function RangePicker() {
  const { analytics } = useTexts();
  const { search, change, timeLabels, source } = useView();
  const [isOpen, setOpen] = useState(false);
  const { start, end, interval = intervalDefault } = search;
  const isCustom = start !== undefined && end !== undefined;
  const shown = isCustom ? `${timeLabels.border(start)} – ${timeLabels.border(end)}` : analytics.intervals[interval];
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
      className="max-h-[min(38rem,var(--radix-popper-available-height))] w-80 p-0"
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      <ul className="grid auto-cols-fr grid-flow-col grid-rows-4 gap-0.5 p-1.5">
        {source.intervals.map((each) => (
          <li key={each}>
            <button
              type="button"
              aria-pressed={!isCustom && each === interval}
              onClick={() => {
                change({ interval: each === intervalDefault ? undefined : each, start: undefined, end: undefined });
                setOpen(false);
              }}
              className="group flex h-8 w-full items-center justify-between rounded-lg px-2.5 text-left hover:bg-sunken aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-accent"
            >
              {analytics.intervals[each]}
              <Check className="hidden size-4 group-aria-pressed:block" aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      <CustomRange onDone={() => setOpen(false)} />
      <TimeZoneField />
    </Popover>
  );
}

function CustomRange({ onDone }: { onDone(): void }) {
  const { analytics } = useTexts();
  const { search, change, timezone } = useView();
  const [from, setFrom] = useState(
    () => search.start ?? `${localTime(Date.now() - weekMs, timezone).slice(0, 10)}T00:00`,
  );
  const [until, setUntil] = useState(() => search.end ?? localTime(Date.now(), timezone));
  const [start, end] = [parseTime(from, "instant"), parseTime(until, "instant")];
  const isWrong = start !== undefined && end !== undefined && start >= end;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isWrong || start === undefined || end === undefined) return;
    change({ start, end, interval: undefined });
    onDone();
  };
  return (
    <form onSubmit={submit} className="grid gap-3 border-t border-line p-3">
      <p className="text-xs font-medium text-faint">{analytics.customRange}</p>
      <Field label={analytics.from} className="grid-cols-[4rem_1fr] items-center">
        <DateField kind="instant" isRequired timeZone={timezone} value={from} onChange={setFrom} />
      </Field>
      <Field
        label={analytics.until}
        className="grid-cols-[4rem_1fr] items-center [&>p]:col-start-2"
        fieldError={isWrong ? analytics.orderError : undefined}
        hint={analytics.untilHint}
      >
        <DateField kind="instant" isRequired timeZone={timezone} value={until} onChange={setUntil} />
      </Field>
      <Button type="submit" variant="primary" size="small" className="justify-self-end">
        {analytics.apply}
      </Button>
    </form>
  );
}
