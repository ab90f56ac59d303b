import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";

/** What scrolls within the page; who has no pointer reaches it by keyboard. */
export function ScrollBox({ label, children, className }: { label: string; children: ReactNode; className?: string }) {
  const whereKeysScroll = { tabIndex: 0 };
  return (
    <section
      aria-label={label}
      {...whereKeysScroll}
      className={classNames("overflow-auto focus-visible:-outline-offset-2", className)}
    >
      {children}
    </section>
  );
}
