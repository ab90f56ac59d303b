import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";

/** A grey shape in place of what is being loaded. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={classNames("animate-pulse rounded-md bg-sunken", className)} />;
}

type EmptyProps = { icon: LucideIcon; title: string; children?: ReactNode; action?: ReactNode; className?: string };

/** What is shown where there is nothing yet: why, and what to do about it. */
export function Empty({ icon: Icon, title, children, action, className }: EmptyProps) {
  return (
    <div className={classNames("grid justify-items-center gap-3 px-6 py-14 text-center", className)}>
      <span className="grid size-12 place-items-center rounded-2xl border border-line bg-sunken text-faint">
        <Icon className="size-5" aria-hidden />
      </span>
      <div className="grid max-w-sm gap-1">
        <p className="font-semibold">{title}</p>
        {children && <div className="text-balance text-muted">{children}</div>}
      </div>
      {action}
    </div>
  );
}
