import { Search } from "lucide-react";
import { classNames } from "../base/class-names.ts";
import { Input } from "./field.tsx";

type SearchFieldProps = { label: string; value: string; onChange(value: string): void; className?: string };

/** The search of a list. */
export function SearchField({ label, value, onChange, className }: SearchFieldProps) {
  return (
    <div className={classNames("relative min-w-0", className)}>
      <Search className="pointer-events-none absolute left-3 top-2.5 size-4 text-faint" aria-hidden />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="border-line pl-9 shadow-card"
      />
    </div>
  );
}
