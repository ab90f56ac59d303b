import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";

/** A grey placeholder for content that is loading. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden data-skeleton className={classNames("animate-pulse rounded-md bg-sunken", className)} />;
}

type EmptyProps = {
  icon: LucideIcon;
  title: string;
  /** True when it is the only content of the page. */
  isHeading?: boolean;
  children?: ReactNode;
  action?: ReactNode;
  className?: string;
};

/** Shown when there is nothing yet: why, and what to do about it. */
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
