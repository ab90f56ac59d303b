import { LoaderCircle } from "lucide-react";
import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { classNames } from "../base/class-names.ts";

const variants = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong",
  plain: "bg-surface text-ink border border-line shadow-card hover:bg-sunken",
  quiet: "text-muted hover:bg-sunken hover:text-ink",
  danger: "bg-danger-soft text-danger border border-danger/30 hover:border-danger",
} as const;
const sizes = {
  small: "h-8 px-2.5 gap-1.5 text-[13px]",
  normal: "h-9 px-3.5 gap-2",
  large: "h-11 px-5 gap-2 text-base",
} as const;

/** The look and size of a button; plain and normal by default. */
type ButtonStyle = { variant?: keyof typeof variants; size?: keyof typeof sizes };

/** The classes of a button, for an anchor that looks like one. */
export function buttonClass({ variant = "plain", size = "normal" }: ButtonStyle = {}): string {
  return classNames(
    "touch-target relative inline-flex shrink-0 select-none items-center justify-center whitespace-nowrap rounded-lg font-medium transition-colors",
    // The text of a busy button stays readable.
    "disabled:cursor-not-allowed disabled:opacity-55 aria-busy:cursor-progress aria-busy:opacity-80",
    "[&_svg]:size-4 [&_svg]:shrink-0",
    variants[variant],
    sizes[size],
  );
}

type ButtonProps = ComponentProps<"button"> & ButtonStyle & { isBusy?: boolean };

/**
 * A button. While it is busy it shows a spinner and ignores clicks, also those with which a form is submitted. It is not
 * `disabled` then, because browsers take the focus from disabled buttons.
 */
export function Button({ variant, size, isBusy = false, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      onClick={isBusy ? ignore : onClick}
      className={classNames(buttonClass({ ...(variant && { variant }), ...(size && { size }) }), className)}
    >
      {isBusy && <LoaderCircle className="animate-spin" aria-hidden />}
      {children}
    </button>
  );
}

function ignore(event: MouseEvent): void {
  event.preventDefault();
}

type IconButtonProps = Omit<ComponentProps<"button">, "aria-label"> & { label: string; children: ReactNode };

/** A button with only an icon; screen readers and tooltips show the label. */
export function IconButton({ label, className, children, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      aria-label={label}
      className={classNames(
        "touch-target relative inline-flex size-8 shrink-0 items-center justify-center rounded-lg text-muted transition-colors hover:bg-sunken hover:text-ink",
        "disabled:cursor-not-allowed disabled:opacity-55 [&_svg]:size-4",
        className,
      )}
    >
      {children}
    </button>
  );
}
