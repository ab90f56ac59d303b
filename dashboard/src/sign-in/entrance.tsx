import type { ReactNode } from "react";
import { Logo } from "../shell/logo.tsx";

/** The card in the middle of pages for who is not signed in. */
export function Entrance({ title, about, children }: { title: string; about?: ReactNode; children: ReactNode }) {
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="w-full max-w-sm">
        <Logo className="mb-6 flex justify-center" />
        <div className="rounded-2xl border border-line bg-surface p-6 shadow-card sm:p-7">
          <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
          {about && <p className="mt-1 text-muted">{about}</p>}
          <div className="mt-5 grid gap-4">{children}</div>
        </div>
      </div>
    </main>
  );
}
