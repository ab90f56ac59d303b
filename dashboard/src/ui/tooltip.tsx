import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";

/** A short text beside an element while the pointer or the focus is on it. Needs a TooltipProvider around it. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-[80] max-w-xs rounded-lg bg-ink px-2.5 py-1.5 text-xs text-canvas shadow-raised"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Delays the first tooltip among its children; the next ones in a row appear at once. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return <Radix.Provider delayDuration={300}>{children}</Radix.Provider>;
}
