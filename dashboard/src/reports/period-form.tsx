import { type FormEvent, type ReactNode, useState } from "react";
import { parseTime } from "../base/time-text.ts";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { DateField } from "../ui/date-field.tsx";
import { Field } from "../ui/field.tsx";
import { Switch } from "../ui/switch.tsx";
import { type CustomPeriod, hasTimes, periodOf, withoutTimes, withTimes } from "./period.ts";
import { useView } from "./view.tsx";

type FormProps = {
  title: string;
  /** The period that the fields show at first. */
  initial: CustomPeriod;
  onSubmit(period: CustomPeriod): void;
};

/** Chooses a period by its first and last day, or to the minute. */
export function PeriodForm({ title, initial, onSubmit }: FormProps) {
  const { analytics } = useTexts();
  const [period, setPeriod] = useState(initial);
  const [isTimed, setTimed] = useState(hasTimes(initial));
  const kind = isTimed ? "instant" : "day";
  const [start, end] = [parseTime(period.start, kind), parseTime(period.end, kind)];
  const chosen = periodOf(start, end);
  const isWrong = start !== undefined && end !== undefined && chosen === undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (chosen !== undefined) onSubmit(chosen);
  };
  return (
    <form onSubmit={submit} className="grid gap-3 border-t border-line p-3">
      <p className="text-xs font-medium text-faint">{title}</p>
      <Border label={analytics.from}>
        <BorderField kind={kind} value={period.start} onChange={(start) => setPeriod({ ...period, start })} />
      </Border>
      <Border
        label={analytics.until}
        fieldError={isWrong ? analytics.orderError[kind] : undefined}
        hint={isTimed ? analytics.untilHint : undefined}
      >
        <BorderField kind={kind} value={period.end} onChange={(end) => setPeriod({ ...period, end })} />
      </Border>
      <Switch
        label={analytics.withTimes}
        checked={isTimed}
        onChange={(isOn) => {
          setTimed(isOn);
          setPeriod(isOn ? withTimes(period) : withoutTimes(period));
        }}
      />
      <Button type="submit" variant="primary" size="small" className="justify-self-end">
        {analytics.apply}
      </Button>
    </form>
  );
}

type BorderProps = {
  label: string;
  fieldError?: string | undefined;
  hint?: string | undefined;
  children: ReactNode;
};

function Border({ fieldError, hint, ...field }: BorderProps) {
  return (
    <Field
      {...field}
      {...(fieldError !== undefined && { fieldError })}
      {...(hint !== undefined && { hint })}
      className="grid-cols-[4rem_1fr] items-center [&>p]:col-start-2"
    />
  );
}

type BorderFieldProps = { kind: "day" | "instant"; value: string; onChange(value: string): void };

function BorderField(props: BorderFieldProps) {
  const { timezone } = useView();
  return <DateField isRequired timeZone={timezone} {...props} />;
}
