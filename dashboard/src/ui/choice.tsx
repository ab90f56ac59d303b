import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";

type ChoiceProps<Name extends string> = {
  label: string;
  value: Name;
  onChange(value: Name): void;
  choices: readonly { value: Name; label: ReactNode }[];
  className?: string;
};

/** A few choices side by side, one of them selected. */
export function Choice<Name extends string>({ label, value, onChange, choices, className }: ChoiceProps<Name>) {
  return (
    <fieldset
      className={classNames(
        "inline-flex max-w-full flex-wrap rounded-lg border border-line bg-sunken p-0.5",
        className,
      )}
    >
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
          className="touch-target relative rounded-md px-2.5 py-1 text-[13px] font-medium text-muted hover:text-ink aria-pressed:bg-surface aria-pressed:text-ink aria-pressed:shadow-card"
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
