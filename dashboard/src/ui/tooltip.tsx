import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";

/** A few words at a thing while a pointer or the focus is on it. Put TooltipProvider around the page. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-[60] max-w-xs rounded-lg bg-ink px-2.5 py-1.5 text-xs text-canvas shadow-raised"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Has tooltips wait a moment, but not the next one of several in a row. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return <Radix.Provider delayDuration={300}>{children}</Radix.Provider>;
}
