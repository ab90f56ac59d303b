import { Switch as RadixSwitch } from "radix-ui";
import { type ReactNode, useId } from "react";
import { useIsReadOnly } from "./field.tsx";

type SwitchProps = {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  onChange(checked: boolean): void;
  disabled?: boolean;
};

/** An on-off switch with its label beside it. */
export function Switch({ label, hint, checked, onChange, disabled = false }: SwitchProps) {
  const id = useId();
  const isReadOnly = useIsReadOnly();
  return (
    <div className="flex items-start justify-between gap-4">
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-[13px] text-faint">
            {hint}
          </p>
        )}
      </div>
      <RadixSwitch.Root
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled || isReadOnly}
        className="touch-target relative mt-0.5 h-5 w-9 shrink-0 rounded-full bg-field transition-colors data-[state=checked]:bg-accent disabled:opacity-55"
      >
        <RadixSwitch.Thumb className="block size-4 translate-x-0.5 rounded-full bg-surface shadow-card transition-transform data-[state=checked]:translate-x-[18px]" />
      </RadixSwitch.Root>
    </div>
  );
}
