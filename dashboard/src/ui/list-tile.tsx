import type { LucideIcon } from "lucide-react";

/** The icon at the start of a list's row, as large as a person's picture. On a phone the text has its place. */
export function ListTile({ icon: Icon }: { icon: LucideIcon }) {
  return (
    <span className="hidden size-9 shrink-0 place-items-center rounded-lg border border-line bg-sunken text-faint sm:grid">
      <Icon className="size-4" aria-hidden />
    </span>
  );
}
