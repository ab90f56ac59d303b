import { useQuery } from "@tanstack/react-query";
import { CalendarDays } from "lucide-react";
import { Popover } from "radix-ui";
import { type InvalidEvent, useEffect, useId, useRef, useState } from "react";
import { classNames } from "../base/class-names.ts";
import type { TimeKind, TimeText } from "../base/time-text.ts";
import { useTexts } from "../texts/texts.tsx";
import { IconButton } from "./button.tsx";
import { ErrorNote } from "./error-note.tsx";
import { Input, useFieldControl, useIsReadOnly } from "./field.tsx";
import { floatingClass } from "./menu.tsx";
import { Skeleton } from "./states.tsx";
import { useTimeText } from "./use-time-text.ts";

type DateFieldProps = {
  kind: TimeKind;
  /** `2026-11-20`, or with the time of a clock `2026-11-20T09:30`; "" for none. */
  value: string;
  /** Called with the like, or with what was typed as long as that is neither. */
  onChange(value: string): void;
  isRequired?: boolean;
  /** The first day that can be meant. */
  dayMin?: string;
  /** In which it is today somewhere; the browser's unless one is named. */
  timeZone?: string;
  className?: string;
  "aria-label"?: string;
  "aria-invalid"?: boolean;
  "aria-describedby"?: string;
};

/**
 * A day, or a moment to the minute: typed in the reader's own way, or chosen in a calendar. Inside a Field its label and mistake belong to it.
 * Guarantee: a form that lets the browser check its fields is not sent with what is neither.
 */
export function DateField(props: DateFieldProps) {
  const { kind, value, isRequired = false, dayMin, timeZone, className, "aria-label": label } = props;
  const { times } = useTexts();
  const isReadOnly = useIsReadOnly();
  const time = useTimeText();
  const { text, type, settle, take } = useTypedTime(props, time);
  const [isOpen, setOpen] = useState(false);
  const [isLeft, setLeft] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  // When the calendar closes, the focus goes back to where it was opened.
  const isOpenedInInput = useRef(false);
  const inputError = useInputError(text, props, time);
  const ids = { form: useId(), inputError: useId() };
  const control = { ...useFieldControl(), ...marksIn(props) };
  // What the API says of it stands at the field already.
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
                // What is missing is told by who sends the form alone.
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
                <IconButton label={times.openCalendar} className="absolute right-0.5 top-0.5 text-faint">
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

/** `onClosed` may prevent that the button gets the focus. */
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

/** The marks that a row gives to a control that is in no Field. */
function marksIn(props: DateFieldProps) {
  const { "aria-invalid": isWrong, "aria-describedby": describedBy } = props;
  return {
    ...(isWrong !== undefined && { "aria-invalid": isWrong }),
    ...(describedBy !== undefined && { "aria-describedby": describedBy }),
  };
}

/** What stands in the field: what was typed, as long as it means the value. */
function useTypedTime({ kind, value, onChange }: DateFieldProps, time: TimeText) {
  const [typed, setTyped] = useState("");
  const read = time.read(typed, kind);
  // Outer spaces are no part of the value, and stay while there is more to type beside them.
  const isMeant = typed.trim() === value || (read ?? "") === value;
  return {
    text: isMeant ? typed : time.write(value, kind),
    type(text: string) {
      setTyped(text);
      onChange(time.read(text, kind) ?? text.trim());
    },
    /** Writes what was understood as fields show it. */
    settle() {
      if (isMeant && read !== undefined) setTyped(time.write(read, kind));
    },
    /** Takes what was chosen in the calendar, in place of whatever was typed. */
    take(chosen: string) {
      setTyped(time.write(chosen, kind));
      onChange(chosen);
    },
  };
}

/** Why what stands in the field cannot be taken; undefined when it can. */
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
 * Gives the day the focus once the calendar is the topmost window, since a window below takes back what was focused
 * before that. While the script is on its way there is no day, which takes the focus itself when it comes.
 */
function focusDay(event: Event): void {
  const { currentTarget: content } = event;
  const day = content instanceof Element ? content.querySelector<HTMLElement>("[data-day][tabindex='0']") : null;
  if (day === null) return;
  event.preventDefault();
  day.focus({ preventScroll: true });
}

/** In place of the browser's bubble; the field that is wrong first has the focus, as with the browser's. */
function showInputError(event: InvalidEvent<HTMLInputElement>): void {
  event.preventDefault();
  const input = event.currentTarget;
  if (input.form?.querySelector(":is(input, select, textarea):invalid") === input) input.focus();
}

type CalendarProps = Pick<DateFieldProps, "kind" | "value" | "onChange" | "isRequired" | "dayMin" | "timeZone"> & {
  onDone(): void;
};

/** The calendar's script is loaded by who opens one; a form does not break where it does not come. */
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
