import { Check, Minus } from "lucide-react";
import { Checkbox as RadixCheckbox } from "radix-ui";
import { classNames } from "../base/class-names.ts";

type CheckboxProps = {
  label: string;
  checked: boolean | "indeterminate";
  onChange(checked: boolean): void;
  isDisabled?: boolean;
  /** For a visible label beside it. */
  id?: string;
  className?: string;
};

/** A checkbox; its label is for screen readers. */
export function Checkbox({ label, checked, onChange, isDisabled = false, id, className }: CheckboxProps) {
  return (
    <RadixCheckbox.Root
      id={id}
      aria-label={label}
      checked={checked}
      disabled={isDisabled}
      onCheckedChange={(now) => onChange(now === true)}
      className={classNames(
        "touch-target relative flex size-4 shrink-0 items-center justify-center rounded border border-field bg-surface disabled:opacity-55",
        "data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent",
        className,
      )}
    >
      <RadixCheckbox.Indicator className="text-on-accent">
        {checked === "indeterminate" ? (
          <Minus className="size-3" strokeWidth={3} />
        ) : (
          <Check className="size-3" strokeWidth={3} />
        )}
      </RadixCheckbox.Indicator>
    </RadixCheckbox.Root>
  );
}
