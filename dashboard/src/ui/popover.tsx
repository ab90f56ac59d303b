import { Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import { floatingClass } from "./floating-class.ts";

type PopoverProps = {
  trigger: ReactNode;
  label: string;
  children: ReactNode;
  align?: "start" | "center" | "end";
  className?: string;
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
};

/** A floating panel at its trigger, for more than a menu can hold. */
export function Popover({ trigger, label, children, align = "start", className, isOpen, onOpenChange }: PopoverProps) {
  return (
    <Radix.Root {...(isOpen !== undefined && { open: isOpen })} {...(onOpenChange && { onOpenChange })}>
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
