import type { ReactNode } from "react";
import { Logo } from "./logo.tsx";

/** A page that stands for itself, without the frame of a workspace: a sign of whose it is, and what there is to say. */
export function LonePage({ children }: { children: ReactNode }) {
  return (
    <main className="mx-auto grid min-h-dvh max-w-lg grid-cols-1 content-center gap-2 p-4">
      <Logo className="justify-self-center" />
      {children}
    </main>
  );
}
