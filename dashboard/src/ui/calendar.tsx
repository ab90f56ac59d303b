import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { daysLater, isValidYear, monthsLater, monthWeeks, weekStart } from "../base/calendar.ts";
import { classNames } from "../base/class-names.ts";
import { localTime } from "../base/local-time.ts";
import { type DayEdge, parseClock, parseTime, type TimeKind } from "../base/time-text.ts";
import { useFormat, useTexts } from "../texts/texts.tsx";
import { Button, IconButton } from "./button.tsx";
import { Field, Input } from "./field.tsx";
import { useTimeText } from "./use-time-text.ts";

type CalendarProps = {
  kind: TimeKind;
  value: string;
  edge?: DayEdge;
  onChange(value: string): void;
  onDone(): void;
  isRequired?: boolean;
  dayMin?: string;
  timeZone?: string;
};

const midnight = "00:00";

/**
 * A month to choose a day from, with a time below it unless the kind is a day: the dialog and grid pattern of the ARIA
 * Authoring Practices. Choosing a day closes it, except for an instant, whose time is next.
 */
export function Calendar(props: CalendarProps) {
  const { kind, value, edge = "end", onChange, onDone, isRequired = false, dayMin = "", timeZone } = props;
  const { times, words } = useTexts();
  const time = useTimeText();
  const read = parseTime(value, kind);
  const chosen = read?.slice(0, 10);
  const today = localTime(Date.now(), timeZone).slice(0, 10);
  const [day, setDay] = useState(chosen ?? (today < dayMin ? dayMin : today));
  const isTimeOptional = kind === "dayOrInstant";
  const [clock, setClock] = useState(() => {
    const stored = read?.slice(11) || (isTimeOptional ? "" : midnight);
    return stored === "" ? "" : time.writeClock(stored);
  });
  const isClockValid = parseClock(clock) !== undefined || (isTimeOptional && clock.trim() === "");
  const clockInput = useRef<HTMLInputElement>(null);
  const choose = (next: string) => {
    if (next < dayMin) return;
    setDay(next);
    if (kind === "day") {
      onChange(next);
      onDone();
      return;
    }
    onChange(valueWith(next, clock));
    clockInput.current?.focus();
    clockInput.current?.select();
  };
  const valueWith = (chosenDay: string, text: string) => {
    const typed = parseClock(text);
    if (typed === undefined && isTimeOptional) return chosenDay;
    return `${chosenDay}T${typed ?? midnight}`;
  };
  const setTime = (text: string) => {
    setClock(text);
    const isComplete = parseClock(text) !== undefined || (isTimeOptional && text.trim() === "");
    if (isComplete && chosen !== undefined) onChange(valueWith(chosen, text));
  };
  return (
    <div className="grid gap-2.5 p-3 pb-0">
      <Month {...{ day, chosen, today, dayMin }} onMove={setDay} onChoose={choose} />
      {kind !== "day" && (
        <Field
          label={times.clock}
          className={classNames(
            "items-center [&>p]:col-span-2",
            isTimeOptional ? "grid-cols-[1fr_9rem]" : "grid-cols-[1fr_6rem]",
          )}
          fieldError={isClockValid ? undefined : times.noClock(time.writeClock("09:30"))}
        >
          <Input
            ref={clockInput}
            placeholder={isTimeOptional ? times.wholeDay[edge] : undefined}
            autoComplete="off"
            className="text-center tabular"
            value={clock}
            onChange={(event) => setTime(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !isClockValid) return;
              // The form around the field must not be submitted yet.
              event.preventDefault();
              onDone();
            }}
          />
        </Field>
      )}
      {/* Stays visible when only a part of the month fits. */}
      <div className="sticky bottom-0 -mx-3 flex items-center gap-1 border-t border-line bg-surface px-3 pt-2.5 pb-3">
        <Button
          size="small"
          variant="quiet"
          className="-ml-1.5"
          disabled={today < dayMin}
          onClick={() => choose(today)}
        >
          {times.today}
        </Button>
        {!isRequired && (
          <Button
            size="small"
            variant="quiet"
            onClick={() => {
              onChange("");
              onDone();
            }}
          >
            {words.clear}
          </Button>
        )}
        {kind !== "day" && (
          <Button size="small" variant="primary" className="ml-auto" onClick={onDone}>
            {words.done}
          </Button>
        )}
      </div>
    </div>
  );
}

type MonthProps = {
  /** The day that the arrow keys move from. */
  day: string;
  chosen: string | undefined;
  today: string;
  dayMin: string;
  onMove(day: string): void;
  onChoose(day: string): void;
};

function Month({ day, chosen, today, dayMin, onMove, onChoose }: MonthProps) {
  const writers = useWriters();
  const titleId = useId();
  const grid = useRef<HTMLTableElement>(null);
  // The day takes the focus when the calendar opens and when a key moves it; buttons that change the month keep theirs.
  const isToFocus = useRef(true);
  useEffect(() => {
    if (isToFocus.current) grid.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();
    isToFocus.current = false;
  }, [day]);
  const weeks = monthWeeks(day, writers.firstWeekday);
  const move = (event: KeyboardEvent) => {
    // The browser uses these combinations: Alt and an arrow key goes back.
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = dayAt(event, day, writers.firstWeekday);
    if (next === undefined) return;
    event.preventDefault();
    isToFocus.current = true;
    onMove(next);
  };
  return (
    <div className="grid gap-2">
      <MonthHead titleId={titleId} title={writers.month(day)} day={day} onMove={onMove} />
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table whose cells take keys */}
      <table ref={grid} role="grid" aria-labelledby={titleId} onKeyDown={move} className="w-full tabular">
        <thead>
          <tr>
            {weeks[0]?.map((each) => (
              <th key={each} scope="col" className="pb-1 text-[11px] font-medium text-faint">
                <span aria-hidden>{writers.weekday(each)}</span>
                <span className="sr-only">{writers.weekdayLong(each)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((each) => (
                // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid
                // biome-ignore lint/a11y/useFocusableInteractive: the button in it has the focus
                <td key={each} role="gridcell" aria-selected={each === chosen} className="h-7.5 p-0 text-center">
                  {isValidYear(each) && (
                    <button
                      type="button"
                      data-day={each}
                      tabIndex={each === day ? 0 : -1}
                      aria-label={writers.full(each)}
                      aria-current={each === today ? "date" : undefined}
                      aria-disabled={each < dayMin || undefined}
                      onClick={() => onChoose(each)}
                      className={classNames(
                        "size-7.5 rounded-lg text-[13px] transition-colors hover:bg-sunken",
                        each.slice(0, 7) !== day.slice(0, 7) && "text-faint",
                        each === today && "font-semibold text-accent",
                        each === chosen && "bg-accent font-semibold text-on-accent hover:bg-accent-strong",
                        each < dayMin && "cursor-not-allowed! text-faint line-through opacity-55 hover:bg-transparent",
                      )}
                    >
                      {writers.date(each)}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type HeadProps = { titleId: string; title: string; day: string; onMove(day: string): void };

function MonthHead({ titleId, title, day, onMove }: HeadProps) {
  const { times } = useTexts();
  const turn = (months: number) => () => onMove(monthsLater(day, months));
  return (
    <div className="flex items-center">
      <IconButton label={times.previousYear} onClick={turn(-12)}>
        <ChevronsLeft />
      </IconButton>
      <IconButton label={times.previousMonth} onClick={turn(-1)}>
        <ChevronLeft />
      </IconButton>
      <h2 id={titleId} aria-live="polite" className="grow text-center font-semibold">
        {title}
      </h2>
      <IconButton label={times.nextMonth} onClick={turn(1)}>
        <ChevronRight />
      </IconButton>
      <IconButton label={times.nextYear} onClick={turn(12)}>
        <ChevronsRight />
      </IconButton>
    </div>
  );
}

/** The day that a key moves to; undefined for other keys. */
function dayAt({ key, shiftKey }: KeyboardEvent, day: string, firstWeekday: number): string | undefined {
  const start = weekStart(day, firstWeekday);
  switch (key) {
    case "ArrowLeft":
      return daysLater(day, -1);
    case "ArrowRight":
      return daysLater(day, 1);
    case "ArrowUp":
      return daysLater(day, -7);
    case "ArrowDown":
      return daysLater(day, 7);
    case "Home":
      return start;
    case "End":
      return daysLater(start, 6);
    case "PageUp":
      return monthsLater(day, shiftKey ? -12 : -1);
    case "PageDown":
      return monthsLater(day, shiftKey ? 12 : 1);
  }
}

/** Formats days, months and weekdays in the person's language; weeks begin as usual in the browser's region. */
function useWriters() {
  const { locale, firstWeekday } = useFormat();
  const of = (options: Intl.DateTimeFormatOptions) => {
    const writer = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
    return (day: string) => writer.format(Date.parse(`${day}T00:00:00Z`));
  };
  return {
    firstWeekday,
    month: of({ month: "long", year: "numeric" }),
    full: of({ dateStyle: "full" }),
    weekday: of({ weekday: "short" }),
    weekdayLong: of({ weekday: "long" }),
    date: (day: string) => String(Number(day.slice(8))),
  };
}
