import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import { useFadedEdges } from "./use-faded-edges.ts";

type TabsProps<Name extends string> = {
  label: string;
  value: Name;
  onChange(value: Name): void;
  tabs: readonly { value: Name; label: ReactNode }[];
  children: ReactNode;
  className?: string;
  listClassName?: string;
};

/** Tabs above the panel of the selected one. */
export function Tabs<Name extends string>({
  label,
  value,
  onChange,
  tabs,
  children,
  className,
  listClassName,
}: TabsProps<Name>) {
  const fadedEdges = useFadedEdges();
  const select = (chosen: string) => {
    const tab = tabs.find((each) => each.value === chosen);
    if (tab !== undefined) onChange(tab.value);
  };
  return (
    <Radix.Root value={value} onValueChange={select} className={className}>
      <Radix.List
        ref={fadedEdges}
        aria-label={label}
        data-scrolls-sideways
        // The line is a shadow: a border under overlapping tabs would make the bar scroll down by a pixel.
        className={classNames(
          "scrollbar-none flex gap-4 overflow-x-auto px-4 inset-shadow-line",
          "data-[before=true]:mask-l-from-85% data-[after=true]:mask-r-from-85%",
          listClassName,
        )}
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mx-1 px-1 focus-visible:-outline-offset-2 whitespace-nowrap border-b-2 border-transparent py-2.5 font-medium text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
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
