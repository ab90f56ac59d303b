import { classNames } from "../base/class-names.ts";

/** Waypost's icon and name. */
export function Logo({ className }: { className?: string }) {
  return (
    <span className={classNames("inline-flex items-center gap-2 text-[15px] font-semibold tracking-tight", className)}>
      <img src="/app/icon.svg" alt="" className="size-6" />
      Waypost
    </span>
  );
}
