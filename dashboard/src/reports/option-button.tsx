import { Check } from "lucide-react";
import type { ReactNode } from "react";

type OptionProps = { isSelected: boolean; onSelect(): void; children: ReactNode };

/** One of several choices in a list, with a check mark when it is selected. */
export function OptionButton({ isSelected, onSelect, children }: OptionProps) {
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={onSelect}
      className="group flex h-8 w-full items-center justify-between gap-2 rounded-lg px-2.5 text-left hover:bg-sunken aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-accent"
    >
      {children}
      <Check className="hidden size-4 shrink-0 group-aria-pressed:block" aria-hidden />
    </button>
  );
}
