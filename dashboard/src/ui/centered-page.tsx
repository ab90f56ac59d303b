import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import { Logo } from "./logo.tsx";

/** A page outside the shell: the logo and a card in the middle of the window. */
export function CenteredPage({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-sm">
        <Logo className="mb-6 flex justify-center" />
        <div className={classNames("rounded-2xl border border-line bg-surface p-6 shadow-card sm:p-7", className)}>
          {children}
        </div>
      </div>
    </main>
  );
}
