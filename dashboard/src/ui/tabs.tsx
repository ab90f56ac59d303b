import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";

type TabsProps<Name extends string> = {
  label: string;
  value: Name;
  onChange(value: Name): void;
  tabs: readonly { value: Name; label: ReactNode }[];
  children: ReactNode;
  className?: string;
  listClassName?: string;
};

/** Tabs over the panel of the chosen one. */
export function Tabs<Name extends string>({
  label,
  value,
  onChange,
  tabs,
  children,
  className,
  listClassName,
}: TabsProps<Name>) {
  const select = (chosen: string) => {
    const tab = tabs.find((each) => each.value === chosen);
    if (tab !== undefined) onChange(tab.value);
  };
  return (
    <Radix.Root value={value} onValueChange={select} className={className}>
      <Radix.List
        aria-label={label}
        className={classNames("flex gap-4 overflow-x-auto border-b border-line px-4", listClassName)}
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px whitespace-nowrap border-b-2 border-transparent py-2.5 font-medium text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content value={value} tabIndex={-1}>
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}

type ChoiceProps<Name extends string> = {
  label: string;
  value: Name;
  onChange(value: Name): void;
  choices: readonly { value: Name; label: ReactNode }[];
  className?: string;
};

/** A few choices side by side, of which one holds. */
export function Choice<Name extends string>({ label, value, onChange, choices, className }: ChoiceProps<Name>) {
  return (
    <fieldset className={classNames("inline-flex rounded-lg border border-line bg-sunken p-0.5", className)}>
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
          className="rounded-md px-2.5 py-1 text-[13px] font-medium text-muted hover:text-ink aria-pressed:bg-surface aria-pressed:text-ink aria-pressed:shadow-card"
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
