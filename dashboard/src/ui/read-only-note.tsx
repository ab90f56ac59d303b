import { Lock } from "lucide-react";
import type { ReactNode } from "react";

/** Explains why the person cannot change what is shown. */
export function ReadOnlyNote({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-center gap-2.5 rounded-lg border border-line bg-sunken px-3 py-2.5 text-muted">
      <Lock className="size-4 shrink-0 text-faint" aria-hidden />
      {children}
    </p>
  );
}
