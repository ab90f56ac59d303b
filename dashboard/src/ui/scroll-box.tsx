import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";

/** A region that scrolls inside the page, by pointer or keyboard. */
export function ScrollBox({ label, children, className }: { label: string; children: ReactNode; className?: string }) {
  const whereKeysScroll = { tabIndex: 0 };
  return (
    <section
      aria-label={label}
      {...whereKeysScroll}
      data-scrolls-sideways
      className={classNames("overflow-auto focus-visible:-outline-offset-2", className)}
    >
      {children}
    </section>
  );
}
