import { Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import { floatingClass } from "./floating-class.ts";

/** The props of a popover. */
export type PopoverProps = {
  trigger: ReactNode;
  label: string;
  children: ReactNode;
  align?: "start" | "center" | "end";
  className?: string;
  isOpen: boolean;
  onOpenChange(isOpen: boolean): void;
};

/** A popover and its trigger. Imported where a script is loaded to open it; other places use Popover. */
export function PopoverPanel({
  trigger,
  label,
  children,
  align = "start",
  className,
  isOpen,
  onOpenChange,
}: PopoverProps) {
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className={classNames(floatingClass, className)}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
