import { useQuery } from "@tanstack/react-query";
import { CalendarDays } from "lucide-react";
import { Popover } from "radix-ui";
import { type InvalidEvent, useEffect, useId, useRef, useState } from "react";
import { classNames } from "../base/class-names.ts";
import type { DayEdge, TimeKind, TimeText } from "../base/time-text.ts";
import { useTexts } from "../texts/texts.tsx";
import { IconButton } from "./button.tsx";
import { ErrorNote } from "./error-note.tsx";
import { Input, useFieldControl, useIsReadOnly } from "./field.tsx";
import { floatingClass } from "./floating-class.ts";
import { Skeleton } from "./states.tsx";
import { useTimeText } from "./use-time-text.ts";

type DateFieldProps = {
  kind: TimeKind;
  /** `2026-11-20`, or with a time `2026-11-20T09:30`; "" for none. */
  value: string;
  /** The edge of the day that a dayOrInstant without a time means; the end by default. */
  edge?: DayEdge;
  /** Receives a value of the same form, or the typed text while it cannot be parsed. */
  onChange(value: string): void;
  isRequired?: boolean;
  /** The earliest day that is allowed. */
  dayMin?: string;
  /** The time zone that decides which day is today; the browser's by default. */
  timeZone?: string;
  className?: string;
  "aria-label"?: string;
  "aria-invalid"?: boolean;
  "aria-describedby"?: string;
};

/**
 * A field for a day, for an instant to the minute, or for a day with an optional time: typed in the person's own format,
 * or chosen in a calendar. Inside a Field, its label and error belong to this input.
 * Guarantee: a form with browser validation is not submitted while the text cannot be parsed.
 */
export function DateField(props: DateFieldProps) {
  const { kind, value, edge, isRequired = false, dayMin, timeZone, className, "aria-label": label } = props;
  const { times } = useTexts();
  const isReadOnly = useIsReadOnly();
  const time = useTimeText();
  const { text, type, settle, take } = useTypedTime(props, time);
  const [isOpen, setOpen] = useState(false);
  const [isLeft, setLeft] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  // When the calendar closes, the focus returns to the element that opened it.
  const isOpenedInInput = useRef(false);
  const inputError = useInputError(text, props, time);
  const ids = { form: useId(), inputError: useId() };
  const control = { ...useFieldControl(), ...marksIn(props) };
  // The API's error for this field is already shown there.
  const isErrorShown = inputError !== undefined && isLeft && control["aria-invalid"] !== true;
  useEffect(() => input.current?.setCustomValidity(inputError ?? ""), [inputError]);
  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(isToOpen) => {
        if (isToOpen) isOpenedInInput.current = false;
        setOpen(isToOpen);
      }}
      modal
    >
      <div className={classNames("grid gap-1.5", className)}>
        <Popover.Anchor asChild>
          <div className="relative">
            <Input
              {...control}
              ref={input}
              aria-label={label}
              aria-describedby={[control["aria-describedby"], ids.form, isErrorShown ? ids.inputError : undefined]
                .filter((id) => id !== undefined)
                .join(" ")}
              aria-invalid={control["aria-invalid"] ?? (isErrorShown || undefined)}
              required={isRequired}
              placeholder={times.placeholder(time.example(kind))}
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => {
                setLeft(false);
                type(event.target.value);
              }}
              onBlur={() => {
                // A missing value is reported only on submit.
                setLeft(text.trim() !== "");
                settle();
              }}
              onInvalid={(event) => {
                setLeft(true);
                showInputError(event);
              }}
              onKeyDown={(event) => {
                if (event.key !== "ArrowDown" || isReadOnly) return;
                event.preventDefault();
                isOpenedInInput.current = true;
                setOpen(true);
              }}
              className="pr-9 tabular"
            />
            {!isReadOnly && (
              <Popover.Trigger asChild>
                <IconButton label={times.openCalendar} className="absolute inset-y-0 right-0.5 my-auto text-faint">
                  <CalendarDays />
                </IconButton>
              </Popover.Trigger>
            )}
          </div>
        </Popover.Anchor>
        <span id={ids.form} className="sr-only">
          {times.formHint(time.example(kind))}
        </span>
        {isErrorShown && (
          <p id={ids.inputError} role="alert" className="text-[13px] text-danger">
            {inputError}
          </p>
        )}
      </div>
      <CalendarPopover
        {...{ kind, value, isRequired }}
        {...(edge !== undefined && { edge })}
        {...(dayMin !== undefined && { dayMin })}
        {...(timeZone !== undefined && { timeZone })}
        onChange={take}
        onDone={() => setOpen(false)}
        onClosed={(event) => {
          if (!isOpenedInInput.current) return;
          event.preventDefault();
          input.current?.focus();
        }}
      />
    </Popover.Root>
  );
}

/** `onClosed` may prevent the button from taking the focus. */
function CalendarPopover({ onClosed, ...calendar }: CalendarProps & { onClosed(event: Event): void }) {
  const { times } = useTexts();
  return (
    <Popover.Portal>
      <Popover.Content
        aria-label={times.calendar}
        align="end"
        sideOffset={6}
        collisionPadding={8}
        onOpenAutoFocus={focusDay}
        onCloseAutoFocus={onClosed}
        className={classNames(
          floatingClass,
          "max-h-(--radix-popper-available-height) w-72 scroll-pt-2 scroll-pb-16 p-0",
        )}
      >
        <LazyCalendar {...calendar} />
      </Popover.Content>
    </Popover.Portal>
  );
}

/** The ARIA attributes that a row passes to a control outside a Field. */
function marksIn(props: DateFieldProps) {
  const { "aria-invalid": isWrong, "aria-describedby": describedBy } = props;
  return {
    ...(isWrong !== undefined && { "aria-invalid": isWrong }),
    ...(describedBy !== undefined && { "aria-describedby": describedBy }),
  };
}

/** The text in the field: what was typed, as long as it means the current value. */
function useTypedTime({ kind, value, onChange }: DateFieldProps, time: TimeText) {
  const [typed, setTyped] = useState("");
  const read = time.read(typed, kind);
  // Surrounding spaces are not part of the value, but stay while the person types.
  const isMeant = typed.trim() === value || (read ?? "") === value;
  return {
    text: isMeant ? typed : time.write(value, kind),
    type(text: string) {
      setTyped(text);
      onChange(time.read(text, kind) ?? text.trim());
    },
    /** Rewrites the parsed value in the usual format. */
    settle() {
      if (isMeant && read !== undefined) setTyped(time.write(read, kind));
    },
    /** Replaces the typed text with the day or instant chosen in the calendar. */
    take(chosen: string) {
      setTyped(time.write(chosen, kind));
      onChange(chosen);
    },
  };
}

/** Why the text cannot be accepted; undefined when it can. */
function useInputError(
  text: string,
  { kind, isRequired = false, dayMin }: DateFieldProps,
  time: TimeText,
): string | undefined {
  const { times } = useTexts();
  if (text.trim() === "") return isRequired ? times.missing : undefined;
  const read = time.read(text, kind);
  if (read === undefined) return times.unreadable[kind](time.example(kind));
  return dayMin !== undefined && read.slice(0, 10) < dayMin ? times.tooEarly(time.write(dayMin, "day")) : undefined;
}

/**
 * Focuses the day once the calendar is the topmost dialog; a dialog below would take the focus back before that. While
 * the calendar's script loads there is no day yet; the day focuses itself later.
 */
function focusDay(event: Event): void {
  const { currentTarget: content } = event;
  const day = content instanceof Element ? content.querySelector<HTMLElement>("[data-day][tabindex='0']") : null;
  if (day === null) return;
  event.preventDefault();
  day.focus({ preventScroll: true });
}

/** Replaces the browser's validation bubble. The first invalid field takes the focus, as with the browser's own. */
function showInputError(event: InvalidEvent<HTMLInputElement>): void {
  event.preventDefault();
  const input = event.currentTarget;
  if (input.form?.querySelector(":is(input, select, textarea):invalid") === input) input.focus();
}

type CalendarProps = Pick<
  DateFieldProps,
  "kind" | "value" | "edge" | "onChange" | "isRequired" | "dayMin" | "timeZone"
> & {
  onDone(): void;
};

/** Loads the calendar's script when it is first opened; if that fails, the form still works. */
function LazyCalendar(props: CalendarProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ["script", "calendar"],
    queryFn: async () => ({ Calendar: (await import("./calendar.tsx")).Calendar }),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  if (data !== undefined) return <data.Calendar {...props} />;
  return (
    <div className="p-3">
      {error === null ? <Skeleton className="h-72" /> : <ErrorNote error={error} onRetry={() => void refetch()} />}
    </div>
  );
}
