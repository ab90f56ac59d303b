import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";

const tones = {
  neutral: "bg-sunken text-muted border-line",
  accent: "bg-accent-soft text-accent border-accent/20",
  success: "bg-success-soft text-success border-success/25",
  warning: "bg-warning-soft text-warning border-warning/25",
  danger: "bg-danger-soft text-danger border-danger/25",
} as const;

/** The meaning of a badge; each tone is readable in both themes. */
export type Tone = keyof typeof tones;

/** A short label, such as a state. */
export function Badge({
  tone = "neutral",
  children,
  title,
  className,
}: {
  tone?: Tone;
  children: ReactNode;
  /** Shown on hover. */
  title?: string;
  className?: string;
}) {
  return (
    <span
      title={title}
      className={classNames(
        "inline-flex items-center gap-1 whitespace-nowrap rounded-full border px-2 py-0.5 text-xs font-medium [&_svg]:size-3 [&_svg]:shrink-0",
        tones[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}

/** A key of the keyboard, or several that are pressed together. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="shrink-0 whitespace-nowrap rounded border border-line bg-sunken px-1.5 py-0.5 font-sans text-xs text-muted">
      {children}
    </kbd>
  );
}
