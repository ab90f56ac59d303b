import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";

/** A grey shape in place of what is being loaded. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden data-skeleton className={classNames("animate-pulse rounded-md bg-sunken", className)} />;
}

type EmptyProps = {
  icon: LucideIcon;
  title: string;
  /** Where it is all the page says. */
  isHeading?: boolean;
  children?: ReactNode;
  action?: ReactNode;
  className?: string;
};

/** What is shown where there is nothing yet: why, and what to do about it. */
export function Empty({ icon: Icon, title, isHeading = false, children, action, className }: EmptyProps) {
  const Title = isHeading ? "h1" : "p";
  return (
    <div className={classNames("grid justify-items-center gap-3 px-6 py-14 text-center", className)}>
      <span className="grid size-12 place-items-center rounded-2xl border border-line bg-sunken text-faint">
        <Icon className="size-5" aria-hidden />
      </span>
      <div className="grid max-w-sm gap-1">
        <Title className={classNames("font-semibold", isHeading && "text-base tracking-tight")}>{title}</Title>
        {children && <div className="text-balance text-muted">{children}</div>}
      </div>
      {action}
    </div>
  );
}
